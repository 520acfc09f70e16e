//! Schedules are made, changed and run.

use super::access::check_ref;
use super::inputs::{self, InputChange};
use super::model::{LONGEST, Schedule, USUAL_ZONE};
use super::store;
use super::tasks::{PlaySchedule, RunSchedule};
use crate::pipelines::access;
use crate::pipelines::create::named;
use crate::pipelines::store::variables::{self, Owner};
use crate::pipelines::variables::{Given, check};
use crate::variables::may_override;
use ::store::{Json, Tx};
use identity::viewer::Viewer;
use jiff::Timestamp;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::jobs::enqueue_at;
use kernel::secrets::Secrets;
use kernel::zones;
use pipeline_file::cron::Cron;
use serde_json::json;
use spaces::model::{Problems, Project};
use spaces::plan_limits::PlanLimits;

const WRONG: &str = "is invalid syntax";

kernel::params! {
    /// What a schedule becomes; what is absent stays.
    #[derive(Default)]
    pub struct ScheduleChange {
        /// What it is for.
        pub description: Option<String>,
        /// The branch or tag that its pipelines are for.
        pub on_ref as "ref": Option<String>,
        /// Its times: minute, hour, day, month and weekday.
        pub cron: Option<String>,
        /// The time zone of these times; UTC unless said.
        pub cron_timezone: Option<String>,
        /// Whether its pipelines begin; so unless said.
        pub active: Option<bool>,
        /// What its pipelines are given for the inputs of their file; those not named stay.
        pub inputs: Option<Vec<InputChange>>,
    }
}

/// Makes a schedule of the viewer's own.
///
/// # Errors
///
/// `Invalid` where a field is wrong or there are too many, 403 for who may not run
/// pipelines on the branch or tag.
pub fn create(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, change: &ScheduleChange,
) -> Result<Schedule> {
    let now = tx.now();
    let blank = Schedule {
        id: 0,
        project_id: project.id,
        owner_id: viewer.user_id(),
        description: String::new(),
        on_ref: String::new(),
        cron: String::new(),
        cron_timezone: USUAL_ZONE.to_owned(),
        active: true,
        next_run_at: None,
        inputs: Json(Vec::new()),
        created_at: now,
        updated_at: now,
    };
    let new = changed(tx, viewer, project, (&blank, change))?;
    let limits: PlanLimits = kernel::settings::read(tx)?;
    let most = limits.ci_pipeline_schedules;
    if most > 0 && store::count(tx, project.id)? >= most {
        let text = format!("Maximum number of pipeline schedules ({most}) exceeded");
        return Err(Error::invalid("base", text));
    }
    let made = store::insert(tx, &new)?;
    await_next(tx, &made)?;
    record(tx, viewer, "pipeline_schedule.create", &made)?;
    Ok(made)
}

/// # Errors
///
/// As [`create`] has them.
pub fn update(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, before: &Schedule, change: &ScheduleChange,
) -> Result<Schedule> {
    let after = changed(tx, viewer, project, (before, change))?;
    let written = store::update(tx, &after)?;
    if written.next_run_at != before.next_run_at {
        await_next(tx, &written)?;
    }
    record(tx, viewer, "pipeline_schedule.update", &written)?;
    Ok(written)
}

pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, schedule: &Schedule) -> Result<()> {
    store::delete(tx, schedule.id)?;
    record(tx, viewer, "pipeline_schedule.destroy", schedule)
}

/// From now on its pipelines have the rights of the viewer.
pub fn take(tx: &mut Tx<'_>, viewer: &Viewer, schedule: &Schedule) -> Result<Schedule> {
    let owner_id = Some(viewer.signed_in()?.user.id);
    let written = store::update(tx, &Schedule { owner_id, ..schedule.clone() })?;
    record(tx, viewer, "pipeline_schedule.take_ownership", &written)?;
    Ok(written)
}

/// Has a pipeline of it begin now, for the viewer.
pub fn play(tx: &mut Tx<'_>, viewer: &Viewer, schedule: &Schedule) -> Result<()> {
    let task = PlaySchedule { schedule: schedule.id, user: viewer.signed_in()?.user.id };
    let now = tx.now();
    enqueue_at(tx, &task, now)
}

/// A time of a schedule has come: the next one is waited for, and a pipeline begins. It
/// is nothing where the schedule has another time meanwhile.
pub fn run(tx: &mut Tx<'_>, id: i64, at: i64) -> Result<()> {
    let Some(schedule) = store::by_id(tx, id)? else {
        return Ok(());
    };
    let is_due = |time: Timestamp| time.as_second() == at && time <= tx.now();
    if !schedule.active || !schedule.next_run_at.is_some_and(is_due) {
        return Ok(());
    }
    let Some(user) = schedule.owner_id else {
        return deactivate(tx, id);
    };
    let now = tx.now();
    let next_run_at = schedule.next_after(now);
    let schedule = store::update(tx, &Schedule { next_run_at, ..schedule })?;
    await_next(tx, &schedule)?;
    enqueue_at(tx, &PlaySchedule { schedule: id, user }, now)
}

/// No more pipelines of it begin.
pub fn deactivate(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    if let Some(schedule) = store::by_id(tx, id)? {
        store::update(tx, &Schedule { active: false, ..schedule })?;
    }
    Ok(())
}

