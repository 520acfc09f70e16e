//! Rotations of a schedule.

use super::{must_see_alerts, name, unused};
use crate::on_call::access::ScheduleAccess;
use crate::on_call::model::{
    MAX_LENGTH, MAX_PARTICIPANTS, MAX_ROTATIONS, Participant, Period, Plan, Rotation, Schedule,
    Unit,
};
use crate::on_call::shifts::{Shift, Turns};
use crate::on_call::store::rotations as rows;
use crate::on_call::zones;
use jiff::Timestamp;
use jiff::civil::Date;
use kernel::error::{Error, Result};
use kernel::http::{Flat, Patch};
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

kernel::params! {
    /// A rotation about to be made.
    pub struct NewRotation {
        /// What people call it.
        pub name: String,
        pub plan: Flat<Plan>,
        /// Who takes turns, in their order.
        pub user_ids: Vec<i64>,
    }
}

impl RotationInput {
    /// A new one like this, whose plan is not checked; all but `ends_at` and
    /// `active_period` are needed.
    pub fn whole(self) -> Result<NewRotation> {
        Ok(NewRotation {
            plan: Flat(plan(None, &self)?),
            name: self.name.unwrap_or_default(),
            user_ids: self.user_ids.unwrap_or_default(),
        })
    }
}

pub fn create(tx: &mut Tx<'_>, on: &ScheduleAccess, new: &NewRotation) -> Result<Rotation> {
    if rows::count(tx, on.schedule.id)? >= MAX_ROTATIONS {
        let text = format!("There are {MAX_ROTATIONS} rotations already");
        return Err(Error::invalid("base", text));
    }
    check(&new.plan)?;
    let name = free_name(tx, on, &new.name, 0)?;
    let users = participants(tx, &on.here.project, &new.user_ids)?;
    let made = rows::insert(tx, on.schedule.id, &name, &new.plan)?;
    rows::set_participants(tx, made.id, &users)?;
    let details = details(on, &made, Some(&users));
    on.here.record(tx, "on_call_rotation.create", details)?;
    Ok(made)
}

pub fn update(
    tx: &mut Tx<'_>, on: &ScheduleAccess, rotation: &Rotation, change: &RotationInput,
) -> Result<Rotation> {
    let plan = plan(Some(&rotation.plan), change)?;
    check(&plan)?;
    let name = match &change.name {
        Some(name) => free_name(tx, on, name, rotation.id)?,
        None => rotation.name.clone(),
    };
    let users = match &change.user_ids {
        Some(users) => Some(participants(tx, &on.here.project, users)?),
        None => None,
    };
    let changed = rows::update(tx, rotation.id, &name, &plan)?;
    if let Some(users) = &users {
        rows::set_participants(tx, rotation.id, users)?;
    }
    let details = details(on, &changed, users.as_deref());
    on.here.record(tx, "on_call_rotation.update", details)?;
    Ok(changed)
}

pub fn destroy(tx: &mut Tx<'_>, on: &ScheduleAccess, rotation: &Rotation) -> Result<()> {
    rows::remove(tx, rotation.id)?;
    let details = details(on, rotation, None);
    on.here.record(tx, "on_call_rotation.destroy", details)
}

/// What a plan becomes, unchecked, given what is stored of it.
fn plan(before: Option<&Plan>, input: &RotationInput) -> Result<Plan> {
    let blank = |field: &str| Error::invalid(field, "can't be blank");
    let starts_at = input.starts_at.or(before.map(|it| it.starts_at));
    let length = input.length.or(before.map(|it| it.length));
    let unit = input.length_unit.or(before.map(|it| it.length_unit));
    Ok(Plan {
        starts_at: starts_at.ok_or_else(|| blank("starts_at"))?,
        ends_at: input.ends_at.clone().over(before.and_then(|it| it.ends_at)),
        length: length.ok_or_else(|| blank("length"))?,
        length_unit: unit.ok_or_else(|| blank("length_unit"))?,
        active_period: input.active_period.clone().over(before.and_then(|it| it.active_period)),
    })
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
    if plan.active_period.is_some() && plan.length_unit == Unit::Hours {
        let text = "is for turns of days or weeks only";
        return Err(Error::invalid("active_period", text));
    }
    Ok(())
}

fn free_name(tx: &mut Tx<'_>, on: &ScheduleAccess, given: &str, but: i64) -> Result<String> {
    let schedule = on.schedule.id;
    unused(name(given)?, |name| rows::is_named(tx, schedule, name, but))
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

fn details(on: &ScheduleAccess, rotation: &Rotation, users: Option<&[i64]>) -> Value {
    let mut details = json!({
        "schedule": on.schedule.iid,
        "rotation": rotation.id,
        "name": rotation.name,
        "starts_at": wire::text(rotation.plan.starts_at),
        "length": rotation.plan.length,
        "length_unit": rotation.plan.length_unit,
    });
    if let Some(users) = users {
        details["participants"] = json!(users);
    }
    details
}

/// The shifts of a rotation that a part of lies between two times; `people`
/// are those of any rotations.
pub fn shifts<'p>(
    schedule: &Schedule, rotation: &Rotation, people: &'p [Participant], from: Timestamp,
    until: Timestamp,
) -> Vec<(Shift, &'p Participant)> {
    let own: Vec<&Participant> =
        people.iter().filter(|one| one.rotation_id == rotation.id).collect();
    let zone = zones::zone(&schedule.time_zone);
    let turns = Turns::new(&rotation.plan, &zone, own.len());
    let found = turns.between(from, until).into_iter();
    found.filter_map(|shift| Some((shift, *own.get(shift.person)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::on_call::model::Clock;

    fn daily() -> Plan {
        Plan {
            starts_at: "2031-05-05T00:00:00Z".parse().unwrap(),
            ends_at: None,
            length: 1,
            length_unit: Unit::Days,
            active_period: None,
        }
    }

    #[test]
    fn plans_have_limits() {
        let period = Period {
            start_time: Clock::read("08:00").unwrap(),
            end_time: Clock::read("17:00").unwrap(),
        };
        assert!(check(&daily()).is_ok());
        let fine = Plan { active_period: Some(period), length: 1_000, ..daily() };
        assert!(check(&fine).is_ok());
        let wrong: [fn(&mut Plan); 6] = [
            |plan| plan.length = 0,
            |plan| plan.length = 1_001,
            |plan| plan.ends_at = Some(plan.starts_at),
            |plan| plan.starts_at = Timestamp::MIN,
            |plan| plan.ends_at = Some(Timestamp::MAX),
            |plan| plan.length_unit = Unit::Hours,
        ];
        for change in wrong {
            let mut plan = fine.clone();
            change(&mut plan);
            assert!(check(&plan).is_err(), "{plan:?}");
        }
    }
}
