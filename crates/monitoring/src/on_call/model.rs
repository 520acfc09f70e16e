//! Schedules, rotations and policies as they are stored, and their limits.

use jiff::Timestamp;
use jiff::civil::Time;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use store::{FromRow, Row};

/// Longest name, in characters.
pub const MAX_NAME: usize = 200;
/// Longest description, in characters.
pub const MAX_DESCRIPTION: usize = 1_000;
/// Most schedules of a project.
pub const MAX_SCHEDULES: i64 = 50;
/// Most rotations of a schedule.
pub const MAX_ROTATIONS: i64 = 20;
/// Most people of a rotation.
pub const MAX_PARTICIPANTS: usize = 100;
/// Longest turn, in units.
pub const MAX_LENGTH: i64 = 1_000;
/// Most rules of a policy.
pub const MAX_RULES: usize = 10;
/// Longest time after which a rule pages, in seconds.
pub const MAX_ELAPSED: i64 = 24 * 3_600;
/// Longest time for which shifts are computed at once, in days.
pub const MAX_DAYS: i64 = 31;

kernel::choices! {
    /// What the length of a turn is counted in.
    pub enum Unit {
        Hours = "hours",
        /// Days of the schedule's time zone.
        Days = "days",
        Weeks = "weeks",
    }
}

kernel::choices! {
    /// What an alert must have become for a rule to page nobody.
    pub enum Until {
        /// Somebody looks after it, or it is over.
        Acknowledged = "acknowledged",
        Resolved = "resolved",
    }
}

/// A plan of who is on call.
#[derive(Debug, Clone, Serialize, JsonSchema, FromRow)]
#[schemars(rename = "OnCallScheduleEntity")]
pub struct Schedule {
    /// Its number.
    pub id: i64,
    /// Its number in the project.
    pub iid: i64,
    /// Its project.
    pub project_id: i64,
    /// What people call it.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// IANA name of its time zone.
    #[serde(rename = "timezone")]
    pub time_zone: String,
    /// When it was made.
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// When it was changed.
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub updated_at: Timestamp,
}

/// The time of day in which people are on call, in whole minutes. One that
/// does not end later than it starts ends the next day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    pub from: Time,
    pub until: Time,
}

pub fn minutes(time: Time) -> i64 {
    i64::from(time.hour()) * 60 + i64::from(time.minute())
}

/// The time so many minutes after midnight; midnight for what is none.
fn time(minutes: i64) -> Time {
    let part = |number: i64| i8::try_from(number).unwrap_or(0);
    Time::new(part(minutes / 60), part(minutes % 60), 0, 0).unwrap_or_default()
}

/// How people of a rotation take turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub starts_at: Timestamp,
    pub ends_at: Option<Timestamp>,
    pub length: i64,
    pub unit: Unit,
    /// The time of day they are on call; all day without.
    pub active: Option<Period>,
}

/// People of a schedule who take turns.
#[derive(Debug, Clone)]
pub struct Rotation {
    pub id: i64,
    pub schedule_id: i64,
    pub name: String,
    pub plan: Plan,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl FromRow for Rotation {
    fn from_row(row: &mut Row<'_>) -> store::Result<Rotation> {
        let from: Option<i64> = row.get("active_from")?;
        let until: Option<i64> = row.get("active_until")?;
        Ok(Rotation {
            id: row.get("id")?,
            schedule_id: row.get("schedule_id")?,
            name: row.get("name")?,
            plan: Plan {
                starts_at: row.get("starts_at")?,
                ends_at: row.get("ends_at")?,
                length: row.get("length")?,
                unit: row.get("length_unit")?,
                active: from.zip(until).map(|(from, until)| Period {
                    from: time(from),
                    until: time(until),
                }),
            },
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Participant {
    pub id: i64,
    pub rotation_id: i64,
    pub user_id: i64,
}

/// Whom the alerts of a project page when nobody looks after them.
#[derive(Debug, Clone, FromRow)]
pub struct Policy {
    pub id: i64,
    pub project_id: i64,
    pub name: String,
    pub description: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    Schedule(i64),
    User(i64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub id: i64,
    pub policy_id: i64,
    /// How long after an alert began, in seconds.
    pub elapsed_seconds: i64,
    /// Unless the alert has become this.
    pub until: Until,
    pub target: Target,
}

impl FromRow for Rule {
    fn from_row(row: &mut Row<'_>) -> store::Result<Rule> {
        let schedule: Option<i64> = row.get("schedule_id")?;
        let user: Option<i64> = row.get("user_id")?;
        Ok(Rule {
            id: row.get("id")?,
            policy_id: row.get("policy_id")?,
            elapsed_seconds: row.get("elapsed_seconds")?,
            until: row.get("until")?,
            // The table holds one of them.
            target: match schedule {
                Some(id) => Target::Schedule(id),
                None => Target::User(user.unwrap_or_default()),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_are_kept_in_minutes() {
        for minute in [0, 1, 59, 60, 8 * 60 + 30, 23 * 60 + 59] {
            assert_eq!(minutes(time(minute)), minute);
        }
        assert_eq!(time(24 * 60), Time::midnight());
        assert_eq!(time(-1), Time::midnight());
    }
}
