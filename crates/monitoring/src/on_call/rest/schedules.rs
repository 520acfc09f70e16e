//! On-call schedules of a project.

use super::{ProjectPath, SchedulePath};
use crate::access::Here;
use crate::on_call::access::{CHANGE, READ};
use crate::on_call::model::Schedule;
use crate::on_call::rules::schedules::{self as rules, ScheduleInput};
use crate::on_call::store::schedules as rows;
use identity::Caller;
use kernel::error::Result;
use kernel::http::params::Flat;
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Routes};

const PATH: &str = "/projects/{id}/alert_management/oncall_schedules";
const ONE: &str = "/projects/{id}/alert_management/oncall_schedules/{schedule_iid}";

pub(super) fn routes(r: &mut Routes) {
    r.get(PATH, list).summary("Lists the on-call schedules of a project");
    r.post(PATH, create).summary("Makes an on-call schedule");
    r.get(ONE, show).summary("Shows an on-call schedule");
    r.put(ONE, update).summary("Changes an on-call schedule");
    r.delete(ONE, destroy)
        .summary("Removes an on-call schedule that no escalation policy names");
}

kernel::params! {
    pub struct CreateSchedule {
        pub at: Flat<ProjectPath>,
        /// What people call it.
        pub name: String,
        /// IANA name of its time zone.
        pub timezone: String,
        /// What it is for.
        pub description: Option<String>,
    }
}

impl CreateSchedule {
    fn input(&self) -> ScheduleInput {
        ScheduleInput {
            name: Some(self.name.clone()),
            timezone: Some(self.timezone.clone()),
            description: self.description.clone().into(),
        }
    }
}

kernel::params! {
    pub struct UpdateSchedule {
        pub at: Flat<SchedulePath>,
        pub change: Flat<ScheduleInput>,
    }
}

async fn list(by: Caller, path: Params<ProjectPath>, paging: Paging) -> Result<Paged<Schedule>> {
    by.read(move |tx, by| {
        let project = spaces::project(tx, &by.viewer, &path.id, READ)?;
        rows::page(tx, project.id, paging)
    })
    .await
}

async fn create(by: Caller, params: Params<CreateSchedule>) -> Result<Created<Schedule>> {
    by.write(move |tx, by| {
        let here = Here::authorize(tx, &by.viewer, &params.at.id, CHANGE)?;
        Ok(Created(rules::create(tx, &here, &params.input())?))
    })
    .await
}

async fn show(by: Caller, path: Params<SchedulePath>) -> Result<Ok200<Schedule>> {
    by.read(move |tx, by| Ok(Ok200(path.authorize(tx, by, READ)?.schedule))).await
}

async fn update(by: Caller, params: Params<UpdateSchedule>) -> Result<Ok200<Schedule>> {
    by.write(move |tx, by| {
        let on = params.at.authorize(tx, by, CHANGE)?;
        Ok(Ok200(rules::update(tx, &on, &params.change)?))
    })
    .await
}

async fn destroy(by: Caller, path: Params<SchedulePath>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let on = path.authorize(tx, by, CHANGE)?;
        rules::destroy(tx, &on)?;
        Ok(NoContent)
    })
    .await
}
