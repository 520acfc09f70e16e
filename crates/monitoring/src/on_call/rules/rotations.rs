//! Rotations of a schedule.

use super::{must_see_alerts, name, record};
use crate::on_call::model::{
    MAX_LENGTH, MAX_PARTICIPANTS, MAX_ROTATIONS, Participant, Period, Plan, Rotation, Schedule,
    Unit,
};
use crate::on_call::shifts::{Shift, Turns};
use crate::on_call::store::rotations as rows;
use crate::on_call::zones;
use identity::viewer::Viewer;
use jiff::Timestamp;
use jiff::civil::{Date, Time};
use kernel::error::{Error, Result};
use kernel::http::Patch;
use kernel::time::{start_of, wire};
use serde_json::{Value, json};
use spaces::Project;
use store::Tx;

/// The last year in which a rotation may begin or end.
const LAST_YEAR: i16 = 2199;

kernel::params! {
    /// What may be set of a rotation.
    pub struct RotationInput {
        /// What people call it.
        pub name: Option<String>,
        /// When the first turn begins.
        pub starts_at: Option<Timestamp>,
        /// When the last one ends; null for never.
        pub ends_at: Patch<Timestamp>,
        /// Length of a turn.
        pub length: Option<i64>,
        /// In what it is counted.
        pub length_unit: Option<Unit>,
        /// The time of day people are on call; null for all day.
        pub active_period: Patch<Period>,
        /// Who takes turns, in their order.
        pub user_ids: Option<Vec<i64>>,
    }
}

/// Makes one; all but `ends_at` and `active_period` are needed.
pub fn create(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Project,
    schedule: &Schedule,
    new: &RotationInput,
) -> Result<Rotation> {
    if rows::count(tx, schedule.id)? >= MAX_ROTATIONS {
        let text = format!("There are {MAX_ROTATIONS} rotations already");
        return Err(Error::invalid("base", text));
    }
    let plan = plan(None, new)?;
    let name = unused(tx, schedule, new.name.as_deref().unwrap_or_default(), 0)?;
    let users = participants(tx, project, new.user_ids.as_deref().unwrap_or_default())?;
    let made = rows::insert(tx, schedule.id, &name, &plan)?;
    rows::set_participants(tx, made.id, &users)?;
    let details = details(schedule, &made, Some(&users));
    record(tx, viewer, project, "on_call_rotation.create", details)?;
    Ok(made)
}

pub fn update(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Project,
    schedule: &Schedule,
    rotation: &Rotation,
    change: &RotationInput,
) -> Result<Rotation> {
    let plan = plan(Some(&rotation.plan), change)?;
    let name = match &change.name {
        Some(name) => unused(tx, schedule, name, rotation.id)?,
        None => rotation.name.clone(),
    };
    let users = match &change.user_ids {
        Some(users) => Some(participants(tx, project, users)?),
        None => None,
    };
    let changed = rows::update(tx, rotation.id, &name, &plan)?;
    if let Some(users) = &users {
        rows::set_participants(tx, rotation.id, users)?;
    }
    let details = details(schedule, &changed, users.as_deref());
    record(tx, viewer, project, "on_call_rotation.update", details)?;
    Ok(changed)
}

pub fn destroy(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    project: &Project,
    schedule: &Schedule,
    rotation: &Rotation,
) -> Result<()> {
    rows::remove(tx, rotation.id)?;
    let details = details(schedule, rotation, None);
    record(tx, viewer, project, "on_call_rotation.destroy", details)
}

/// What a plan becomes, given what is stored of it.
fn plan(before: Option<&Plan>, input: &RotationInput) -> Result<Plan> {
    let blank = |field: &str| Error::invalid(field, "can't be blank");
    let starts_at = input.starts_at.or(before.map(|it| it.starts_at));
    let length = input.length.or(before.map(|it| it.length));
    let unit = input.length_unit.or(before.map(|it| it.unit));
    let plan = Plan {
        starts_at: starts_at.ok_or_else(|| blank("starts_at"))?,
        ends_at: input.ends_at.clone().over(before.and_then(|it| it.ends_at)),
        length: length.ok_or_else(|| blank("length"))?,
        unit: unit.ok_or_else(|| blank("length_unit"))?,
        active: input
            .active_period
            .clone()
            .over(before.and_then(|it| it.active)),
    };
    check(&plan)?;
    Ok(plan)
}

