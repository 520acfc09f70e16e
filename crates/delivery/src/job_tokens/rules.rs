//! Whose jobs a project lets in, and Maintainers who say so.

use super::store;
use crate::pipelines::store::settings as of_projects;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use serde_json::json;
use spaces::SpaceId;
use spaces::access::{self, Purpose, find_project};
use spaces::model::Project;
use spaces::rules::of_project;

/// Projects and groups that a project lists.
const MOST: i64 = 200;

/// Whether the jobs of a project have the rights of their users in another one.
pub fn may_enter(tx: &mut Tx<'_>, own: i64, project: &Project) -> Result<bool> {
    if own == project.id || !of_projects::of_project(tx, project.id)?.limits_job_tokens {
        return Ok(true);
    }
    let Some(home) = find_project(tx, &Reference::Id(own))? else {
        return Ok(false);
    };
    store::lists(tx, project.id, own, home.ancestors())
}

/// Whether only listed projects enter, from now on.
pub fn limit(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, limits: bool) -> Result<()> {
    let mut settings = of_projects::of_project(tx, project.id)?;
    settings.limits_job_tokens = limits;
    of_projects::write(tx, project.id, &settings)?;
    let details = json!({"inbound_enabled": limits});
    audit::record(tx, viewer, "job_token_scope.update", of_project(project), details)
}

/// Lists a project or group that the viewer sees.
///
/// # Errors
///
/// 404 for what they do not see, 400 where it is listed or there are too many.
pub fn add(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, target: SpaceId) -> Result<()> {
    let hidden = |error: Error, thing: &'static str| match error {
        Error::NotFound(_) | Error::Unauthenticated | Error::Moved(_) => Error::NotFound(thing),
        other => other,
    };
    match target {
        SpaceId::Project(id) => access::project(tx, viewer, &Reference::Id(id), Purpose::Read)
            .map(drop)
            .map_err(|error| hidden(error, "target_project_id"))?,
        SpaceId::Group(id) => access::group(tx, viewer, &Reference::Id(id), Purpose::Read)
            .map(drop)
            .map_err(|error| hidden(error, "target_group_id"))?,
    }
    if store::count(tx, project.id)? >= MOST {
        let text = format!("exceeds the limit of {MOST} projects and groups");
        return Err(Error::BadRequest(format!("The job token allowlist {text}")));
    }
    let is_own = target == SpaceId::Project(project.id);
    if is_own || !store::insert(tx, project.id, target)? {
        let text = "This is already in the job token allowlist";
        return Err(Error::BadRequest(text.into()));
    }
    record(tx, viewer, "job_token_scope.add", project, target)
}

/// Lists one no more.
///
/// # Errors
///
/// 404 for what is not listed, 400 for the project itself.
pub fn remove(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, target: SpaceId) -> Result<()> {
    if target == SpaceId::Project(project.id) {
        let text = "The project itself is always in its job token allowlist";
        return Err(Error::BadRequest(text.into()));
    }
    if !store::delete(tx, project.id, target)? {
        return Err(Error::NotFound(match target {
            SpaceId::Project(_) => "target_project_id",
            SpaceId::Group(_) => "target_group_id",
        }));
    }
    record(tx, viewer, "job_token_scope.remove", project, target)
}

fn record(
    tx: &mut Tx<'_>, viewer: &Viewer, action: &'static str, project: &Project, target: SpaceId,
) -> Result<()> {
    let details = match target {
        SpaceId::Project(id) => json!({"target_project_id": id}),
        SpaceId::Group(id) => json!({"target_group_id": id}),
    };
    audit::record(tx, viewer, action, of_project(project), details)
}
