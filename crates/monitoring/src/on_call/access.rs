//! Finding schedules, rotations and policies for a purpose.

use super::model::{Policy, Rotation, Schedule};
use super::store::{policies, rotations, schedules};
use identity::viewer::Viewer;
use kernel::error::{Found, Result};
use kernel::ids::Reference;
use spaces::Project;
use spaces::access::Purpose;
use store::Tx;

/// What is asked of a project to see who is on call.
pub const READ: Purpose = Purpose::ReadOnCall;
/// And to change it.
pub const CHANGE: Purpose = Purpose::Update;

pub fn schedule(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Reference,
    iid: i64,
    purpose: Purpose,
) -> Result<(Project, Schedule)> {
    let project = spaces::project(tx, viewer, project, purpose)?;
    let schedule = schedules::find(tx, project.id, iid)?.found("On-call schedule")?;
    Ok((project, schedule))
}

pub fn rotation(tx: &mut Tx<'_>, schedule: &Schedule, id: i64) -> Result<Rotation> {
    rotations::find(tx, schedule.id, id)?.found("Rotation")
}

pub fn policy(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Reference,
    id: i64,
    purpose: Purpose,
) -> Result<(Project, Policy)> {
    let project = spaces::project(tx, viewer, project, purpose)?;
    let policy = policies::find(tx, project.id, id)?.found("Escalation policy")?;
    Ok((project, policy))
}