/// What cannot be a plan.
fn check(plan: &Plan) -> Result<()> {
    if !(1..=MAX_LENGTH).contains(&plan.length) {
        let text = format!("must be between 1 and {MAX_LENGTH}");
        return Err(Error::invalid("length", text));
    }
    let last = Date::new(LAST_YEAR, 12, 31).map_or(Timestamp::MAX, start_of);
    let usual = Timestamp::UNIX_EPOCH..=last;
    if !usual.contains(&plan.starts_at) {
        return Err(Error::invalid("starts_at", "is too far away"));
    }
    if let Some(ends_at) = plan.ends_at {
        if ends_at <= plan.starts_at {
            return Err(Error::invalid("ends_at", "must be later than starts_at"));
        }
        if !usual.contains(&ends_at) {
            return Err(Error::invalid("ends_at", "is too far away"));
        }
    }
    if plan.active.is_some() && plan.unit == Unit::Hours {
        let text = "is for turns of days or weeks only";
        return Err(Error::invalid("active_period", text));
    }
    Ok(())
}

/// A time of day such as `08:30`.
pub fn time_of_day(text: &str) -> Option<Time> {
    let digits = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
    let (hour, minute) = text.trim().split_once(':')?;
    if !digits(hour) || !digits(minute) {
        return None;
    }
    Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()
}

fn unused(tx: &mut Tx<'_>, schedule: &Schedule, given: &str, but: i64) -> Result<String> {
    let name = name(given)?;
    match rows::is_named(tx, schedule.id, &name, but)? {
        true => Err(Error::invalid("name", "has already been taken")),
        false => Ok(name),
    }
}

/// Those who take turns, each once.
fn participants(tx: &mut Tx<'_>, project: &Project, given: &[i64]) -> Result<Vec<i64>> {
    const FIELD: &str = "participants";
    let mut users: Vec<i64> = Vec::new();
    for id in given {
        if users.contains(id) {
            return Err(Error::invalid(FIELD, "names a user twice"));
        }
        users.push(*id);
        if users.len() > MAX_PARTICIPANTS {
            let text = format!("has more than {MAX_PARTICIPANTS} users");
            return Err(Error::invalid(FIELD, text));
        }
    }
    if users.is_empty() {
        return Err(Error::invalid(FIELD, "can't be blank"));
    }
    must_see_alerts(tx, project, &users, FIELD)?;
    Ok(users)
}

fn details(schedule: &Schedule, rotation: &Rotation, users: Option<&[i64]>) -> Value {
    let mut details = json!({
        "schedule": schedule.iid,
        "rotation": rotation.id,
        "name": rotation.name,
        "starts_at": wire::text(rotation.plan.starts_at),
        "length": rotation.plan.length,
        "length_unit": rotation.plan.unit,
    });
    if let Some(users) = users {
        details["participants"] = json!(users);
    }
    details
}

/// The shifts of a rotation that a part of lies between two times; `people`
/// are those of any rotations.
pub fn shifts<'p>(
    schedule: &Schedule,
    rotation: &Rotation,
    people: &'p [Participant],
    from: Timestamp,
    until: Timestamp,
) -> Vec<(Shift, &'p Participant)> {
    let own: Vec<&Participant> = people
        .iter()
        .filter(|one| one.rotation_id == rotation.id)
        .collect();
    let zone = zones::zone(&schedule.time_zone);
    let turns = Turns::new(&rotation.plan, &zone, own.len());
    let found = turns.between(from, until).into_iter();
    found
        .filter_map(|shift| Some((shift, *own.get(shift.person)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn daily() -> Plan {
        Plan {
            starts_at: "2031-05-05T00:00:00Z".parse().unwrap(),
            ends_at: None,
            length: 1,
            unit: Unit::Days,
            active: None,
        }
    }

    #[test]
    fn plans_have_limits() {
        let period = Period {
            from: time_of_day("08:00").unwrap(),
            until: time_of_day("17:00").unwrap(),
        };
        assert!(check(&daily()).is_ok());
        let fine = Plan {
            active: Some(period),
            length: 1_000,
            ..daily()
        };
        assert!(check(&fine).is_ok());
        let wrong: [fn(&mut Plan); 6] = [
            |plan| plan.length = 0,
            |plan| plan.length = 1_001,
            |plan| plan.ends_at = Some(plan.starts_at),
            |plan| plan.starts_at = Timestamp::MIN,
            |plan| plan.ends_at = Some(Timestamp::MAX),
            |plan| plan.unit = Unit::Hours,
        ];
        for change in wrong {
            let mut plan = fine.clone();
            change(&mut plan);
            assert!(check(&plan).is_err(), "{plan:?}");
        }
    }

    #[test]
    fn times_of_day_have_two_digits_twice() {
        assert_eq!(time_of_day("08:30").unwrap().to_string(), "08:30:00");
        for wrong in ["", "8:30", "24:00", "08:60", "08:30:00", "+8:30", "08"] {
            assert_eq!(time_of_day(wrong), None, "{wrong}");
        }
    }
}
