//! `…/-/oncall_schedules/<number>`: one schedule and its rotations.

use super::line::{line, moment};
use super::schedules::{self, RelatedToSchedules};
use super::views::{OneSchedule, RotationForm, RotationRow, ScheduleForm};
use super::{may_change, zones};
use crate::on_call::access::{self, CHANGE, READ};
use crate::on_call::model::{MAX_PARTICIPANTS, Period, Rotation, Schedule, Unit};
use crate::on_call::rest::hours;
use crate::on_call::rules::rotations::{self, RotationInput};
use crate::on_call::rules::schedules as schedule_rules;
use crate::on_call::store::schedules as rows;
use crate::on_call::zones::{instant, zone};
use identity::pages::page;
use identity::users::find_by_username;
use identity::viewer::Viewer;
use jiff::Timestamp;
use jiff::civil::DateTime;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::http::params::Flat;
use kernel::http::{Params, Patch, Response};
use spaces::Project;
use spaces::access::Purpose;
use spaces::pages::{Space, Visit};
use store::Tx;

/// Shifts drawn of a rotation: all of two weeks.
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
        /// The rotation that changes; a new one if blank.
        pub rotation_id: Option<i64>,
        pub rotation_name: Option<String>,
        /// By clocks of the schedule's time zone, like `ends_at`.
        pub starts_at: Option<String>,
        pub ends_at: Option<String>,
        pub length: Option<String>,
        pub length_unit: Option<Unit>,
        pub active_from: Option<String>,
        pub active_until: Option<String>,
        /// Sign-in names.
        pub participants: Option<String>,
    }
}

kernel::params! {
    /// A schedule, and which of its rotations is in the form.
    pub struct OnePage {
        pub schedule_iid: i64,
        pub rotation: Option<i64>,
    }
}

#[derive(Clone)]
struct SchedulePage {
    visit: Visit,
    iid: i64,
    chosen: Option<i64>,
}

pub(super) async fn show(app: App, visit: Visit, path: Params<OnePage>) -> Result<Response> {
    let page = SchedulePage {
        visit,
        iid: path.schedule_iid,
        chosen: path.rotation,
    };
    form::show(&app, page).await
}

pub(super) async fn change(app: App, visit: Visit, form: Params<Form>) -> Result<Response> {
    let page = SchedulePage {
        visit,
        iid: form.schedule_iid,
        chosen: None,
    };
    form::submit(&app, page, form.0).await
}

