//! The file of an export as a file of a generic package: so a release can link to it, and it
//! stays when the export goes.

use super::access::Subject;
use super::model::Export;
use ::store::Tx;
use identity::Caller;
use kernel::blobs::Stored;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use packages::model::PackageType;
use packages::rules::names;
use packages::rules::publish::{self, Destination};
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::Purpose;

/// Where the file goes.
#[derive(Debug, Clone)]
pub struct Target {
    /// None: the project of the export.
    pub project: Option<Reference>,
    pub name: String,
    pub version: String,
}

/// A file of a package that was an export.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PublishedExport {
    pub package_id: i64,
    pub package_file_id: i64,
    pub file_name: String,
    /// Where it is downloaded.
    pub url: String,
}

/// Publishes the file of an export that has finished, for who publishes there.
///
/// # Errors
///
/// 400 for an export of a group that names no project; what publishing refuses.
pub fn publish(
    tx: &mut Tx<'_>, by: &Caller, (export, subject): (&Export, &Subject), to: Target,
) -> Result<PublishedExport> {
    names::generic_name(&to.name)?;
    names::generic_version(&to.version)?;
    let project = match (to.project, subject) {
        (Some(project), _) => project,
        (None, Subject::Project(of) | Subject::Pipeline(of, _)) => Reference::Id(of.id),
        (None, Subject::Group(_)) => return Err(Error::missing("project")),
    };
    let entered = packages::access::authorize(tx, &by.viewer, &project, Purpose::PublishPackage)?;
    let file = export.file().found("DependencyListExport")?;
    let stored = stored(tx, file.key)?;
    let name = names::generic_file_name(file.name)?;
    let place = Destination::new(PackageType::Generic, &to.name, Some(&to.version), name);
    let (package, published) = publish::add_file(tx, &by.viewer, &entered, &place, &stored)?;
    let path = format!(
        "/api/v4/projects/{}/packages/generic/{}/{}/{}",
        entered.project.id, to.name, to.version, file.name
    );
    Ok(PublishedExport {
        package_id: package.id,
        package_file_id: published.id,
        file_name: file.name.to_owned(),
        url: by.app.url(&path),
    })
}

/// The bytes of a file, by all of their digests.
fn stored(tx: &mut Tx<'_>, key: &str) -> Result<Stored> {
    let row: Option<(i64, String, String, String, String)> = tx.optional(
        ::store::sql!("select size, md5, sha1, sha256, sha512 from blobs where key = $1"),
        (key,),
    )?;
    let (size, md5, sha1, sha256, sha512) = row.found("DependencyListExport")?;
    let size = size.unsigned_abs();
    Ok(Stored { key: key.to_owned(), size, md5, sha1, sha256, sha512 })
}
