//! `…/-/oncall_schedules/<number>`: one schedule and its rotations.

use super::line::{line, moment};
use super::schedules::RelatedToSchedules;
use super::views::{OneSchedule, RotationForm, RotationRow, ScheduleForm};
use super::{CHANGE, READ, may_change, project_of, zones};
use crate::on_call::model::{MAX_PARTICIPANTS, Period, Rotation, Schedule, Unit};
use crate::on_call::rest::hours;
use crate::on_call::rules::{rotations, schedules};
use crate::on_call::store::{rotations as rotation_rows, schedules as rows};
use crate::on_call::zones::zone;
use identity::pages::refusal::FormState;
use identity::users::find_by_username;
use identity::viewer::{SignedInViewer, Viewer};
use jiff::Timestamp;
use jiff::civil::DateTime;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::ui::Choice;
use kernel::html::{Html, flash};
use kernel::http::{Params, Patch, RequestContext, Response};
use spaces::Project;
use spaces::pages::Address;
use std::sync::Arc;
use store::Tx;

/// Shifts drawn of a rotation: all of two weeks.
const DRAWN: usize = 400;
/// Fields of the forms that show what is wrong with them, by the names that
/// rules have for them.
const FIELDS: &[&str] = &[
    "name",
    "timezone",
    "description",
    "starts_at",
    "ends_at",
    "length",
    "length_unit",
    "active_from",
    "active_period",
    "participants",
];
const UNITS: &[(&str, &str)] = &[("hours", "Hours"), ("days", "Days"), ("weeks", "Weeks")];

kernel::choices! {
    /// What the forms ask for.
    pub enum Action {
        /// To change the schedule.
        Save = "save",
        /// To remove it.
        Remove = "remove",
        /// To add or change a rotation.
        Rotate = "rotate",
        /// To remove one.
        Drop = "drop",
    }
}

kernel::params! {
    /// The forms.
    pub struct Form {
        /// Number of the schedule.
        pub schedule_iid: i64,
        /// Which form.
        pub action: Action,
        /// What people call the schedule.
        pub name: Option<String>,
        /// Its time zone.
        pub timezone: Option<String>,
        /// What it is for.
        pub description: Option<String>,
        /// The rotation that changes; a new one if blank.
        pub rotation_id: Option<i64>,
        /// What people call it.
        pub rotation_name: Option<String>,
        /// When the first turn begins, by clocks of the time zone.
        pub starts_at: Option<String>,
        /// When the last one ends.
        pub ends_at: Option<String>,
        /// Length of a turn.
        pub length: Option<String>,
        /// In what it is counted.
        pub length_unit: Option<Unit>,
        /// From when on people are on call.
        pub active_from: Option<String>,
        /// Until when.
        pub active_until: Option<String>,
        /// Sign-in names of who takes turns.
        pub participants: Option<String>,
    }
}

kernel::params! {
    /// A schedule, and which of its rotations is in the form.
    pub struct OnePage {
        /// Number of the schedule.
        pub schedule_iid: i64,
        /// The rotation to change.
        pub rotation: Option<i64>,
    }
}

pub(super) async fn show(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    path: Params<OnePage>,
) -> Result<Response> {
    let address = Address::of(&asked)?;
    let which = (path.schedule_iid, path.rotation);
    render(app, viewer.viewer(), address, which, FormState::default()).await
}

async fn render(
    app: App,
    viewer: Viewer,
    address: Address,
    (iid, chosen): (i64, Option<i64>),
    typed: FormState<Form>,
) -> Result<Response> {
    let status = typed.refusal.status();
    let shown = typed.refusal.page(&app, &viewer, "On-call schedule");
    let view = app
        .read(move |tx| {
            let space = address.authorize(tx, &viewer, READ)?;
            let project = project_of(&space)?;
            let schedule = rows::find(tx, project.id, iid)?.found("On-call schedule")?;
            let head = space.head(tx, &viewer)?;
            let all = format!("{}/-/oncall_schedules", space.url());
            let around = RelatedToSchedules::read(tx, std::slice::from_ref(&schedule))?;
            let now = tx.now();
            let form = typed.form.as_ref();
            let mut page = space.crumbs(shown, true).crumb("On-call schedules", &all);
            page.title = schedule.name.clone();
            Ok(OneSchedule {
                page,
                head,
                can_change: may_change(&space),
                url: format!("{all}/{iid}"),
                rotations: around
                    .rotations
                    .iter()
                    .map(|one| row(one, &schedule, &around, now))
                    .collect(),
                form: described(&schedule, form),
                rotation: match form.filter(|form| form.action == Action::Rotate) {
                    Some(form) => form.rotation(),
                    None => of_rotation(&schedule, &around, chosen),
                },
                schedule: around.row(&schedule, &all, now, 0),
                errors: typed.refusal.errors,
            })
        })
        .await?;
    Ok(Html::new(&view)?.status(status).response())
}

