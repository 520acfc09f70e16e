//! Forks: projects made of others, and what holds between the two.

use super::projects::{check_limit, create_project, own_namespace, reread};
use super::{ProjectChange, namespace_for_projects, of_project};
use crate::access::{self, GUEST, Purpose};
use crate::features::Features;
use crate::hooks::{self, ForkedCode};
use crate::model::{Project, Visibility};
use crate::store::forks as rows;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::audit;
use kernel::error::{Error, Result};
use kernel::http::{Flat, Patch};
use kernel::ids::Reference;
use kernel::limits::Limiter;
use serde_json::json;
use store::Tx;

/// Forks of a user, counted: 50 an hour.
struct Forks(Limiter);

impl Default for Forks {
    fn default() -> Forks {
        Forks(Limiter::new("forks", 50, 3600))
    }
}

/// Counts a fork that somebody asks for, and refuses one too many.
pub fn count_fork(app: &App, viewer: &Viewer) -> Result<()> {
    let key = viewer.signed_in()?.user.id.to_string();
    let decision = app.kept::<Forks>().0.check(&key, app.now());
    match decision.allowed {
        true => Ok(()),
        false => Err(Error::Limited(decision.retry_after)),
    }
}

kernel::params! {
    /// What a fork shall be; what is absent is as it is of the source.
    #[derive(Default)]
    pub struct ForkInput {
        /// Id of the namespace it stands in; the viewer's own unless given.
        pub namespace_id: Option<i64>,
        /// Path of that namespace.
        pub namespace_path: Option<String>,
        /// Id or path of that namespace, by its old name.
        pub namespace: Option<Reference>,
        /// Display name.
        pub name: Option<String>,
        /// Last part of its address.
        pub path: Option<String>,
        /// What it is for.
        pub description: Option<String>,
        /// Who sees it; no more than see its source and its namespace.
        pub visibility: Option<Visibility>,
        /// The only branch that it gets; all unless given.
        pub branches: Option<String>,
        /// Its merge requests are for itself unless they say otherwise.
        pub mr_default_target_self: Option<bool>,
    }
}

/// Whether the viewer may fork a project that they see.
pub fn may_fork(tx: &mut Tx<'_>, viewer: &Viewer, source: &Project) -> Result<bool> {
    let reads = access::may(tx, viewer, source, Purpose::DownloadCode)?;
    if viewer.user_id().is_none() || !reads {
        return Ok(false);
    }
    Ok(match source.feature("forking") {
        "disabled" => false,
        "private" => access::level_in_project(tx, viewer, source)? >= GUEST,
        _ => true,
    })
}

/// Makes a fork, with its code.
///
/// # Errors
///
/// `Forbidden` if the source may not be forked, `NotFound` of the target or the branch,
/// and those of a new project.
pub fn fork_project(
    tx: &mut Tx<'_>, viewer: &Viewer, source: &Project, input: &ForkInput,
) -> Result<Project> {
    let user = &viewer.signed_in()?.user;
    if !may_fork(tx, viewer, source)? {
        return Err(Error::forbidden(""));
    }
    let by_path = input.namespace_path.clone().map(Reference::Path);
    let named = input.namespace_id.map(Reference::Id).or(by_path);
    let wanted = match named.or(input.namespace.clone()) {
        Some(reference) => reference,
        None => Reference::Id(own_namespace(tx, user.id).map_err(of_target)?),
    };
    let home = namespace_for_projects(tx, viewer, &wanted).map_err(of_target)?;
    if home.owner_id == Some(user.id) {
        check_limit(tx, user, home.id)?;
    }
    let visibility = input.visibility.map_or(source.visibility, Visibility::level);
    let widest = access::widest_below(Some(&home)).min(source.visibility);
    let present = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let branch = present(&input.branches);
    let description = input.description.clone().or(source.description.clone());
    let change = ProjectChange {
        name: present(&input.name).or(Some(source.name.clone())),
        path: present(&input.path).or(Some(source.path.clone())),
        description: description.map_or(Patch::Absent, Patch::Value),
        visibility: Some(Visibility::of(visibility.min(widest))),
        lfs_enabled: Some(source.lfs_enabled),
        mr_default_target_self: input.mr_default_target_self,
        features: Flat(Features(source.features.0.clone())),
        ..ProjectChange::default()
    };
    let made = create_project(tx, viewer, &home, user.id, &change)?;
    rows::link(tx, made.id, source)?;
    if let Some(copy) = hooks::get(tx)?.fork_code {
        copy(tx, ForkedCode { source, fork: &made, branch: branch.as_deref() })?;
    }
    let details = json!({"from": source.full_path});
    audit::record(tx, viewer, "project.fork", of_project(&made), details)?;
    reread(tx, made.id)
}

fn of_target(error: Error) -> Error {
    match error {
        Error::NotFound(_) => Error::NotFound("Target Namespace"),
        other => other,
    }
}

/// Declares a project a fork of another.
///
/// # Errors
///
/// `Conflict` if it belongs to a network of forks already.
pub fn link_fork(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, source: &Reference,
) -> Result<Project> {
    let project = access::project(tx, viewer, reference, Purpose::ManageFork)?;
    let source =
        access::project(tx, viewer, source, Purpose::Read).map_err(|error| match error {
            Error::NotFound(_) | Error::Moved(_) => Error::NotFound("Source Project"),
            other => other,
        })?;
    if !may_fork(tx, viewer, &source)? {
        return Err(Error::forbidden(""));
    }
    if project.id == source.id || project.is_fork() || project.forks_count > 0 {
        return Err(Error::Conflict("Project already forked".into()));
    }
    rows::link(tx, project.id, &source)?;
    rows::narrow(tx, source.id, source.visibility)?;
    let details = json!({"from": source.full_path});
    audit::record(tx, viewer, "project.fork_link", of_project(&project), details)?;
    reread(tx, project.id)
}

/// Declares a project no fork any more; false if it is none.
pub fn unlink_fork(tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference) -> Result<bool> {
    let project = access::project(tx, viewer, reference, Purpose::ManageFork)?;
    if !project.is_fork() {
        return Ok(false);
    }
    rows::unlink(tx, &project)?;
    audit::record(tx, viewer, "project.fork_unlink", of_project(&project), json!({}))?;
    Ok(true)
}

/// Refuses that a fork is seen by more than its source.
pub(super) fn check_visibility(tx: &mut Tx<'_>, fork: &Project, wanted: Visibility) -> Result<()> {
    let source = match fork.forked_from_id {
        Some(id) => access::find_project(tx, &Reference::Id(id))?,
        None => None,
    };
    match source.is_some_and(|source| wanted.level() > source.visibility) {
        false => Ok(()),
        true => Err(Error::invalid(
            "visibility_level",
            format!("{wanted} is not allowed since the fork source project has lower visibility."),
        )),
    }
}
