//! Adding a file to a package, which is made with its first file.

use super::protection;
use crate::access::{Entered, Happened, audit};
use crate::model::{Package, PackageFile, PackageType, Status};
use crate::settings;
use crate::store::packages::NewPackage;
use crate::store::{files, packages};
use identity::viewer::Viewer;
use kernel::blobs::Stored;
use kernel::error::{Error, Result};
use serde_json::json;
use store::Tx;

/// Where a file is to go.
#[derive(Debug, Clone)]
pub struct Destination {
    /// The format.
    pub package_type: PackageType,
    /// The package's name, already checked by the format.
    pub name: String,
    /// The package's version, already checked by the format.
    pub version: Option<String>,
    /// The stored name of the file, already checked by the format.
    pub file_name: String,
    /// The state a new package gets; one that exists keeps its own.
    pub status: Status,
}

/// Refuses what is known to be refused before the bytes arrive. The same is
/// asked again when they have: rules may change meanwhile.
pub fn check(tx: &mut Tx<'_>, entered: &Entered, to: &Destination) -> Result<()> {
    let project = &entered.project;
    protection::check_push(
        tx,
        project.id,
        to.package_type,
        &to.name,
        entered.push_level(),
    )?;
    let version = to.version.as_deref();
    let Some(package) = packages::find(tx, project.id, to.package_type, &to.name, version)? else {
        return Ok(());
    };
    check_duplicate(tx, entered, &package, to)
}

/// Refuses a second file of one name where the namespace wants that.
fn check_duplicate(
    tx: &mut Tx<'_>,
    entered: &Entered,
    package: &Package,
    to: &Destination,
) -> Result<()> {
    if files::newest(tx, package.id, &to.file_name)?.is_none() {
        return Ok(());
    }
    let settings = settings::effective(tx, entered.project.namespace_id)?;
    if settings.allows_duplicate(to.package_type, &to.name, to.version.as_deref()) {
        return Ok(());
    }
    Err(Error::BadRequest("Duplicate package is not allowed".into()))
}

/// Adds the stored bytes as a file; finds or makes the package.
pub fn add_file(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    entered: &Entered,
    to: &Destination,
    stored: &Stored,
) -> Result<(Package, PackageFile)> {
    let project = &entered.project;
    protection::check_push(
        tx,
        project.id,
        to.package_type,
        &to.name,
        entered.push_level(),
    )?;
    let package = find_or_create(tx, viewer, entered, to)?;
    check_duplicate(tx, entered, &package, to)?;
    let file = files::insert(tx, &package, &to.file_name, stored)?;
    packages::touch(tx, package.id)?;
    let happened = Happened {
        action: "package_file.create",
        target_type: "Package",
        target_id: package.id,
        target_name: &package.name,
        details: json!({
            "project_id": project.id,
            "version": package.version,
            "file_id": file.id,
            "file_name": file.file_name,
            "size": file.size,
        }),
    };
    audit(tx, viewer, happened)?;
    Ok((package, file))
}

fn find_or_create(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    entered: &Entered,
    to: &Destination,
) -> Result<Package> {
    let project = &entered.project;
    let new = NewPackage {
        project_id: project.id,
        package_type: to.package_type,
        name: &to.name,
        version: to.version.as_deref(),
        status: to.status,
        creator_id: viewer.user_id(),
    };
    let added = packages::insert(tx, &new)?;
    let package = packages::find(tx, project.id, to.package_type, &to.name, new.version)?
        .ok_or_else(|| Error::internal("a package vanished within its transaction"))?;
    if added && package.is_listed() {
        packages::add_to_count(tx, project.id, 1)?;
    }
    Ok(package)
}
