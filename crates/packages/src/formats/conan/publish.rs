//! Uploads, file by file. Of a revision that is a digest of what it holds,
//! nothing changes once it is complete; the same file may be sent again.

use super::address::{self, About, Kind, MANIFEST, Recipe, RevisionPath};
use super::store::{self, RevisionFile};
use super::texts::{self, MAX_INFO, MAX_MANIFEST};
use super::{CONAN, Client, done, read, remove};
use crate::archive;
use crate::rules::names::{invalid, require};
use crate::rules::publish::{Destination, Repeat, add_file};
use crate::store::files;
use crate::tasks::PurgeFile;
use crate::upload;
use ::store::Tx;
use http::StatusCode;
use kernel::blobs::Stored;
use kernel::error::{Error, Result};
use kernel::http::{Response, Upload, reply};
use kernel::ids::Reference;
use kernel::jobs::enqueue;
use serde_json::{Map, Value, json};
use spaces::access::Purpose;
use std::fs::File;
use std::io::Read;

/// Most bytes of a command's body, which lists files.
const MAX_COMMAND: usize = 1024 * 1024;

/// Stores a file by its address below `v1/files/`. An empty body is a client
/// asking whether it has to send the file.
pub async fn without_revisions(client: &Client, path: &str, body: Upload) -> Result<Response> {
    let (recipe, place, path) = address::file(path)?;
    let is_zero = place == RevisionPath::without_revisions(place.reference());
    require("recipe_revision", is_zero)?;
    let sent = UploadedFile { recipe, place, path };
    sent.store(client, body).await
}

/// Stores a file of a revision.
pub async fn with_revisions(client: &Client, path: &str, body: Upload) -> Result<Response> {
    let (recipe, about) = address::with_revisions(path)?;
    let About::File(place, path) = about else {
        return Err(Error::NotFound("Package"));
    };
    let is_fixed = place.is_fixed() && place.of_recipe().is_fixed();
    require("recipe_revision", is_fixed)?;
    let sent = UploadedFile { recipe, place, path };
    sent.store(client, body).await
}

/// A file that a client sends.
#[derive(Clone)]
struct UploadedFile {
    recipe: Recipe,
    place: RevisionPath,
    path: String,
}

impl UploadedFile {
    async fn store(self, client: &Client, body: Upload) -> Result<Response> {
        let project = client.project(&self.recipe)?;
        let kind = address::kind(&self.place, &self.path).ok_or(Error::NotFound("Package"))?;
        let mut to = destination(&self.recipe, &self.path);
        admit(client, &project, &to).await?;
        // The client would take 201 for «already here»; it sends the bytes then.
        if client.request.header("x-checksum-deploy").is_some() {
            return Err(Error::NotFound("Package File"));
        }
        let received = upload::receive_bytes(client, CONAN, body).await?;
        if received.stored().size == 0 && !self.place.is_fixed() {
            return done();
        }
        let size = received.stored().size;
        to.file_metadata = upload::inspect(&received, move |file| look(file, size, kind)).await?;
        let stored = upload::keep(&client.app, received).await?;
        let purpose = Purpose::PublishPackage;
        let written = client.change(&project, purpose, move |tx, entered, client| {
            let known = match to.package(tx, entered.project.id)? {
                Some(package) => self.known(tx, package.id, kind, &stored, &to)?,
                None if self.place.binary.is_some() => return Err(Error::NotFound("Recipe")),
                None => Known::Replaced(Vec::new()),
            };
            let Known::Replaced(known) = known else {
                return Ok(());
            };
            for kept in known {
                files::mark_destroyed(tx, kept.file.id)?;
                enqueue(tx, client.app.jobs(), &PurgeFile { file: kept.file.id })?;
            }
            let (_, file) = add_file(tx, &client.viewer, entered, &to, &stored)?;
            store::put(tx, &file, &self.place, &self.path)
        });
        written.await.map_err(|error| client.unmoved(error))?;
        done()
    }

