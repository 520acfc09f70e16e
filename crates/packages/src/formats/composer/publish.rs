//! Publishing a version of a tag or branch.

use super::manifest::{Manifest, version_of_branch, version_of_tag};
use crate::access::RegistryAccess;
use crate::archive::{self, Wanted};
use crate::client::Client;
use crate::model::{Package, PackageFile, PackageType};
use crate::readme::{self, Readme};
use crate::rules::publish::{Destination, Repeat};
use crate::source::{self, Ref};
use crate::store::index;
use crate::upload::{self, Uploaded};
use crate::upload_form::UploadForm;
use kernel::app::App;
use kernel::blobs::Received;
use kernel::error::{Error, Found, Result};
use kernel::http::{FromCall, Params, Parts};
use kernel::ids::Reference;
use std::fs::File;
use store::Tx;

/// Largest archive, in bytes.
const MAX_ARCHIVE: u64 = 1024 * 1024 * 1024;

kernel::params! {
    pub struct Publish {
        /// The project.
        pub id: Reference,
        /// A tag.
        pub tag: Option<String>,
        /// A branch, instead of a tag.
        pub branch: Option<String>,
    }
}

/// A form, where one is sent.
pub struct MaybeParts(Option<Parts>);

impl FromCall for MaybeParts {
    async fn from_call(call: &mut kernel::http::Call) -> Result<Self> {
        match call.is_multipart() {
            true => Ok(MaybeParts(Some(Parts::from_call(call).await?))),
            false => Ok(MaybeParts(None)),
        }
    }

    fn describe(operation: &mut kernel::http::openapi::Operation<'_>) {
        Parts::describe(operation);
    }
}

/// Stores the version that a tag or branch stands for.
pub async fn publish(
    params: Params<Publish>, client: Client, parts: MaybeParts,
) -> Result<Uploaded> {
    let Params(params) = params;
    let entered = upload::admit_publisher(&client, &params.id).await?;
    let mut form = match parts.0 {
        Some(parts) => {
            let files = &["package"];
            UploadForm::receive(&client, PackageType::Composer, parts, files).await?
        }
        None => UploadForm::default(),
    };
    let named = |name: &str, sent| form.text(name).map(str::to_owned).or(sent);
    let reference = reference(named("tag", params.tag), named("branch", params.branch))?;
    let version = match &reference {
        Ref::Tag(tag) => version_of_tag(tag),
        Ref::Branch(branch) => version_of_branch(branch),
    };
    let version = version.ok_or_else(|| Error::BadRequest("Version is invalid".into()))?;
    let received = match form.take_file("package") {
        Some(sent) => sent.received,
        None => from_repository(&client.app, entered.project.id, &reference).await?,
    };
    let (manifest, readme) = upload::inspect(&received, read_manifest).await?;
    let to = Destination {
        repeat: match reference {
            Ref::Tag(_) => Repeat::Version,
            // A branch moves.
            Ref::Branch(_) => Repeat::Nothing,
        },
        metadata: Some(serde_json::to_string(&manifest.fields).map_err(Error::internal)?),
        readme,
        ..Destination::new(
            PackageType::Composer,
            &manifest.name,
            Some(&version),
            format!("{}.zip", received.stored().sha1),
        )
    };
    upload::admit(&client, &params.id, &to).await?;
    let stored = upload::keep(&client.app, received).await?;
    upload::publish_then(&client, &params.id, to, stored, refuse_second_project).await?;
    Ok(Uploaded)
}

fn reference(tag: Option<String>, branch: Option<String>) -> Result<Ref> {
    let given = |text: Option<String>| text.filter(|text| !text.is_empty());
    match (given(tag), given(branch)) {
        (Some(tag), None) => Ok(Ref::Tag(tag)),
        (None, Some(branch)) => Ok(Ref::Branch(branch)),
        (Some(_), Some(_)) => Err(Error::BadRequest("tag, branch are mutually exclusive".into())),
        (None, None) => Err(Error::Parameters(vec![
            "tag, branch are missing, exactly one parameter must be provided".into(),
        ])),
    }
}

async fn from_repository(app: &App, project: i64, reference: &Ref) -> Result<Received> {
    let bytes = source::archive(app, project, reference).await?;
    upload::receive_part(app, Some(MAX_ARCHIVE), bytes.found("Ref")?).await
}

/// The composer.json at the top of an archive, or of its one folder, and what
/// the package says at length.
fn read_manifest(file: File) -> Result<(Manifest, Option<Readme>)> {
    let mut contents = archive::zip(file, |path| {
        let (_, name) = path.rsplit_once('/').unwrap_or(("", path));
        match name == "composer.json" && path.matches('/').count() <= 1 {
            true => Wanted::Whole,
            false => readme::wanted(path),
        }
    })?;
    let readme = readme::take(&mut contents);
    let members = contents.members;
    match members.into_iter().min_by_key(|member| member.path.matches('/').count()) {
        Some(member) => Ok((Manifest::parse(&member.bytes)?, readme)),
        None => Err(Error::Unprocessable(
            "422 Unprocessable - the archive has no composer.json".into(),
        )),
    }
}

/// One name comes from one project of a group: a repository lists them
/// together.
fn refuse_second_project(
    tx: &mut Tx<'_>, entered: &RegistryAccess, package: &Package, _: &PackageFile,
) -> Result<()> {
    let project = entered.project.id;
    if index::is_elsewhere(tx, project, PackageType::Composer, &package.name)? {
        return Err(Error::BadRequest(
            "Validation failed: Name is already taken by another project".into(),
        ));
    }
    Ok(())
}
