//! Finding schedules, rotations and policies for a purpose.

use super::model::{Policy, Rotation, Schedule};
use super::store::{policies, rotations, schedules};
use crate::access::Here;
use identity::viewer::Viewer;
use kernel::error::{Found, Result};
use kernel::ids::Reference;
use spaces::access::Purpose;
use store::Tx;

/// What is asked of a project to see who is on call.
pub const READ: Purpose = Purpose::ReadOnCall;
/// And to change it.
pub const CHANGE: Purpose = Purpose::Update;

/// A schedule, before somebody who may do something with it.
#[derive(Debug, Clone)]
pub struct ScheduleAccess {
    pub here: Here,
    pub schedule: Schedule,
}

impl ScheduleAccess {
    pub fn authorize(
        tx: &mut Tx<'_>, viewer: &Viewer, project: &Reference, iid: i64, purpose: Purpose,
    ) -> Result<ScheduleAccess> {
        let here = Here::authorize(tx, viewer, project, purpose)?;
        let schedule = schedules::find(tx, here.project.id, iid)?.found("On-call schedule")?;
        Ok(ScheduleAccess { here, schedule })
    }

    pub fn rotation(&self, tx: &mut Tx<'_>, id: i64) -> Result<Rotation> {
        rotations::find(tx, self.schedule.id, id)?.found("Rotation")
    }
}

pub fn policy(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Reference, id: i64, purpose: Purpose,
) -> Result<(Here, Policy)> {
    let here = Here::authorize(tx, viewer, project, purpose)?;
    let policy = policies::find(tx, here.project.id, id)?.found("Escalation policy")?;
    Ok((here, policy))
}