    /// What to do with what is there already.
    fn known(
        &self, tx: &mut Tx<'_>, package_id: i64, kind: Kind, stored: &Stored, to: &Destination,
    ) -> Result<Known> {
        let revision = &self.place.recipe_revision;
        if self.place.binary.is_some() && !store::has_recipe(tx, package_id, revision)? {
            return Err(Error::NotFound("Recipe"));
        }
        let names = address::alternatives(kind, &self.path);
        let known = store::files_named(tx, package_id, &self.place, &names)?;
        let is_same = |kept: &RevisionFile| {
            // Publishers of one revision pack and write the same at other times.
            let is_timeless = matches!(kind, Kind::Manifest | Kind::Archive(_));
            let says_the_same = is_timeless && kept.metadata == to.file_metadata;
            kept.path == self.path && (kept.file.sha256 == stored.sha256 || says_the_same)
        };
        if self.place.is_fixed() && known.len() == 1 && known.iter().all(is_same) {
            return Ok(Known::Same);
        }
        let may_change = kind == Kind::Metadata || !self.place.is_fixed() || known.is_empty();
        if !may_change && store::file(tx, package_id, &self.place, MANIFEST)?.is_some() {
            return Err((to.refusal)());
        }
        Ok(Known::Replaced(known))
    }
}

/// What is there already of a file that is sent.
enum Known {
    Same,
    /// These, which it takes the place of.
    Replaced(Vec<RevisionFile>),
}

fn destination(recipe: &Recipe, path: &str) -> Destination {
    let version = Some(recipe.version.as_str());
    Destination {
        recipe: Some(recipe.full()),
        repeat: Repeat::Nothing,
        ..Destination::new(CONAN, &recipe.name, version, address::stored(path))
    }
}

async fn admit(client: &Client, project: &Reference, to: &Destination) -> Result<()> {
    let admitted = upload::admit(client, project, to).await;
    admitted.map_err(|error| client.unmoved(error))
}

/// Looks into a file; what is kept of it.
fn look(file: File, size: u64, kind: Kind) -> Result<Option<String>> {
    match kind {
        Kind::Manifest => {
            let digest = texts::manifest(&whole(file, MAX_MANIFEST)?)?;
            Ok(Some(json!({"says": digest}).to_string()))
        }
        Kind::Info => {
            let told = texts::info(&whole(file, MAX_INFO)?)?;
            Ok(Some(told.to_string()))
        }
        Kind::Archive(packing) => {
            if size == 0 {
                return Err(Error::BadRequest("the archive is empty".into()));
            }
            let digest = archive::tar_digest(file, size, packing)?;
            Ok(Some(json!({"holds": digest}).to_string()))
        }
        Kind::Source | Kind::Metadata => Ok(None),
    }
}

fn whole(file: File, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(Error::internal)?;
    if bytes.len() as u64 > most {
        return Err(upload::too_large());
    }
    Ok(bytes)
}

/// Answers a POST below `v1/conans/`.
pub async fn command(client: &Client, path: &str, body: Upload) -> Result<Response> {
    let (recipe, about) = address::without_revisions(path)?;
    match about {
        About::UploadUrls(reference) => {
            let project = client.project(&recipe)?;
            admit(client, &project, &destination(&recipe, MANIFEST)).await?;
            let place = RevisionPath::without_revisions(reference.as_deref());
            let mut urls = Map::new();
            for name in object(body).await?.keys() {
                require("file_name", address::kind(&place, name).is_some())?;
                let url = read::file_url(client, &recipe, place.reference(), name);
                urls.insert(name.clone(), url.into());
            }
            reply::json(StatusCode::OK, &urls)
        }
        About::DeletePackages => {
            remove::admit(client, &recipe).await?;
            let references = texts_of(&object(body).await?, "package_ids")?;
            remove::binaries(client, &recipe, references).await
        }
        About::RemoveFiles => {
            remove::admit(client, &recipe).await?;
            let names = texts_of(&object(body).await?, "files")?;
            remove::files(client, &recipe, names).await
        }
        _ => Err(Error::NotFound("Package")),
    }
}

/// The JSON object in a body.
async fn object(body: Upload) -> Result<Map<String, Value>> {
    let bytes = upload::small_body(body, MAX_COMMAND, upload::too_large).await?;
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(object)) => Ok(object),
        _ => Err(Error::BadRequest("the body must be a JSON object".into())),
    }
}

fn texts_of(object: &Map<String, Value>, field: &str) -> Result<Vec<String>> {
    let texts = object.get(field).and_then(Value::as_array);
    let texts = texts.ok_or_else(|| Error::missing(field))?;
    texts
        .iter()
        .map(|text| text.as_str().map(str::to_owned))
        .collect::<Option<Vec<String>>>()
        .ok_or_else(|| invalid(field))
}
