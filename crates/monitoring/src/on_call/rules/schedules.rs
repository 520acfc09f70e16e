//! Schedules of a project.

use super::{description, name, unused};
use crate::access::Here;
use crate::on_call::access::ScheduleAccess;
use crate::on_call::model::{MAX_SCHEDULES, Schedule};
use crate::on_call::store::schedules::{self as rows, Described};
use crate::on_call::zones;
use kernel::error::{Error, Result};
use kernel::http::Patch;
use serde_json::{Value, json};
use store::Tx;

kernel::params! {
    /// What may be set of a schedule.
    pub struct ScheduleInput {
        /// What people call it.
        pub name: Option<String>,
        /// IANA name of its time zone.
        pub timezone: Option<String>,
        /// What it is for.
        pub description: Patch<String>,
    }
}

/// Makes one; `name` and `timezone` are needed.
pub fn create(tx: &mut Tx<'_>, by: &Here, new: &ScheduleInput) -> Result<Schedule> {
    if rows::count(tx, by.project.id)? >= MAX_SCHEDULES {
        let text = format!("There are {MAX_SCHEDULES} schedules already");
        return Err(Error::invalid("base", text));
    }
    let new = checked(tx, by, None, new)?;
    let made = rows::insert(tx, by.project.id, &new)?;
    by.record(tx, "on_call_schedule.create", details(&made))?;
    Ok(made)
}

pub fn update(tx: &mut Tx<'_>, on: &ScheduleAccess, change: &ScheduleInput) -> Result<Schedule> {
    let new = checked(tx, &on.here, Some(&on.schedule), change)?;
    let changed = rows::update(tx, on.schedule.id, &new)?;
    let details = details(&changed);
    on.here.record(tx, "on_call_schedule.update", details)?;
    Ok(changed)
}

/// Removes one with its rotations, unless the policy relies on it: its alerts
/// would page nobody, and nobody would notice.
pub fn destroy(tx: &mut Tx<'_>, on: &ScheduleAccess) -> Result<()> {
    if rows::is_used(tx, on.schedule.id)? {
        let text = "The escalation policy names this schedule; change its rules first";
        return Err(Error::invalid("base", text));
    }
    rows::remove(tx, on.schedule.id)?;
    let details = details(&on.schedule);
    on.here.record(tx, "on_call_schedule.destroy", details)
}

/// What a schedule becomes, given what is stored of it.
fn checked(
    tx: &mut Tx<'_>, by: &Here, stored: Option<&Schedule>, input: &ScheduleInput,
) -> Result<Described> {
    let name = match (&input.name, stored) {
        (None, Some(stored)) => stored.name.clone(),
        (given, _) => {
            let name = name(given.as_deref().unwrap_or_default())?;
            let but = stored.map_or(0, |one| one.id);
            unused(name, |name| rows::is_named(tx, by.project.id, name, but))?
        }
    };
    let before = stored.and_then(|one| one.description.clone());
    let given = input.timezone.as_deref();
    let given = given.or(stored.map(|one| one.time_zone.as_str()));
    Ok(Described {
        name,
        description: description(input.description.clone().over(before))?,
        time_zone: zone(given.unwrap_or_default())?,
    })
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
