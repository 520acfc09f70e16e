//! `…/-/oncall_schedules`: the schedules of a project, and who is on call.

use super::roster::{Days, roster};
use super::views::{ScheduleList, ScheduleRow};
use super::{may_change, zones};
use crate::access::Here;
use crate::on_call::access::{CHANGE, READ};
use crate::on_call::model::{Rotation, Schedule};
use crate::on_call::related::RelatedToRotations;
use crate::on_call::rules::paging::on_call;
use crate::on_call::rules::schedules::{self as rules, ScheduleInput};
use crate::on_call::store::{rotations, schedules as rows};
use identity::pages::page;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::{Page, Pages};
use kernel::http::{Paging, Params, Patch, Response, Text};
use spaces::pages::{Section, Visit};
use std::collections::HashMap;
use store::Tx;

const SHOWN: i64 = 10;
/// Turns that are drawn of all of them.
const DRAWN: usize = 300;

kernel::params! {
    #[derive(Default)]
    pub struct Form {
        pub name: Text,
        pub timezone: Option<String>,
        pub description: Text,
    }
}

impl Form {
    /// The form of a schedule as it is stored.
    pub(super) fn of(schedule: &Schedule) -> Form {
        Form {
            name: Text(schedule.name.clone()),
            timezone: Some(schedule.time_zone.clone()),
            description: Text(schedule.description.clone().unwrap_or_default()),
        }
    }

    pub(super) fn zone(&self) -> &str {
        self.timezone.as_deref().unwrap_or_default()
    }

    pub(super) fn input(&self) -> ScheduleInput {
        ScheduleInput {
            name: Some(self.name.0.clone()),
            timezone: self.timezone.clone(),
            description: Patch::Value(self.description.0.clone()),
        }
    }
}

/// What rows of schedules refer to, read by four statements.
pub(super) struct RelatedToSchedules {
    pub(super) rotations: Vec<Rotation>,
    pub(super) turns: RelatedToRotations,
    now: HashMap<i64, Vec<i64>>,
}

impl RelatedToSchedules {
    pub(super) fn read(tx: &mut Tx<'_>, schedules: &[Schedule]) -> Result<RelatedToSchedules> {
        let now = tx.now();
        let ids: Vec<i64> = schedules.iter().map(|one| one.id).collect();
        let found = rotations::of_schedules(tx, &ids)?;
        Ok(RelatedToSchedules {
            turns: RelatedToRotations::read(tx, &found)?,
            now: on_call(tx, &ids, now)?,
            rotations: found,
        })
    }

    /// Sign-in names of who takes turns in a rotation, in their order.
    pub(super) fn people_of(&self, rotation: &Rotation) -> Vec<String> {
        let people = self.turns.of(rotation);
        people.map(|(_, user)| user.username.clone()).collect()
    }

    /// Sign-in names of who is on call by a schedule now.
    pub(super) fn on_call(&self, schedule: &Schedule) -> Vec<String> {
        let on_call = self.now.get(&schedule.id).into_iter().flatten();
        let users = on_call.filter_map(|id| self.turns.users.get(id));
        users.map(|user| user.username.clone()).collect()
    }

    /// A schedule as a row, with its rotations drawn in so many turns.
    fn row(&self, schedule: Schedule, days: Days, most: usize) -> ScheduleRow {
        let own = self.rotations.iter();
        let own: Vec<&Rotation> = own.filter(|one| one.schedule_id == schedule.id).collect();
        ScheduleRow {
            now: self.on_call(&schedule),
            roster: roster(&schedule, &own, &self.turns, days, most),
            schedule,
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
        let mut form = typed.form.clone().unwrap_or_default();
        if form.zone().is_empty() {
            form.timezone = Some("UTC".to_owned());
        }
        let most = DRAWN / found.len().max(1);
        let first_day = page.preferences().first_day;
        let row = |one: Schedule| {
            let days = Days::of(&one, None, first_day, now);
            related.row(one, days, most)
        };
        let head = space.head(tx, &self.visit.viewer)?;
        Ok(ScheduleList {
            can_change: may_change(&space),
            schedules: found.into_iter().map(row).collect(),
            pages: Pages::new(self.number + 1, SHOWN, rows::count(tx, project.id)?, url.clone()),
            form,
            zones: zones(),
            errors: typed.errors.clone(),
            page: head.page(page, Section::OnCall),
            head,
            url,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let space = self.visit.authorize(tx, CHANGE)?;
        let here = Here::new(&self.visit.viewer, space.project()?);
        let made = rules::create(tx, &here, &form.input())?;
        let url = format!("{}/-/oncall_schedules/{}", space.url(), made.iid);
        Outcome::led(url, "Schedule created. Add who takes turns.")
    }
}
