//! Schedules of a project.

use super::{description, name, record};
use crate::on_call::model::{MAX_SCHEDULES, Schedule};
use crate::on_call::store::schedules::{self as rows, Described};
use crate::on_call::zones;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::http::Patch;
use serde_json::{Value, json};
use spaces::Project;
use store::Tx;

/// What changes of a schedule.
#[derive(Debug, Clone, Default)]
pub struct Change {
    pub name: Option<String>,
    pub description: Patch<String>,
    /// IANA name of its time zone.
    pub time_zone: Option<String>,
}

/// Makes one; `name` and `time_zone` are needed.
pub fn create(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Project,
    new: &Change,
) -> Result<Schedule> {
    if rows::count(tx, project.id)? >= MAX_SCHEDULES {
        let text = format!("There are {MAX_SCHEDULES} schedules already");
        return Err(Error::invalid("base", text));
    }
    let name = unused(tx, project, new.name.as_deref().unwrap_or_default(), 0)?;
    let text = new.description.clone().over(None);
    let about = description(text.as_deref())?;
    let new = Described {
        name: &name,
        description: about.as_deref(),
        time_zone: zone(new.time_zone.as_deref().unwrap_or_default())?,
    };
    let made = rows::insert(tx, project.id, &new)?;
    record(
        tx,
        viewer,
        project,
        "on_call_schedule.create",
        details(&made),
    )?;
    Ok(made)
}

pub fn update(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Project,
    schedule: &Schedule,
    change: &Change,
) -> Result<Schedule> {
    let name = match &change.name {
        Some(name) => unused(tx, project, name, schedule.id)?,
        None => schedule.name.clone(),
    };
    let text = change
        .description
        .clone()
        .over(schedule.description.clone());
    let about = description(text.as_deref())?;
    let time_zone = change.time_zone.as_deref().unwrap_or(&schedule.time_zone);
    let new = Described {
        name: &name,
        description: about.as_deref(),
        time_zone: zone(time_zone)?,
    };
    let changed = rows::update(tx, schedule.id, &new)?;
    record(
        tx,
        viewer,
        project,
        "on_call_schedule.update",
        details(&changed),
    )?;
    Ok(changed)
}

/// Removes one with its rotations, unless the policy relies on it: its alerts
/// would page nobody, and nobody would notice.
pub fn destroy(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Project,
    schedule: &Schedule,
) -> Result<()> {
    if rows::is_used(tx, schedule.id)? {
        let text = "The escalation policy names this schedule; change its rules first";
        return Err(Error::invalid("base", text));
    }
    rows::remove(tx, schedule.id)?;
    record(
        tx,
        viewer,
        project,
        "on_call_schedule.destroy",
        details(schedule),
    )
}

fn unused(tx: &mut Tx<'_>, project: &Project, given: &str, but: i64) -> Result<String> {
    let name = name(given)?;
    match rows::is_named(tx, project.id, &name, but)? {
        true => Err(Error::invalid("name", "has already been taken")),
        false => Ok(name),
    }
}

fn zone(given: &str) -> Result<&'static str> {
    let unknown = || Error::invalid("timezone", "is not the IANA name of a time zone");
    zones::named(given.trim()).ok_or_else(unknown)
}

fn details(schedule: &Schedule) -> Value {
    json!({
        "schedule": schedule.iid,
        "name": schedule.name,
        "timezone": schedule.time_zone,
    })
}
