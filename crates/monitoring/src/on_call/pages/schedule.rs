//! `…/-/oncall_schedules/<number>`: one schedule and its rotations.

use super::roster::{Days, dated, roster};
use super::schedules::{self, RelatedToSchedules};
use super::views::{OneSchedule, RotationRow};
use super::{may_change, zones};
use crate::access::Here;
use crate::on_call::access::{CHANGE, READ, ScheduleAccess};
use crate::on_call::model::{Clock, MAX_PARTICIPANTS, Period, Plan, Rotation, Schedule, Unit};
use crate::on_call::rules::rotations::{self, RotationInput};
use crate::on_call::rules::schedules as schedule_rules;
use crate::on_call::store::schedules as rows;
use crate::on_call::zones::{instant, zone};
use identity::pages::page;
use identity::users::find_by_username;
use jiff::Timestamp;
use jiff::civil::DateTime;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::{Choice, count};
use kernel::http::params::Flat;
use kernel::http::{Params, Response, Text};
use spaces::access::Purpose;
use spaces::pages::{Section, Space, Visit};
use store::Tx;

/// Turns that are drawn.
const DRAWN: usize = 400;
const UNITS: &[(&str, &str)] = &[("hours", "Hours"), ("days", "Days"), ("weeks", "Weeks")];

kernel::choices! {
    pub enum Action {
        Save = "save",
        Remove = "remove",
        /// To add or change a rotation.
        Rotate = "rotate",
        Drop = "drop",
    }
}

kernel::params! {
    /// The forms: of the schedule, or of one of its rotations.
    pub struct Form {
        pub schedule_iid: i64,
        pub action: Action,
        pub schedule: Flat<schedules::Form>,
        pub rotation: Flat<RotationFields>,
    }
}

kernel::params! {
    #[derive(Default)]
    pub struct RotationFields {
        /// The rotation that changes; a new one if blank.
        pub rotation_id: Option<i64>,
        pub rotation_name: Text,
        /// By clocks of the schedule's time zone, like `ends_at`.
        pub starts_at: Text,
        pub ends_at: Text,
        pub length: Text,
        pub length_unit: Option<Unit>,
        pub active_from: Text,
        pub active_until: Text,
        /// Sign-in names.
        pub participants: Text,
    }
}

kernel::params! {
    /// A schedule, which days of it are drawn, and which of its rotations is in
    /// the form.
    pub struct OnePage {
        pub schedule_iid: i64,
        pub week: Option<String>,
        pub rotation: Option<i64>,
    }
}

#[derive(Clone)]
struct SchedulePage {
    visit: Visit,
    iid: i64,
    /// A day of the first week that is drawn.
    week: Option<String>,
    chosen: Option<i64>,
}

pub(super) async fn show(app: App, visit: Visit, path: Params<OnePage>) -> Result<Response> {
    let (iid, week, chosen) = (path.schedule_iid, path.week.clone(), path.rotation);
    let page = SchedulePage { visit, iid, week, chosen };
    form::show(&app, page).await
}

pub(super) async fn change(app: App, visit: Visit, form: Params<Form>) -> Result<Response> {
    let page = SchedulePage { visit, iid: form.schedule_iid, week: None, chosen: None };
    form::submit(&app, page, form.0).await
}

impl SchedulePage {
    fn authorize(&self, tx: &mut Tx<'_>, purpose: Purpose) -> Result<(Space, ScheduleAccess)> {
        let space = self.visit.authorize(tx, purpose)?;
        let here = Here::new(&self.visit.viewer, space.project()?);
        let schedule = rows::find(tx, here.project.id, self.iid)?;
        let schedule = schedule.found("On-call schedule")?;
        Ok((space, ScheduleAccess { here, schedule }))
    }
}

