//! `…/-/oncall_schedules`: the schedules of a project, and who is on call.

use super::line::{Line, line};
use super::views::{ScheduleForm, ScheduleList, ScheduleRow};
use super::{may_change, zones};
use crate::on_call::access::{CHANGE, READ};
use crate::on_call::model::{Participant, Rotation, Schedule};
use crate::on_call::rules::paging::on_call;
use crate::on_call::rules::schedules::{self as rules, ScheduleInput};
use crate::on_call::store::{rotations, schedules as rows};
use identity::entities::load_basic;
use identity::model::User;
use identity::pages::page;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::{Page, Pages};
use kernel::http::{Paging, Params, Patch, Response};
use kernel::time::Timestamp;
use spaces::pages::Visit;
use std::collections::HashMap;
use store::Tx;

const SHOWN: i64 = 10;
/// Shifts drawn of a rotation.
const DRAWN: usize = 120;

kernel::params! {
    pub struct Form {
        pub name: Option<String>,
        pub timezone: Option<String>,
        pub description: Option<String>,
    }
}

impl Form {
    pub(super) fn input(&self) -> ScheduleInput {
        ScheduleInput {
            name: Some(self.name.clone().unwrap_or_default()),
            timezone: self.timezone.clone(),
            description: self.description.clone().map_or(Patch::Null, Patch::Value),
        }
    }

    pub(super) fn typed(&self) -> ScheduleForm {
        ScheduleForm {
            name: self.name.clone().unwrap_or_default(),
            description: self.description.clone().unwrap_or_default(),
            time_zone: self.timezone.clone().unwrap_or_default(),
            zones: Vec::new(),
        }
    }
}

/// What rows of schedules refer to, read by four statements.
pub(super) struct RelatedToSchedules {
    pub(super) rotations: Vec<Rotation>,
    pub(super) people: Vec<Participant>,
    pub(super) users: HashMap<i64, User>,
    now: HashMap<i64, Vec<i64>>,
}

impl RelatedToSchedules {
    pub(super) fn read(tx: &mut Tx<'_>, schedules: &[Schedule]) -> Result<RelatedToSchedules> {
        let now = tx.now();
        let ids: Vec<i64> = schedules.iter().map(|one| one.id).collect();
        let found = rotations::of_schedules(tx, &ids)?;
        let all: Vec<i64> = found.iter().map(|one| one.id).collect();
        let people = rotations::participants(tx, &all)?;
        let named: Vec<i64> = people.iter().map(|one| one.user_id).collect();
        Ok(RelatedToSchedules {
            users: load_basic(tx, &named)?,
            now: on_call(tx, &ids, now)?,
            rotations: found,
            people,
        })
    }

    pub(super) fn name(&self, user: i64) -> Option<String> {
        self.users.get(&user).map(|user| user.username.clone())
    }

    /// A schedule as a row, with the lines of its rotations.
    pub(super) fn row(
        &self,
        schedule: &Schedule,
        all: &str,
        now: Timestamp,
        drawn: usize,
    ) -> ScheduleRow {
        let own = self.rotations.iter();
        let own = own.filter(|one| one.schedule_id == schedule.id);
        let lines: Vec<Line> = own
            .map(|one| line(schedule, one, &self.people, &self.users, now, drawn))
            .collect();
        let on_call = self.now.get(&schedule.id).into_iter().flatten();
        ScheduleRow {
            name: schedule.name.clone(),
            url: format!("{all}/{}", schedule.iid),
            description: schedule.description.clone().unwrap_or_default(),
            time_zone: schedule.time_zone.clone(),
            now: on_call.filter_map(|id| self.name(*id)).collect(),
            lines,
        }
    }
}

/// A page of the list; the first has number 0.
#[derive(Clone)]
struct Schedules {
    visit: Visit,
    number: i64,
}

pub(super) async fn show(app: App, visit: Visit, paging: Paging) -> Result<Response> {
    let number = paging.offset() / paging.per_page.max(1);
    form::show(&app, Schedules { visit, number }).await
}

pub(super) async fn create(app: App, visit: Visit, form: Params<Form>) -> Result<Response> {
    form::submit(&app, Schedules { visit, number: 0 }, form.0).await
}

impl FormPage for Schedules {
    type Form = Form;
    type View = ScheduleList;
    const FIELDS: &'static [&'static str] = &["name", "timezone", "description"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "On-call schedules")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<ScheduleList> {
        let space = self.visit.authorize(tx, READ)?;
        let project = space.project()?;
        let url = format!("{}/-/oncall_schedules", space.url());
        let offset = self.number.saturating_mul(SHOWN);
        let found = rows::list(tx, project.id, SHOWN, offset)?;
        let related = RelatedToSchedules::read(tx, &found)?;
        let now = tx.now();
        let row = |one: &Schedule| related.row(one, &url, now, DRAWN);
        let mut form = typed.form.as_ref().map(Form::typed).unwrap_or_default();
        form.zones = zones();
        if form.time_zone.is_empty() {
            form.time_zone = "UTC".to_owned();
        }
        Ok(ScheduleList {
            can_change: may_change(&space),
            schedules: found.iter().map(row).collect(),
            pages: Pages {
                page: self.number.unsigned_abs() + 1,
                per_page: SHOWN.unsigned_abs(),
                total: rows::count(tx, project.id)?.unsigned_abs(),
                url: url.clone(),
            },
            form,
            errors: typed.errors.clone(),
            page: space.crumbs(page, true),
            head: space.head(tx, &self.visit.viewer)?,
            url,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let space = self.visit.authorize(tx, CHANGE)?;
        let made = rules::create(tx, &self.visit.viewer, space.project()?, &form.input())?;
        let url = format!("{}/-/oncall_schedules/{}", space.url(), made.iid);
        Outcome::led(url, "The schedule is made. Add who takes turns.")
    }
}