fn row(
    one: &Rotation,
    schedule: &Schedule,
    around: &RelatedToSchedules,
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
    let own = around.people.iter().filter(|it| it.rotation_id == one.id);
    RotationRow {
        id: one.id,
        name: one.name.clone(),
        plan: text,
        people: own.filter_map(|it| around.name(it.user_id)).collect(),
        line: line(schedule, one, &around.people, &around.users, now, DRAWN),
    }
}

fn described(schedule: &Schedule, typed: Option<&Form>) -> ScheduleForm {
    let typed = typed.filter(|form| form.action == Action::Save);
    let text = |of: fn(&Form) -> &Option<String>, stored: &str| match typed {
        Some(form) => of(form).clone().unwrap_or_default(),
        None => stored.to_owned(),
    };
    let about = schedule.description.as_deref().unwrap_or_default();
    ScheduleForm {
        name: text(|form| &form.name, &schedule.name),
        description: text(|form| &form.description, about),
        time_zone: text(|form| &form.timezone, &schedule.time_zone),
        zones: zones(),
    }
}

/// The form of a rotation as it is stored; an empty one without.
fn of_rotation(schedule: &Schedule, around: &RelatedToSchedules, id: Option<i64>) -> RotationForm {
    let found = around.rotations.iter().find(|one| Some(one.id) == id);
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
    let own = around.people.iter().filter(|it| it.rotation_id == one.id);
    let names: Vec<String> = own.filter_map(|it| around.name(it.user_id)).collect();
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

    fn change(&self, tx: &mut Tx<'_>, schedule: &Schedule) -> Result<rotations::Change> {
        let length = self.length.as_deref().unwrap_or_default().trim();
        let none = || Error::invalid("length", "is no whole number");
        Ok(rotations::Change {
            name: Some(self.rotation_name.clone().unwrap_or_default()),
            starts_at: local("starts_at", &self.starts_at, schedule)?,
            ends_at: match local("ends_at", &self.ends_at, schedule)? {
                Some(at) => Patch::Value(at),
                None => Patch::Null,
            },
            length: Some(length.parse().map_err(|_| none())?),
            unit: self.length_unit,
            active: self.period()?,
            users: Some(users(tx, self.participants.as_deref().unwrap_or_default())?),
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
    let at = shown.and_then(|shown| {
        let ambiguous = zone(&schedule.time_zone).to_ambiguous_timestamp(shown);
        ambiguous.compatible().ok()
    });
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

pub(super) async fn change(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<Form>,
) -> Result<Response> {
    let Params(form) = form;
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let (asker, place, wanted) = (viewer.clone(), address.clone(), form.clone());
    let done = app
        .write(move |tx| {
            let space = place.authorize(tx, &asker, CHANGE)?;
            let project = project_of(&space)?;
            let schedule = rows::find(tx, project.id, wanted.schedule_iid)?;
            let schedule = schedule.found("On-call schedule")?;
            let said = apply(tx, &asker, project, &schedule, &wanted)?;
            let all = format!("{}/-/oncall_schedules", space.url());
            Ok(match wanted.action {
                Action::Remove => (all, said),
                _ => (format!("{all}/{}", schedule.iid), said),
            })
        })
        .await;
    match done {
        Ok((url, said)) => flash::done(&app, &url, said),
        Err(error) => {
            let which = (form.schedule_iid, None);
            let rotates = form.action == Action::Rotate;
            let mut typed = FormState::refused(form, error, FIELDS)?;
            if rotates {
                typed.refusal = typed
                    .refusal
                    .rename("name", "rotation_name")
                    .rename("active_period", "active_from");
            }
            render(app, viewer, address, which, typed).await
        }
    }
}

fn apply(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Project,
    schedule: &Schedule,
    form: &Form,
) -> Result<&'static str> {
    let rotation = |tx: &mut Tx<'_>| match form.rotation_id {
        Some(id) => rotation_rows::find(tx, schedule.id, id)?
            .found("Rotation")
            .map(Some),
        None => Ok(None),
    };
    Ok(match form.action {
        Action::Save => {
            let change = schedules::Change {
                name: Some(form.name.clone().unwrap_or_default()),
                description: form.description.clone().map_or(Patch::Null, Patch::Value),
                time_zone: form.timezone.clone(),
            };
            schedules::update(tx, viewer, project, schedule, &change)?;
            "The schedule is saved."
        }
        Action::Remove => {
            schedules::destroy(tx, viewer, project, schedule)?;
            "The schedule is removed."
        }
        Action::Rotate => {
            let change = form.change(tx, schedule)?;
            match rotation(tx)? {
                Some(one) => {
                    rotations::update(tx, viewer, project, schedule, &one, &change)?;
                    "The rotation is saved."
                }
                None => {
                    rotations::create(tx, viewer, project, schedule, &change)?;
                    "The rotation is added."
                }
            }
        }
        Action::Drop => {
            let one = rotation(tx)?.ok_or_else(|| Error::missing("rotation_id"))?;
            rotations::destroy(tx, viewer, project, schedule, &one)?;
            "The rotation is removed."
        }
    })
}
