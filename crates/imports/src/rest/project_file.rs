//! `/projects/import`, `/projects/remote-import` and `/projects/remote-import-s3`: projects are
//! made of files.

use super::import_entity::{self, ImportEntity};
use super::in_query::InQuery;
use crate::archive::arriving;
use crate::archive::origin::Origin;
use crate::archive::rules::{self, FileCame, Source, Wanted};
use crate::archive::s3::Signed;
use crate::archive::settings::{Deed, count};
use crate::archive::unpack;
use crate::people::user_map;
use crate::run::SourceName;
use crate::settings::need;
use ::store::Tx;
use http::StatusCode;
use identity::Caller;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::openapi::Operation;
use kernel::http::params::FromParams;
use kernel::http::{Answer, Flat, Params, Parts, RequestContext, Response, Routes, reply};
use kernel::ids::Reference;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use spaces::model::Project;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) fn routes(r: &mut Routes) {
    r.post("/projects/import", import)
        .streams()
        .answers(429, "The caller began too many of late")
        .summary("Makes a project of a file that is sent");
    r.post("/projects/remote-import", import_remote)
        .answers(429, "The caller began too many of late")
        .summary("Makes a project of a file at an address");
    r.post("/projects/remote-import-s3", import_from_bucket)
        .answers(429, "The caller began too many of late")
        .summary("Makes a project of a file in a bucket");
}

kernel::params! {
    /// What the project is to be.
    struct ImportedProject {
        /// Its path.
        pub path: String,
        /// Its name; the path without one.
        pub name: Option<String>,
        /// Id or path of the namespace it comes to; the caller's own without one.
        pub namespace: Option<Reference>,
        /// Whether a project that has the path goes.
        pub overwrite: Option<bool>,
        /// Settings of the project in place of those in the file.
        pub override_params: Option<Map<String, Value>>,
        /// Logins in the file, each with the name or id of a user here.
        pub user_map: Option<Map<String, Value>>,
        /// Whether it is only told what an import would bring.
        pub dry_run: Option<bool>,
    }
}

kernel::params! {
    /// A file at an address; some clients ask so for one in a bucket, too.
    struct RemoteFile {
        /// The https address of the file.
        pub url: Option<String>,
        /// The region of the bucket that it is in.
        pub region: Option<String>,
        /// The name of that bucket.
        pub bucket_name: Option<String>,
        /// The key of the file in it.
        pub file_key: Option<String>,
        /// The id of the key that lets in.
        pub access_key_id: Option<String>,
        /// That key.
        pub secret_access_key: Option<String>,
        pub project: Flat<ImportedProject>,
    }
}

kernel::params! {
    /// A file in a bucket.
    struct FileInBucket {
        /// The region of the bucket.
        pub region: String,
        /// The name of the bucket.
        pub bucket_name: String,
        /// The key of the file in it.
        pub file_key: String,
        /// The id of the key that lets in.
        pub access_key_id: String,
        /// That key.
        pub secret_access_key: String,
        pub project: Flat<ImportedProject>,
    }
}

/// What the import of a file would bring.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProjectFileDryRun")]
struct FileDryRun {
    /// The server that it was written on.
    host: String,
    /// The project that it was written of.
    path_with_namespace: String,
    exported_at: String,
    /// How many there are of each kind.
    counts: BTreeMap<&'static str, u64>,
}

/// An import of a file that began, or might begin.
enum Answered {
    Import(Box<ImportEntity>),
    Dry(FileDryRun),
}

impl Answer for Answered {
    fn reply(self, _: &App, _: &RequestContext) -> Result<Response> {
        match self {
            Answered::Import(entity) => reply::json(StatusCode::CREATED, &entity),
            Answered::Dry(dry) => reply::json(StatusCode::OK, &dry),
        }
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.answers::<ImportEntity>(201);
        operation.answers::<FileDryRun>(200);
    }
}

impl RemoteFile {
    /// Where it is in a bucket; what is not said is no good.
    fn place(&self) -> Signed {
        let said = |text: &Option<String>| text.clone().unwrap_or_default();
        Signed {
            region: said(&self.region),
            bucket_name: said(&self.bucket_name),
            file_key: said(&self.file_key),
            access_key_id: said(&self.access_key_id),
            secret_access_key: said(&self.secret_access_key),
        }
    }
}

impl ImportedProject {
    fn wanted(&self, tx: &mut Tx<'_>, by: &Caller) -> Result<Wanted> {
        let map = match &self.user_map {
            Some(map) => user_map(tx, &by.viewer, map)?,
            None => BTreeMap::new(),
        };
        Ok(Wanted {
            path: self.path.clone(),
            name: self.name.clone().filter(|name| !name.is_empty()),
            namespace: self.namespace.clone(),
            overwrite: self.overwrite.unwrap_or(false),
            overrides: self.override_params.clone().unwrap_or_default(),
            user_map: map,
        })
    }
}

