//! REST of the area.

mod policies;
mod rotations;
mod schedules;

pub use rotations::{hours, span};

use crate::on_call::model::Schedule;
use crate::on_call::store::schedules as rows;
use identity::viewer::Viewer;
use kernel::error::{Found, Result};
use kernel::http::Routes;
use kernel::ids::Reference;
use spaces::Project;
use spaces::access::Purpose;
use store::Tx;

pub(super) fn routes(r: &mut Routes) {
    schedules::routes(r);
    rotations::routes(r);
    policies::routes(r);
}

/// What is asked of a project to see who is on call.
const READ: Purpose = Purpose::ReadOnCall;
/// And to change it.
const CHANGE: Purpose = Purpose::Update;

kernel::params! {
    /// A project.
    pub struct ProjectPath {
        /// The project.
        pub id: Reference,
    }
}

kernel::params! {
    /// A schedule.
    pub struct SchedulePath {
        /// The project.
        pub id: Reference,
        /// The schedule's number in the project.
        pub schedule_iid: i64,
    }
}

/// The project with the schedule of this number.
fn authorize(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Reference,
    iid: i64,
    purpose: Purpose,
) -> Result<(Project, Schedule)> {
    let project = spaces::project(tx, viewer, project, purpose)?;
    let schedule = rows::find(tx, project.id, iid)?.found("On-call schedule")?;
    Ok((project, schedule))
}
