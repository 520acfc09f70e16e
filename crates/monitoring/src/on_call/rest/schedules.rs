//! On-call schedules of a project.

use super::{CHANGE, ProjectPath, READ, SchedulePath, authorize};
use crate::on_call::model::Schedule;
use crate::on_call::rules::schedules::{self as rules, Change};
use crate::on_call::store::schedules as rows;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Patch, Routes};
use kernel::ids::Reference;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;

const PATH: &str = "/projects/{id}/alert_management/oncall_schedules";
const ONE: &str = "/projects/{id}/alert_management/oncall_schedules/{schedule_iid}";

pub(super) fn routes(r: &mut Routes) {
    r.get(PATH, list)
        .summary("Lists the on-call schedules of a project");
    r.post(PATH, create).summary("Makes an on-call schedule");
    r.get(ONE, show).summary("Shows an on-call schedule");
    r.put(ONE, update).summary("Changes an on-call schedule");
    r.delete(ONE, destroy)
        .summary("Removes an on-call schedule that no escalation policy names");
}

kernel::params! {
    /// A schedule about to be made.
    pub struct CreateSchedule {
        /// The project.
        pub id: Reference,
        /// What people call it.
        pub name: String,
        /// IANA name of its time zone.
        pub timezone: String,
        /// What it is for.
        pub description: Option<String>,
    }
}

kernel::params! {
    /// What changes of a schedule.
    pub struct UpdateSchedule {
        /// The project.
        pub id: Reference,
        /// The schedule's number in the project.
        pub schedule_iid: i64,
        /// What people call it.
        pub name: Option<String>,
        /// IANA name of its time zone.
        pub timezone: Option<String>,
        /// What it is for.
        pub description: Patch<String>,
    }
}

/// A plan of who is on call.
#[derive(Serialize, JsonSchema)]
pub struct OnCallScheduleEntity {
    /// Its number.
    id: i64,
    /// Its number in the project.
    iid: i64,
    /// Its project.
    project_id: i64,
    /// What people call it.
    name: String,
    /// What it is for.
    description: Option<String>,
    /// IANA name of its time zone.
    timezone: String,
    /// When it was made.
    created_at: String,
    /// When it was changed.
    updated_at: String,
}

impl From<Schedule> for OnCallScheduleEntity {
    fn from(schedule: Schedule) -> OnCallScheduleEntity {
        OnCallScheduleEntity {
            id: schedule.id,
            iid: schedule.iid,
            project_id: schedule.project_id,
            name: schedule.name,
            description: schedule.description,
            timezone: schedule.time_zone,
            created_at: wire::text(schedule.created_at),
            updated_at: wire::text(schedule.updated_at),
        }
    }
}

/// One page of them.
async fn list(
    app: App,
    viewer: Viewer,
    path: Params<ProjectPath>,
    paging: Paging,
) -> Result<Paged<OnCallScheduleEntity>> {
    app.read(move |tx| {
        let project = spaces::project(tx, &viewer, &path.id, READ)?;
        let found = rows::list(tx, project.id, paging.fetch(), paging.offset())?;
        let total = rows::count(tx, project.id)?;
        Ok(Paged::numbered(found, paging, Some(total)).map(OnCallScheduleEntity::from))
    })
    .await
}

async fn create(
    app: App,
    viewer: Viewer,
    params: Params<CreateSchedule>,
) -> Result<Created<OnCallScheduleEntity>> {
    app.write(move |tx| {
        let project = spaces::project(tx, &viewer, &params.id, CHANGE)?;
        let new = Change {
            name: Some(params.name.clone()),
            description: params
                .description
                .clone()
                .map_or(Patch::Absent, Patch::Value),
            time_zone: Some(params.timezone.clone()),
        };
        Ok(Created(rules::create(tx, &viewer, &project, &new)?.into()))
    })
    .await
}

async fn show(
    app: App,
    viewer: Viewer,
    path: Params<SchedulePath>,
) -> Result<Ok200<OnCallScheduleEntity>> {
    app.read(move |tx| {
        let (_, schedule) = authorize(tx, &viewer, &path.id, path.schedule_iid, READ)?;
        Ok(Ok200(schedule.into()))
    })
    .await
}

async fn update(
    app: App,
    viewer: Viewer,
    params: Params<UpdateSchedule>,
) -> Result<Ok200<OnCallScheduleEntity>> {
    app.write(move |tx| {
        let (project, schedule) = authorize(tx, &viewer, &params.id, params.schedule_iid, CHANGE)?;
        let change = Change {
            name: params.name.clone(),
            description: params.description.clone(),
            time_zone: params.timezone.clone(),
        };
        let changed = rules::update(tx, &viewer, &project, &schedule, &change)?;
        Ok(Ok200(changed.into()))
    })
    .await
}

async fn destroy(app: App, viewer: Viewer, path: Params<SchedulePath>) -> Result<NoContent> {
    app.write(move |tx| {
        let (project, schedule) = authorize(tx, &viewer, &path.id, path.schedule_iid, CHANGE)?;
        rules::destroy(tx, &viewer, &project, &schedule)?;
        Ok(NoContent)
    })
    .await
}