/// Refuses who may import nothing, before anything is read.
async fn admit(by: &Caller) -> Result<()> {
    let user_id = by.viewer.signed_in()?.user.id;
    by.clone().read(|tx, _| need(tx, SourceName::ProjectFile)).await?;
    count(&by.app, user_id, Deed::Import).await
}

/// Refuses what would be refused later, before anything is fetched or stored.
async fn check(by: &Caller, project: &ImportedProject) -> Result<()> {
    let project = project.clone();
    by.clone()
        .read(move |tx, by| {
            let wanted = project.wanted(tx, by)?;
            wanted.check()?;
            rules::namespace(tx, by, wanted.namespace.as_ref()).map(drop)
        })
        .await
}

async fn begin(by: Caller, project: ImportedProject, source: Source) -> Result<Answered> {
    let made = by.write(move |tx, by| {
        let wanted = project.wanted(tx, by)?;
        let made: Project = rules::begin(tx, by, &wanted, &source)?;
        import_entity::of(tx, &by.viewer, &made)
    });
    Ok(Answered::Import(Box::new(made.await?)))
}

fn correlation_id(request: &RequestContext) -> Option<String> {
    Some(request.request_id.clone()).filter(|id| !id.is_empty())
}

async fn import(
    by: Caller, query: InQuery<ImportedProject>, request: Arc<RequestContext>, parts: Parts,
) -> Result<Answered> {
    admit(&by).await?;
    let mut form = arriving::read(&by.app, &request, parts).await?;
    let mut sent = query.said;
    sent.extend(std::mem::take(&mut form.fields));
    let project = ImportedProject::from_params(&sent).map_err(Error::Parameters)?;
    let file = form.take_file()?;
    check(&by, &project).await?;
    if project.dry_run == Some(true) {
        return look(&by.app, &file).await.map(Answered::Dry);
    }
    if project.overwrite == Some(true) {
        // What is there goes for nothing that is damaged.
        look(&by.app, &file).await?;
    }
    let (stored, manifest) = arriving::keep(&by.app, file).await?;
    let source = Source {
        origin: manifest.project.full_path.clone(),
        came: FileCame::Stored(stored),
        manifest: Some(manifest),
        correlation_id: correlation_id(&request),
    };
    begin(by, project, source).await
}

/// Looks through a file, of which nothing is kept.
async fn look(app: &App, file: &kernel::blobs::Received) -> Result<FileDryRun> {
    let (manifest, end) = unpack::look(app, file).await?.map_err(Error::BadRequest)?;
    let counts = unpack::counts(&end);
    Ok(FileDryRun {
        host: manifest.host().to_owned(),
        path_with_namespace: manifest.project.full_path.clone(),
        exported_at: kernel::time::wire::text(manifest.exported_at),
        counts: counts.into_iter().map(|(list, count)| (list.as_str(), count)).collect(),
    })
}

async fn import_remote(
    by: Caller, file: Params<RemoteFile>, request: Arc<RequestContext>,
) -> Result<Answered> {
    admit(&by).await?;
    let Params(file) = file;
    let origin = match (&file.url, &file.bucket_name) {
        (Some(url), _) => Origin::at(url)?,
        (None, Some(_)) => Origin::Bucket(file.place().checked()?),
        (None, None) => return Err(Error::missing("url")),
    };
    fetch(by, file.project.0, origin, &request).await
}

async fn import_from_bucket(
    by: Caller, file: Params<FileInBucket>, request: Arc<RequestContext>,
) -> Result<Answered> {
    admit(&by).await?;
    let Params(file) = file;
    let place = Signed {
        region: file.region,
        bucket_name: file.bucket_name,
        file_key: file.file_key,
        access_key_id: file.access_key_id,
        secret_access_key: file.secret_access_key,
    };
    let origin = Origin::Bucket(place.checked()?);
    fetch(by, file.project.0, origin, &request).await
}

/// Has a file fetched that may be. A file elsewhere is not looked through before: `dry_run`
/// tells nothing of it.
async fn fetch(
    by: Caller, project: ImportedProject, origin: Origin, request: &RequestContext,
) -> Result<Answered> {
    if project.dry_run == Some(true) {
        let text = "dry_run is not offered for files that are fetched".to_owned();
        return Err(Error::Parameters(vec![text]));
    }
    check(&by, &project).await?;
    origin.look(&by.app).await?;
    let source = Source {
        origin: origin.shown(),
        came: FileCame::Sealed(origin.sealed(by.app.secrets())),
        manifest: None,
        correlation_id: correlation_id(request),
    };
    begin(by, project, source).await
}
