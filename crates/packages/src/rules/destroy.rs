//! Deleting packages and files: out of sight at once, gone by job.

use super::protection;
use crate::access::{Entered, Happened, audit};
use crate::jobs::{Purge, PurgeFile};
use crate::model::Package;
use crate::store::{files, packages};
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::http::Asked;
use kernel::http::serve::check_unmodified;
use kernel::jobs::{Registry, enqueue};
use serde_json::json;
use store::Tx;

/// The package, whatever its state, unless it is destroyed.
pub fn any_package(tx: &mut Tx<'_>, project_id: i64, id: i64) -> Result<Package> {
    packages::package_in(tx, project_id, id)?.ok_or_else(not_found)
}

/// «Not found», as the interface words it for packages.
pub fn not_found() -> Error {
    Error::NotFoundText("Package not found".into())
}

/// Deletes a package.
pub fn package(
    tx: &mut Tx<'_>,
    registry: &Registry,
    viewer: &Viewer,
    entered: &Entered,
    asked: &Asked,
    id: i64,
) -> Result<()> {
    let package = any_package(tx, entered.project.id, id)?;
    protection::check_delete(
        tx,
        package.project_id,
        package.package_type,
        &package.name,
        entered.level,
    )?;
    check_unmodified(asked, package.updated_at)?;
    packages::mark_destroyed(tx, package.id)?;
    if package.is_listed() {
        packages::add_to_count(tx, package.project_id, -1)?;
    }
    enqueue(
        tx,
        registry,
        &Purge {
            package: package.id,
        },
    )?;
    let happened = Happened {
        action: "package.destroy",
        target_type: "Package",
        target_id: package.id,
        target_name: &package.name,
        details: json!({
            "project_id": package.project_id,
            "package_type": package.package_type,
            "version": package.version,
        }),
    };
    audit(tx, viewer, happened)
}

/// Deletes one file; the package stays, even without files.
pub fn file(
    tx: &mut Tx<'_>,
    registry: &Registry,
    viewer: &Viewer,
    entered: &Entered,
    asked: &Asked,
    (package_id, file_id): (i64, i64),
) -> Result<()> {
    let package = any_package(tx, entered.project.id, package_id)?;
    protection::check_delete(
        tx,
        package.project_id,
        package.package_type,
        &package.name,
        entered.level,
    )?;
    let file = files::file_in(tx, package.id, file_id)?.found("Package File")?;
    check_unmodified(asked, file.updated_at)?;
    files::mark_destroyed(tx, file.id)?;
    packages::touch(tx, package.id)?;
    enqueue(tx, registry, &PurgeFile { file: file.id })?;
    let happened = Happened {
        action: "package_file.destroy",
        target_type: "Package",
        target_id: package.id,
        target_name: &package.name,
        details: json!({
            "project_id": package.project_id,
            "version": package.version,
            "file_id": file.id,
            "file_name": file.file_name,
        }),
    };
    audit(tx, viewer, happened)
}
