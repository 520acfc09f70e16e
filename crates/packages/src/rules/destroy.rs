//! Deleting packages and files: out of sight at once, gone by job.

use super::protection;
use crate::access::{RegistryAccess, authorize};
use crate::cleanup::model::{Going, Rule};
use crate::model::{Package, PackageType};
use crate::store::{files, packages};
use crate::tasks::{DropVersions, Purge, PurgeFile};
use identity::viewer::Viewer;
use kernel::audit;
use kernel::audit::{AuditEvent, Author};
use kernel::error::{Error, Found, Result};
use kernel::http::RequestContext;
use kernel::http::conditional::check_unmodified;
use kernel::ids::Reference;
use kernel::jobs::{Registry, enqueue};
use kernel::time::Timestamp;
use serde_json::json;
use spaces::access::Purpose;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use store::Tx;

/// The package, whatever its state, unless it is destroyed.
pub fn any_package(tx: &mut Tx<'_>, project_id: i64, id: i64) -> Result<Package> {
    packages::package_in(tx, project_id, id)?.ok_or_else(not_found)
}

/// «Not found», as the interface words it for packages.
pub fn not_found() -> Error {
    Error::NotFoundText("Package not found".into())
}

/// Refuses what changed after the time the request names, if it names one.
fn unmodified(asked: Option<&RequestContext>, updated_at: Timestamp) -> Result<()> {
    asked.map_or(Ok(()), |asked| check_unmodified(asked, updated_at))
}

/// Deletes packages of any projects, all or none, but for protected ones,
/// which stay: whether there were such.
pub fn packages(
    tx: &mut Tx<'_>,
    registry: &Registry,
    viewer: &Viewer,
    ids: &[i64],
) -> Result<bool> {
    let mut projects: HashMap<i64, RegistryAccess> = HashMap::new();
    let mut some_stay = false;
    for id in ids {
        let project = packages::project_of(tx, *id)?.ok_or_else(not_found)?;
        let entered = match projects.entry(project) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let reference = Reference::Id(project);
                place.insert(authorize(tx, viewer, &reference, Purpose::DestroyPackage)?)
            }
        };
        some_stay |= stays(package(tx, registry, viewer, entered, None, *id))?;
    }
    Ok(some_stay)
}

/// Deletes files of a project as [`packages()`] does; `None` when some are
/// not in that project.
pub fn files(
    tx: &mut Tx<'_>,
    registry: &Registry,
    viewer: &Viewer,
    entered: &RegistryAccess,
    ids: &[i64],
) -> Result<Option<bool>> {
    let places = files::packages_of(tx, entered.project.id, ids)?;
    if places.len() != ids.len() {
        return Ok(None);
    }
    let mut some_stay = false;
    for (file_id, package_id) in places {
        let ids = (package_id, file_id);
        some_stay |= stays(file(tx, registry, viewer, entered, None, ids))?;
    }
    Ok(Some(some_stay))
}

/// Deletes a file wherever it is; whether it is protected and stays.
pub fn file_anywhere(
    tx: &mut Tx<'_>,
    registry: &Registry,
    viewer: &Viewer,
    id: i64,
) -> Result<bool> {
    let (project, package) = files::place_of(tx, id)?.ok_or_else(not_found)?;
    let reference = Reference::Id(project);
    let entered = authorize(tx, viewer, &reference, Purpose::DestroyPackage)?;
    stays(file(tx, registry, viewer, &entered, None, (package, id)))
}

/// Who was let in for deleting is forbidden only what is protected.
fn stays(deleted: Result<()>) -> Result<bool> {
    match deleted {
        Err(Error::Forbidden(_)) => Ok(true),
        other => other.map(|()| false),
    }
}

pub fn package(
    tx: &mut Tx<'_>,
    registry: &Registry,
    viewer: &Viewer,
    entered: &RegistryAccess,
    asked: Option<&RequestContext>,
    id: i64,
) -> Result<()> {
    let package = any_package(tx, entered.project.id, id)?;
    protection::check_delete(tx, entered, package.package_type, &package.name)?;
    unmodified(asked, package.updated_at)?;
    packages::mark_destroyed(tx, package.id)?;
    if package.is_listed() {
        packages::add_to_count(tx, package.project_id, -1)?;
    }
    let purge = Purge {
        package: package.id,
    };
    enqueue(tx, registry, &purge)?;
    if package.package_type == PackageType::Maven && package.version.is_some() {
        enqueue(tx, registry, &DropVersions::of(&package))?;
    }
    audit::record(
        tx,
        viewer,
        "package.destroy",
        ("Package", package.id, &package.name),
        json!({
            "project_id": package.project_id,
            "package_type": package.package_type,
            "version": package.version,
        }),
    )
}

/// Deletes versions of one project that a cleanup rule takes away, under
/// nobody's name. Who calls it has them purged.
pub fn by_rule(tx: &mut Tx<'_>, registry: &Registry, rule: &Rule, going: &[Going]) -> Result<()> {
    let Some(first) = going.first() else {
        return Ok(());
    };
    let project_id = first.standing.project_id;
    let ids: Vec<i64> = going.iter().map(|one| one.standing.id).collect();
    packages::mark_all_destroyed(tx, &ids)?;
    let listed = going
        .iter()
        .filter(|one| one.standing.status.is_displayable());
    packages::add_to_count(tx, project_id, -(listed.count() as i64))?;
    if rule.package_type == PackageType::Maven {
        let names: BTreeSet<&str> = going.iter().map(|one| &*one.standing.name).collect();
        for name in names {
            let name = name.to_owned();
            let project = project_id;
            enqueue(tx, registry, &DropVersions { project, name })?;
        }
    }
    let events = going.iter().map(|one| AuditEvent {
        action: "package.clean_up",
        target: ("Package", one.standing.id, &one.standing.name),
        details: json!({
            "project_id": project_id,
            "package_type": rule.package_type,
            "version": one.standing.version,
            "cleanup_rule_id": rule.id,
            "reasons": one.reasons,
        }),
    });
    audit::record_all(tx, Author::default(), events)
}

/// Deletes one file; the package stays, even without files.
pub fn file(
    tx: &mut Tx<'_>,
    registry: &Registry,
    viewer: &Viewer,
    entered: &RegistryAccess,
    asked: Option<&RequestContext>,
    (package_id, file_id): (i64, i64),
) -> Result<()> {
    let package = any_package(tx, entered.project.id, package_id)?;
    protection::check_delete(tx, entered, package.package_type, &package.name)?;
    let file = files::file_in(tx, package.id, file_id)?.found("Package File")?;
    unmodified(asked, file.updated_at)?;
    files::mark_destroyed(tx, file.id)?;
    packages::touch(tx, package.id)?;
    enqueue(tx, registry, &PurgeFile { file: file.id })?;
    audit::record(
        tx,
        viewer,
        "package_file.destroy",
        ("Package", package.id, &package.name),
        json!({
            "project_id": package.project_id,
            "version": package.version,
            "file_id": file.id,
            "file_name": file.file_name,
        }),
    )
}