fn await_next(tx: &mut Tx<'_>, schedule: &Schedule) -> Result<()> {
    match schedule.next_run_at.filter(|_| schedule.active) {
        Some(time) => {
            let task = RunSchedule { schedule: schedule.id, at: time.as_second() };
            enqueue_at(tx, &task, time)
        }
        None => Ok(()),
    }
}

/// A schedule with what is sent, once that is found good.
fn changed(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project,
    (before, change): (&Schedule, &ScheduleChange),
) -> Result<Schedule> {
    let text = |sent: &Option<String>, stored: &String| match sent {
        Some(text) => text.trim().to_owned(),
        None => stored.clone(),
    };
    let mut after = Schedule {
        description: text(&change.description, &before.description),
        cron: text(&change.cron, &before.cron),
        active: change.active.unwrap_or(before.active),
        ..before.clone()
    };
    let mut problems = Problems::default();
    problems.note("description", description_problem(&after.description));
    problems.note("cron", Cron::parse(&after.cron).is_err().then_some(WRONG));
    match change.cron_timezone.as_deref().map(|zone| zones::named(zone.trim())) {
        Some(Some(zone)) => zone.clone_into(&mut after.cron_timezone),
        Some(None) => problems.add("cron_timezone", WRONG),
        None => {}
    }
    match inputs::changed(&before.inputs.0, change.inputs.as_deref().unwrap_or_default()) {
        Ok(inputs) => after.inputs = Json(inputs),
        Err(text) => problems.add("inputs", &text),
    }
    if let Some(name) = &change.on_ref {
        match whole(tx, project, name)? {
            Ok(name) => after.on_ref = name,
            Err(text) => problems.add("ref", text),
        }
    }
    problems.check()?;
    check_ref(tx, viewer, project, after.short_ref())?;
    let is_same = after.cron == before.cron && after.cron_timezone == before.cron_timezone;
    if !is_same || after.active != before.active {
        after.next_run_at = after.next_after(tx.now());
    }
    Ok(after)
}

fn description_problem(text: &str) -> Option<&'static str> {
    match text.chars().count() {
        0 => Some("can't be blank"),
        count if count > LONGEST => Some("is too long (maximum is 255 characters)"),
        _ => None,
    }
}

/// The whole name of a branch or tag that is there; what is wrong with it.
fn whole(
    tx: &mut Tx<'_>, project: &Project, text: &str,
) -> Result<std::result::Result<String, &'static str>> {
    if text.is_empty() {
        return Ok(Err("can't be blank"));
    }
    let Some(repository) = access::repository(tx, project)? else {
        return Ok(Err("is no branch or tag"));
    };
    Ok(match named(tx, repository.id, text)? {
        Ok((name, _)) if name.as_branch().is_some() || name.as_tag().is_some() => {
            Ok(name.to_string())
        }
        Err(text) if text.contains("ambiguous") => Err("is ambiguous"),
        _ => Err("is no branch or tag"),
    })
}

/// What a variable of a schedule becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableDeed {
    Add,
    Change,
}

/// Gives a schedule a variable, or one of its variables another value.
///
/// # Errors
///
/// `Invalid` where the name or the value is wrong or the name is taken, 404 where there
/// is none to change, 403 for who may not give variables to pipelines.
pub fn set_variable(
    tx: &mut Tx<'_>, secrets: &Secrets, (viewer, project): (&Viewer, &Project),
    schedule: &Schedule, deed: VariableDeed, given: Given,
) -> Result<()> {
    if !may_override(tx, viewer, project)? {
        return Err(Error::forbidden(""));
    }
    let owner = Owner::Schedule(schedule.id);
    let mut all = variables::of(tx, secrets, owner)?;
    let place = all.iter().position(|one| one.key == given.key);
    match (deed, place) {
        (VariableDeed::Add, Some(_)) => {
            let text = format!("({}) has already been taken", given.key);
            return Err(Error::invalid("key", text));
        }
        (VariableDeed::Add, None) => all.push(given.clone()),
        (VariableDeed::Change, place) => all[place.found("Variable")?] = given.clone(),
    }
    check(&all)?;
    variables::delete_of_schedule(tx, schedule.id, &given.key)?;
    variables::insert(tx, secrets, owner, &[given])
}

/// The variable of a schedule that has this name.
pub fn variable(
    tx: &mut Tx<'_>, secrets: &Secrets, schedule: &Schedule, key: &str,
) -> Result<Given> {
    let all = variables::of(tx, secrets, Owner::Schedule(schedule.id))?;
    all.into_iter().find(|one| one.key == key).found("Variable")
}

/// Takes a variable from a schedule; what it was.
pub fn remove_variable(
    tx: &mut Tx<'_>, secrets: &Secrets, schedule: &Schedule, key: &str,
) -> Result<Given> {
    let gone = variable(tx, secrets, schedule, key)?;
    variables::delete_of_schedule(tx, schedule.id, key)?;
    Ok(gone)
}

fn record(
    tx: &mut Tx<'_>, viewer: &Viewer, action: &'static str, schedule: &Schedule,
) -> Result<()> {
    let target = ("Ci::PipelineSchedule", schedule.id, schedule.description.as_str());
    let details = json!({"project_id": schedule.project_id, "ref": schedule.on_ref,
        "cron": schedule.cron});
    audit::record(tx, viewer, action, target, details)
}
