//! Deleting packages and files: out of sight at once, gone by job.

use super::{protection, record_file};
use crate::access::{RegistryAccess, authorize, not_found};
use crate::activity;
use crate::cleanup::model::{Going, Rule};
use crate::client::Client;
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
use spaces::activity::Action;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use store::Tx;

/// Who deletes, and what of.
#[derive(Clone, Copy)]
pub struct Deletion<'a> {
    registry: &'a Registry,
    viewer: &'a Viewer,
    /// What may name the time after which it must not have changed.
    request: Option<&'a RequestContext>,
}

impl<'a> Deletion<'a> {
    pub fn new(
        registry: &'a Registry, viewer: &'a Viewer, request: Option<&'a RequestContext>,
    ) -> Deletion<'a> {
        Deletion { registry, viewer, request }
    }

    /// By a client, whatever has changed meanwhile.
    pub fn by(client: &'a Client) -> Deletion<'a> {
        Deletion::new(client.app.jobs(), &client.viewer, None)
    }

    /// By a client, unless it has changed after the time its request names.
    pub fn unless_changed(client: &'a Client) -> Deletion<'a> {
        Deletion::new(client.app.jobs(), &client.viewer, Some(&client.request))
    }

    /// Deletes packages of any projects, all or none, but for protected ones,
    /// which stay: whether there were such.
    pub fn packages(self, tx: &mut Tx<'_>, ids: &[i64]) -> Result<bool> {
        let mut projects: HashMap<i64, RegistryAccess> = HashMap::new();
        let mut some_stay = false;
        for id in ids {
            let project = packages::project_of(tx, *id)?.ok_or_else(not_found)?;
            let entered = match projects.entry(project) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => place.insert(self.enter(tx, project)?),
            };
            some_stay |= stays(self.package(tx, entered, *id))?;
        }
        Ok(some_stay)
    }

    fn enter(self, tx: &mut Tx<'_>, project: i64) -> Result<RegistryAccess> {
        let reference = Reference::Id(project);
        authorize(tx, self.viewer, &reference, Purpose::DestroyPackage)
    }

    /// Deletes files of a project as [`packages`](Self::packages) does; `None`
    /// when some are not in that project.
    pub fn files(
        self, tx: &mut Tx<'_>, entered: &RegistryAccess, ids: &[i64],
    ) -> Result<Option<bool>> {
        let places = files::packages_of(tx, entered.project.id, ids)?;
        if places.len() != ids.len() {
            return Ok(None);
        }
        let mut some_stay = false;
        for (file_id, package_id) in places {
            some_stay |= stays(self.file(tx, entered, (package_id, file_id)))?;
        }
        Ok(Some(some_stay))
    }

    /// Deletes a file wherever it is; whether it is protected and stays.
    pub fn file_anywhere(self, tx: &mut Tx<'_>, id: i64) -> Result<bool> {
        let (project, package) = files::place_of(tx, id)?.ok_or_else(not_found)?;
        let entered = self.enter(tx, project)?;
        stays(self.file(tx, &entered, (package, id)))
    }

    pub fn package(self, tx: &mut Tx<'_>, entered: &RegistryAccess, id: i64) -> Result<()> {
        let package = self.unprotected(tx, entered, id)?;
        self.check_unmodified(package.updated_at)?;
        packages::mark_destroyed(tx, &[package.id])?;
        if package.is_listed() {
            packages::add_to_count(tx, package.project_id, -1)?;
            activity::record(tx, self.viewer, Action::Destroyed, &package)?;
        }
        let id = package.id;
        enqueue(tx, self.registry, &Purge { package: id })?;
        if package.package_type == PackageType::Maven && package.version.is_some() {
            enqueue(tx, self.registry, &DropVersions::of(&package))?;
        }
        audit::record(
            tx,
            self.viewer,
            "package.destroy",
            ("Package", package.id, &package.name),
            json!({
                "project_id": package.project_id,
                "package_type": package.package_type,
                "version": package.version,
            }),
        )
    }

    /// Deletes one file; the package stays, even without files.
    pub fn file(
        self, tx: &mut Tx<'_>, entered: &RegistryAccess, (package_id, file_id): (i64, i64),
    ) -> Result<()> {
        let package = self.unprotected(tx, entered, package_id)?;
        let file = files::file_in(tx, package.id, file_id)?.found("Package File")?;
        self.check_unmodified(file.updated_at)?;
        files::mark_destroyed(tx, file.id)?;
        packages::touch(tx, package.id)?;
        enqueue(tx, self.registry, &PurgeFile { file: file.id })?;
        record_file(tx, self.viewer, "package_file.destroy", (&package, &file))
    }

    /// The package, whatever its state, unless it is destroyed or protected.
    fn unprotected(self, tx: &mut Tx<'_>, entered: &RegistryAccess, id: i64) -> Result<Package> {
        let package = entered.package(tx, id, |_| true)?;
        protection::check_delete(tx, entered, package.package_type, &package.name)?;
        Ok(package)
    }

    /// Refuses what changed after the time the request names, if it names one.
    fn check_unmodified(self, updated_at: Timestamp) -> Result<()> {
        self.request.map_or(Ok(()), |request| check_unmodified(request, updated_at))
    }
}

/// Who was let in for deleting is forbidden only what is protected.
fn stays(deleted: Result<()>) -> Result<bool> {
    match deleted {
        Err(Error::Forbidden(_)) => Ok(true),
        other => other.map(|()| false),
    }
}

/// Deletes versions of one project that a cleanup rule takes away, under
/// nobody's name. Who calls it has them purged.
pub fn by_rule(tx: &mut Tx<'_>, registry: &Registry, rule: &Rule, going: &[Going]) -> Result<()> {
    let Some(first) = going.first() else {
        return Ok(());
    };
    let project_id = first.standing.project_id;
    let ids: Vec<i64> = going.iter().map(|one| one.standing.id).collect();
    packages::mark_destroyed(tx, &ids)?;
    let listed = going.iter().filter(|one| one.standing.status.is_displayable());
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