impl SchedulePage {
    fn authorize(&self, tx: &mut Tx<'_>, purpose: Purpose) -> Result<(Space, Schedule)> {
        let space = self.visit.authorize(tx, purpose)?;
        let found = rows::find(tx, space.project()?.id, self.iid)?;
        Ok((space, found.found("On-call schedule")?))
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
        let (space, schedule) = self.authorize(tx, READ)?;
        let all = format!("{}/-/oncall_schedules", space.url());
        let related = RelatedToSchedules::read(tx, std::slice::from_ref(&schedule))?;
        let now = tx.now();
        let rotations = related.rotations.iter();
        let sent = |action| typed.form.as_ref().filter(|form| form.action == action);
        let mut page = space.crumbs(page, true).crumb("On-call schedules", &all);
        page.title = schedule.name.clone();
        Ok(OneSchedule {
            page,
            head: space.head(tx, &self.visit.viewer)?,
            can_change: may_change(&space),
            url: format!("{all}/{}", self.iid),
            rotations: rotations
                .map(|one| row(one, &schedule, &related, now))
                .collect(),
            form: match sent(Action::Save) {
                Some(form) => form.schedule.typed(),
                None => stored(&schedule),
            },
            rotation: match sent(Action::Rotate) {
                Some(form) => form.rotation(),
                None => of_rotation(&schedule, &related, self.chosen),
            },
            schedule: related.row(&schedule, &all, now, 0),
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let (space, schedule) = self.authorize(tx, CHANGE)?;
        let (viewer, project) = (&self.visit.viewer, space.project()?);
        let all = format!("{}/-/oncall_schedules", space.url());
        let own = format!("{all}/{}", schedule.iid);
        match form.action {
            Action::Save => {
                schedule_rules::update(tx, viewer, project, &schedule, &form.schedule.input())?;
                Outcome::led(own, "The schedule is saved.")
            }
            Action::Remove => {
                schedule_rules::destroy(tx, viewer, project, &schedule)?;
                Outcome::led(all, "The schedule is removed.")
            }
            Action::Rotate => {
                let text = rotate(tx, viewer, project, &schedule, form).map_err(in_form)?;
                Outcome::led(own, text)
            }
            Action::Drop => {
                let id = form.rotation_id;
                let id = id.ok_or_else(|| Error::missing("rotation_id"))?;
                let rotation = access::rotation(tx, &schedule, id)?;
                rotations::destroy(tx, viewer, project, &schedule, &rotation)?;
                Outcome::led(own, "The rotation is removed.")
            }
        }
    }
}

fn rotate(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Project,
    schedule: &Schedule,
    form: &Form,
) -> Result<&'static str> {
    let input = form.input(tx, schedule)?;
    let Some(id) = form.rotation_id else {
        rotations::create(tx, viewer, project, schedule, &input)?;
        return Ok("The rotation is added.");
    };
    let rotation = access::rotation(tx, schedule, id)?;
    rotations::update(tx, viewer, project, schedule, &rotation, &input)?;
    Ok("The rotation is saved.")
}

/// A refusal of a rotation beside the fields of its form.
fn in_form(error: Error) -> Error {
    let error = form::rename(error, "name", "rotation_name");
    form::rename(error, "active_period", "active_from")
}

fn row(
    one: &Rotation,
    schedule: &Schedule,
    related: &RelatedToSchedules,
    now: Timestamp,
) -> RotationRow {
    let plan = &one.plan;
    let zone = zone(&schedule.time_zone);
    let mut text = format!(
        "Turns of {} {} from {}",
        plan.length,
        plan.unit,
        moment(plan.starts_at, &zone)
    );
    if let Some(end) = plan.ends_at {
        text.push_str(&format!(" to {}", moment(end, &zone)));
    }
    if let Some(period) = plan.active {
        let (from, until) = (hours(period.from), hours(period.until));
        text.push_str(&format!(", on call from {from} to {until}"));
    }
    let own = related.people.iter().filter(|it| it.rotation_id == one.id);
    RotationRow {
        id: one.id,
        name: one.name.clone(),
        plan: text,
        people: own.filter_map(|it| related.name(it.user_id)).collect(),
        line: line(schedule, one, &related.people, &related.users, now, DRAWN),
    }
}

fn stored(schedule: &Schedule) -> ScheduleForm {
    ScheduleForm {
        name: schedule.name.clone(),
        description: schedule.description.clone().unwrap_or_default(),
        time_zone: schedule.time_zone.clone(),
        zones: zones(),
    }
}

/// The form of a rotation as it is stored; an empty one without.
fn of_rotation(schedule: &Schedule, related: &RelatedToSchedules, id: Option<i64>) -> RotationForm {
    let found = related.rotations.iter().find(|one| Some(one.id) == id);
    let Some(one) = found else {
        return RotationForm {
            length: "1".into(),
            unit: Unit::Weeks.to_string(),
            units: Choice::list(UNITS),
            ..RotationForm::default()
        };
    };
    let zone = zone(&schedule.time_zone);
    let local = |at: Timestamp| {
        let at = at.to_zoned(zone.clone());
        at.strftime("%Y-%m-%dT%H:%M").to_string()
    };
    let plan = &one.plan;
    let own = related.people.iter().filter(|it| it.rotation_id == one.id);
    let names: Vec<String> = own.filter_map(|it| related.name(it.user_id)).collect();
    RotationForm {
        id,
        name: one.name.clone(),
        starts_at: local(plan.starts_at),
        ends_at: plan.ends_at.map(local).unwrap_or_default(),
        length: plan.length.to_string(),
        unit: plan.unit.to_string(),
        units: Choice::list(UNITS),
        active_from: plan.active.map(|it| hours(it.from)).unwrap_or_default(),
        active_until: plan.active.map(|it| hours(it.until)).unwrap_or_default(),
        participants: names.join(" "),
    }
}

impl Form {
    fn rotation(&self) -> RotationForm {
        let text = |given: &Option<String>| given.clone().unwrap_or_default();
        RotationForm {
            id: self.rotation_id,
            name: text(&self.rotation_name),
            starts_at: text(&self.starts_at),
            ends_at: text(&self.ends_at),
            length: text(&self.length),
            unit: self.length_unit.unwrap_or(Unit::Weeks).to_string(),
            units: Choice::list(UNITS),
            active_from: text(&self.active_from),
            active_until: text(&self.active_until),
            participants: text(&self.participants),
        }
    }

    fn input(&self, tx: &mut Tx<'_>, schedule: &Schedule) -> Result<RotationInput> {
        let length = self.length.as_deref().unwrap_or_default().trim();
        let none = || Error::invalid("length", "is no whole number");
        Ok(RotationInput {
            name: Some(self.rotation_name.clone().unwrap_or_default()),
            starts_at: local("starts_at", &self.starts_at, schedule)?,
            ends_at: match local("ends_at", &self.ends_at, schedule)? {
                Some(at) => Patch::Value(at),
                None => Patch::Null,
            },
            length: Some(length.parse().map_err(|_| none())?),
            length_unit: self.length_unit,
            active_period: self.period()?,
            user_ids: Some(users(tx, self.participants.as_deref().unwrap_or_default())?),
        })
    }

    fn period(&self) -> Result<Patch<Period>> {
        let given = |text: &Option<String>| text.clone().unwrap_or_default().trim().to_owned();
        let (from, until) = (given(&self.active_from), given(&self.active_until));
        if from.is_empty() && until.is_empty() {
            return Ok(Patch::Null);
        }
        let both = rotations::time_of_day(&from).zip(rotations::time_of_day(&until));
        let wrong = || Error::invalid("active_from", "needs two times such as 08:30");
        let (from, until) = both.ok_or_else(wrong)?;
        Ok(Patch::Value(Period { from, until }))
    }
}

/// A time as browsers send it, by clocks of the schedule's time zone.
fn local(
    field: &'static str,
    text: &Option<String>,
    schedule: &Schedule,
) -> Result<Option<Timestamp>> {
    let text = text.as_deref().unwrap_or_default().trim();
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