impl FormPage for SchedulePage {
    type Form = Form;
    type View = OneSchedule;
    const FIELDS: &'static [&'static str] = &[
        "name",
        "timezone",
        "description",
        "rotation_name",
        "starts_at",
        "ends_at",
        "length",
        "length_unit",
        "active_from",
        "participants",
    ];

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "On-call schedule")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<OneSchedule> {
        let (space, on) = self.authorize(tx, READ)?;
        let schedule = on.schedule;
        let all = format!("{}/-/oncall_schedules", space.url());
        let related = RelatedToSchedules::read(tx, std::slice::from_ref(&schedule))?;
        let now = tx.now();
        let rotations: Vec<&Rotation> = related.rotations.iter().collect();
        let first_day = page.preferences().first_day;
        let days = Days::of(&schedule, self.week.as_deref(), first_day, now);
        let sent = |action| typed.form.as_ref().filter(|form| form.action == action);
        let head = space.head(tx, &self.visit.viewer)?;
        let mut page = head.page_below(page, Section::OnCall);
        page.title = schedule.name.clone();
        Ok(OneSchedule {
            page,
            can_change: may_change(&space),
            url: format!("{all}/{}", self.iid),
            roster: roster(&schedule, &rotations, &related.turns, days, DRAWN),
            rotations: rotations.iter().map(|one| row(one, &schedule, &related)).collect(),
            form: match sent(Action::Save) {
                Some(form) => form.schedule.0.clone(),
                None => schedules::Form::of(&schedule),
            },
            zones: zones(),
            rotation: match sent(Action::Rotate) {
                Some(form) => form.rotation.0.clone(),
                None => RotationFields::of(&schedule, &related, self.chosen),
            },
            units: Choice::list(UNITS),
            now: related.on_call(&schedule),
            schedule,
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let (space, on) = self.authorize(tx, CHANGE)?;
        let all = format!("{}/-/oncall_schedules", space.url());
        let own = format!("{all}/{}", on.schedule.iid);
        match form.action {
            Action::Save => {
                schedule_rules::update(tx, &on, &form.schedule.input())?;
                Outcome::led(own, "Schedule saved.")
            }
            Action::Remove => {
                schedule_rules::destroy(tx, &on)?;
                Outcome::led(all, "Schedule removed.")
            }
            Action::Rotate => {
                let text = rotate(tx, &on, &form.rotation).map_err(in_form)?;
                Outcome::led(own, text)
            }
            Action::Drop => {
                let id = form.rotation.rotation_id;
                let rotation = on.rotation(tx, id.ok_or_else(|| Error::missing("rotation_id"))?)?;
                rotations::destroy(tx, &on, &rotation)?;
                Outcome::led(own, "Rotation removed.")
            }
        }
    }
}

fn rotate(tx: &mut Tx<'_>, on: &ScheduleAccess, form: &RotationFields) -> Result<&'static str> {
    let input = form.input(tx, &on.schedule)?;
    let Some(id) = form.rotation_id else {
        rotations::create(tx, on, &input.whole()?)?;
        return Ok("Rotation added.");
    };
    let rotation = on.rotation(tx, id)?;
    rotations::update(tx, on, &rotation, &input)?;
    Ok("Rotation saved.")
}

/// A refusal of a rotation beside the fields of its form.
fn in_form(error: Error) -> Error {
    let error = form::rename(error, "name", "rotation_name");
    form::rename(error, "active_period", "active_from")
}

fn row(one: &Rotation, schedule: &Schedule, related: &RelatedToSchedules) -> RotationRow {
    RotationRow {
        id: one.id,
        name: one.name.clone(),
        plan: plan(&one.plan, schedule),
        people: related.people_of(one),
    }
}

/// How turns are taken, in words.
fn plan(plan: &Plan, schedule: &Schedule) -> String {
    let zone = zone(&schedule.time_zone);
    let unit = plan.length_unit.as_str().trim_end_matches('s');
    let length = count(plan.length.unsigned_abs(), unit);
    let mut text = format!("Turns of {length} from {}", dated(plan.starts_at, &zone));
    if let Some(end) = plan.ends_at {
        text.push_str(&format!(" to {}", dated(end, &zone)));
    }
    if let Some(Period { start_time, end_time }) = plan.active_period {
        text.push_str(&format!(", on call from {start_time} to {end_time}"));
    }
    text
}

impl RotationFields {
    /// The form of a rotation as it is stored; an empty one without.
    fn of(schedule: &Schedule, related: &RelatedToSchedules, id: Option<i64>) -> RotationFields {
        let found = related.rotations.iter().find(|one| Some(one.id) == id);
        let Some(one) = found else {
            return RotationFields { length: Text("1".into()), ..RotationFields::default() };
        };
        let zone = zone(&schedule.time_zone);
        let local = |at: Timestamp| {
            let at = at.to_zoned(zone.clone());
            Text(at.strftime("%Y-%m-%dT%H:%M").to_string())
        };
        let plan = &one.plan;
        let hours = |of: fn(Period) -> Clock| {
            let shown = plan.active_period.map(|period| of(period).to_string());
            Text(shown.unwrap_or_default())
        };
        RotationFields {
            rotation_id: id,
            rotation_name: Text(one.name.clone()),
            starts_at: local(plan.starts_at),
            ends_at: plan.ends_at.map(local).unwrap_or_default(),
            length: Text(plan.length.to_string()),
            length_unit: Some(plan.length_unit),
            active_from: hours(|period| period.start_time),
            active_until: hours(|period| period.end_time),
            participants: Text(related.people_of(one).join(" ")),
        }
    }

    pub(super) fn unit(&self) -> Unit {
        self.length_unit.unwrap_or(Unit::Weeks)
    }

    fn input(&self, tx: &mut Tx<'_>, schedule: &Schedule) -> Result<RotationInput> {
        let none = || Error::invalid("length", "is no whole number");
        Ok(RotationInput {
            name: Some(self.rotation_name.0.clone()),
            starts_at: local("starts_at", &self.starts_at, schedule)?,
            ends_at: local("ends_at", &self.ends_at, schedule)?.into(),
            length: Some(self.length.trim().parse().map_err(|_| none())?),
            length_unit: self.length_unit,
            active_period: self.period()?.into(),
            user_ids: Some(users(tx, &self.participants)?),
        })
    }

    fn period(&self) -> Result<Option<Period>> {
        let (from, until) = (self.active_from.trim(), self.active_until.trim());
        if from.is_empty() && until.is_empty() {
            return Ok(None);
        }
        let both = Clock::read(from).zip(Clock::read(until));
        let wrong = || Error::invalid("active_from", "needs two times such as 08:30");
        let (start_time, end_time) = both.ok_or_else(wrong)?;
        Ok(Some(Period { start_time, end_time }))
    }
}

/// A time as browsers send it, by clocks of the schedule's time zone.
fn local(field: &'static str, text: &str, schedule: &Schedule) -> Result<Option<Timestamp>> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let shown = text.parse::<DateTime>().ok();
    let at = shown.and_then(|shown| instant(schedule, shown));
    let wrong = || Error::invalid(field, "is no time such as 2031-05-06T08:30");
    at.map(Some).ok_or_else(wrong)
}

/// The users of names that blanks or commas part.
fn users(tx: &mut Tx<'_>, names: &str) -> Result<Vec<i64>> {
    let mut users = Vec::new();
    let names = names.split(|c: char| c.is_whitespace() || c == ',');
    let names = names.filter(|name| !name.is_empty());
    for name in names.take(MAX_PARTICIPANTS + 1) {
        let name = name.trim_start_matches('@');
        let unknown = || {
            let text = format!("names {name}, who does not exist");
            Error::invalid("participants", text)
        };
        users.push(find_by_username(tx, name)?.ok_or_else(unknown)?.id);
    }
    Ok(users)
}
