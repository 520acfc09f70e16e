//! Who sees schedules, and who changes which.

use super::model::Schedule;
use super::store;
use crate::pipelines::access;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use spaces::access::{DEVELOPER, MAINTAINER, level_in_project};
use spaces::model::Project;

/// A schedule of a project, for who sees its pipelines.
pub fn read(
    tx: &mut Tx<'_>, viewer: &Viewer, (reference, id): (&Reference, i64),
) -> Result<(Project, Schedule)> {
    let project = access::read(tx, viewer, reference)?;
    let schedule = of_project(tx, &project, id)?;
    Ok((project, schedule))
}

/// The same for who runs pipelines on its branch or tag.
pub fn run(
    tx: &mut Tx<'_>, viewer: &Viewer, (reference, id): (&Reference, i64),
) -> Result<(Project, Schedule)> {
    let project = access::run(tx, viewer, reference)?;
    let schedule = of_project(tx, &project, id)?;
    check_ref(tx, viewer, &project, schedule.short_ref())?;
    Ok((project, schedule))
}

/// The same for who may change it.
pub fn change(
    tx: &mut Tx<'_>, viewer: &Viewer, (reference, id): (&Reference, i64),
) -> Result<(Project, Schedule)> {
    let project = access::run(tx, viewer, reference)?;
    let schedule = of_project(tx, &project, id)?;
    match may_change(tx, viewer, &project, &schedule)? {
        true => Ok((project, schedule)),
        false => Err(Error::forbidden("")),
    }
}

/// Developers change their own, Maintainers all; who does sees the variables, too.
pub fn may_change(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, schedule: &Schedule,
) -> Result<bool> {
    let level = level_in_project(tx, viewer, project)?;
    let own = schedule.owner_id.is_some() && schedule.owner_id == viewer.user_id();
    Ok(level >= MAINTAINER || (level >= DEVELOPER && own))
}

/// Refuses who may not run pipelines on a branch or tag.
pub fn check_ref(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, on_ref: (&str, bool),
) -> Result<()> {
    match access::may_run_on(tx, viewer, project, on_ref)? {
        true => Ok(()),
        false => Err(Error::forbidden("")),
    }
}

fn of_project(tx: &mut Tx<'_>, project: &Project, id: i64) -> Result<Schedule> {
    let found = store::by_id(tx, id)?;
    found.filter(|one| one.project_id == project.id).found("Pipeline Schedule")
}
