//! Who may enter a project's registry, told apart for people and clients.

use crate::model::{Package, Status};
use crate::store::packages;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::http::refusal;
use kernel::http::reply::{self, Response};
use kernel::ids::Reference;
use spaces::access::{
    DEVELOPER, MAINTAINER, NONE, Purpose, find_namespace, group, groups_of, level_in_project,
    project_and_level, projects_of, visible_projects,
};
use spaces::model::{Namespace, Project};
use std::collections::HashSet;
use store::{Fragment, Tx};

/// A project entered by somebody whose level there is known.
pub struct RegistryAccess {
    pub project: Project,
    /// The viewer's level: a role, 60 for administrators, 0 for nobody.
    pub level: i64,
    is_deploy: bool,
}

impl RegistryAccess {
    /// The level that counts where publishing is protected: a deploy token,
    /// though it may delete like a maintainer, publishes like a developer
    /// (docs/interface/packages.md 1.6).
    pub fn push_level(&self) -> i64 {
        if self.is_deploy {
            self.level.min(DEVELOPER)
        } else {
            self.level
        }
    }

    pub fn may_publish(&self) -> bool {
        self.level >= DEVELOPER && !self.project.archived
    }

    pub fn may_delete(&self) -> bool {
        self.level >= MAINTAINER && !self.project.archived
    }

    /// The package of this id, if it is in a state that this allows.
    pub fn package(&self, tx: &mut Tx<'_>, id: i64, allows: fn(Status) -> bool) -> Result<Package> {
        packages::package_in(tx, self.project.id, id)?
            .filter(|package| allows(package.status))
            .ok_or_else(not_found)
    }
}

/// «Not found», as the interface words it for packages.
pub fn not_found() -> Error {
    Error::NotFoundText("Package not found".into())
}

/// The project for this purpose, with the viewer's level in it.
pub fn authorize(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, purpose: Purpose,
) -> Result<RegistryAccess> {
    let (project, known) = project_and_level(tx, viewer, reference, purpose)?;
    // What is open to all was let in without asking for the level.
    let level = match known {
        NONE => level_in_project(tx, viewer, &project)?,
        level => level,
    };
    let is_deploy = matches!(viewer, Viewer::Deploy(_));
    Ok(RegistryAccess { project, level, is_deploy })
}

/// Condition on `projects`: those where this viewer may delete packages and
/// set the rules of the registry; [`authorize`] for these purposes says the same.
pub fn managed(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    let mut condition = visible_projects(tx, viewer, Purpose::ReadPackages);
    condition.raw(" and not projects.archived");
    match viewer {
        _ if viewer.is_admin() => {}
        Viewer::User(signed_in) => {
            let maintained = projects_of(tx, signed_in.user.id, MAINTAINER);
            condition.raw(" and ").append(maintained);
        }
        _ => {
            condition.raw(" and 1 = 0");
        }
    }
    condition
}

/// Those of these projects whose registries the viewer manages.
pub fn managed_of(tx: &mut Tx<'_>, viewer: &Viewer, ids: Vec<i64>) -> Result<HashSet<i64>> {
    let mut query = Fragment::new("select projects.id from projects where");
    query.in_list("projects.id", ids).raw(" and ");
    query.append(managed(tx, viewer));
    Ok(tx.query::<i64>(query)?.into_iter().collect())
}

/// The namespace at this path, if the viewer sets which duplicates it allows:
/// a group as [`group`] says, or what is their own.
pub fn namespace_for_settings(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference,
) -> Result<Namespace> {
    match find_namespace(tx, reference)? {
        Some(own) if !own.is_group() => {
            let is_owner = own.owner_id.is_some() && own.owner_id == viewer.user_id();
            match is_owner || viewer.is_admin() {
                true => Ok(own),
                false => Err(Error::NotFound("Namespace")),
            }
        }
        _ => group(tx, viewer, reference, Purpose::ManagePackageSettings),
    }
}

/// Those of these namespaces whose duplicate settings the viewer sees and
/// sets; see [`namespace_for_settings`].
pub fn settled_of(tx: &mut Tx<'_>, viewer: &Viewer, ids: Vec<i64>) -> Result<HashSet<i64>> {
    let mut query = Fragment::new("select namespaces.id from namespaces where");
    query.in_list("namespaces.id", ids);
    match viewer {
        _ if viewer.is_admin() => {}
        Viewer::User(signed_in) => {
            let user_id = signed_in.user.id;
            query
                .push(" and (namespaces.owner_id = ", user_id)
                .raw(" or ")
                .append(groups_of(tx, user_id, MAINTAINER))
                .raw(")");
        }
        _ => return Ok(HashSet::new()),
    }
    Ok(tx.query::<i64>(query)?.into_iter().collect())
}

/// What a client of a registry gets to see: somebody without credentials is
/// asked for them whenever they are refused, so that what exists does not
/// show (docs/interface/packages.md 1.5; Maven and others send credentials only when asked).
pub fn for_client(error: Error, is_stranger: bool) -> Result<Response> {
    match error {
        Error::Unauthenticated | Error::Forbidden(_) | Error::NotFound("Project" | "Group")
            if is_stranger =>
        {
            challenge()
        }
        other => Err(other),
    }
}

fn challenge() -> Result<Response> {
    let error = Error::Unauthenticated;
    let status = refusal::status(&error);
    let body = serde_json::json!({"message": refusal::message(status, &error)});
    let mut response = reply::json(status, &body)?;
    response.headers_mut().insert(
        http::header::WWW_AUTHENTICATE,
        http::HeaderValue::from_static("Basic realm=\"Package registry\""),
    );
    Ok(response)
}
