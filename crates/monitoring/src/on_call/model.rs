//! Schedules, rotations and policies as they are stored, and their limits.

use crate::rows::Times;
use jiff::Timestamp;
use jiff::civil::Time;
use kernel::http::params::{Param, Unusable};
use kernel::time::wire;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::fmt;
use store::{FromRow, FromValue, IntoValue, Row, Type};

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
    #[nested]
    #[serde(flatten)]
    pub times: Times,
}

/// A time of day in whole minutes, such as `08:30`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock(pub Time);

impl Clock {
    pub fn read(text: &str) -> Option<Clock> {
        let digits = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
        let (hour, minute) = text.trim().split_once(':')?;
        if !digits(hour) || !digits(minute) {
            return None;
        }
        let time = Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0);
        time.ok().map(Clock)
    }

    /// The time so many minutes after midnight; midnight for what is none.
    fn of_minutes(minutes: i64) -> Clock {
        let part = |number: i64| i8::try_from(number).unwrap_or(0);
        Clock(Time::new(part(minutes / 60), part(minutes % 60), 0, 0).unwrap_or_default())
    }

    fn minutes(self) -> i64 {
        i64::from(self.0.hour()) * 60 + i64::from(self.0.minute())
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.0.hour(), self.0.minute())
    }
}

impl Serialize for Clock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Param for Clock {
    fn parse(value: &Value) -> Result<Self, Unusable> {
        let text = value.as_str().ok_or(Unusable::Invalid)?;
        Clock::read(text).ok_or(Unusable::Invalid)
    }
    fn schema() -> Value {
        json!({"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"})
    }
}

impl FromValue for Clock {
    fn from_value(value: store::Value) -> store::Result<Clock> {
        i64::from_value(value).map(Clock::of_minutes)
    }
}

impl IntoValue for Clock {
    const TYPE: Type = i64::TYPE;
    fn into_value(self) -> store::Value {
        self.minutes().into_value()
    }
}

kernel::params! {
    /// The part of the day in which people are on call. One that does not end
    /// later than it starts ends the next day.
    #[derive(Copy, PartialEq, Eq, Serialize, JsonSchema)]
    #[schemars(rename = "ActivePeriodEntity")]
    pub struct Period {
        /// From when, such as `08:30`.
        #[schemars(with = "String")]
        pub start_time: Clock,
        /// Until when; of the next day if that is not later.
        #[schemars(with = "String")]
        pub end_time: Clock,
    }
}

kernel::params! {
    /// How people of a rotation take turns.
    #[derive(PartialEq, Eq, Serialize, JsonSchema)]
    pub struct Plan {
        /// When the first turn begins.
        #[serde(serialize_with = "wire::serialize")]
        #[schemars(with = "String")]
        pub starts_at: Timestamp,
        /// When the last one ends; never unless given.
        #[serde(serialize_with = "wire::optional::serialize")]
        #[schemars(with = "Option<String>")]
        pub ends_at: Option<Timestamp>,
        /// Length of a turn.
        pub length: i64,
        /// In what it is counted.
        pub length_unit: Unit,
        /// The time of day people are on call; all day unless given.
        pub active_period: Option<Period>,
    }
}

impl FromRow for Plan {
    fn from_row(row: &mut Row<'_>) -> store::Result<Plan> {
        let start_time: Option<Clock> = row.get("active_from")?;
        let end_time: Option<Clock> = row.get("active_until")?;
        let period = start_time.zip(end_time);
        Ok(Plan {
            starts_at: row.get("starts_at")?,
            ends_at: row.get("ends_at")?,
            length: row.get("length")?,
            length_unit: row.get("length_unit")?,
            active_period: period.map(|(start_time, end_time)| Period { start_time, end_time }),
        })
    }
}

/// People of a schedule who take turns.
#[derive(Debug, Clone, Serialize, JsonSchema, FromRow)]
pub struct Rotation {
    /// Its number.
    pub id: i64,
    #[serde(skip)]
    pub schedule_id: i64,
    /// What people call it.
    pub name: String,
    #[nested]
    #[serde(flatten)]
    pub plan: Plan,
    #[nested]
    #[serde(skip)]
    pub times: Times,
}

#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Participant {
    pub id: i64,
    pub rotation_id: i64,
    pub user_id: i64,
}

/// Whom the alerts of a project page when nobody looks after them.
#[derive(Debug, Clone, Serialize, JsonSchema, FromRow)]
pub struct Policy {
    /// Its number.
    pub id: i64,
    /// Its project.
    pub project_id: i64,
    /// What people call it.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    #[nested]
    #[serde(skip)]
    pub times: Times,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    Schedule(i64),
    User(i64),
}

impl Target {
    /// The schedule or the user.
    pub fn ids(self) -> (Option<i64>, Option<i64>) {
        match self {
            Target::Schedule(id) => (Some(id), None),
            Target::User(id) => (None, Some(id)),
        }
    }
}

impl FromRow for Target {
    fn from_row(row: &mut Row<'_>) -> store::Result<Target> {
        let user: Option<i64> = row.get("user_id")?;
        let schedule: Option<i64> = row.get("schedule_id")?;
        // The table holds one of them.
        Ok(match schedule {
            Some(id) => Target::Schedule(id),
            None => Target::User(user.unwrap_or_default()),
        })
    }
}

/// A step of a policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, FromRow)]
pub struct Rule {
    /// Its number.
    pub id: i64,
    #[serde(skip)]
    pub policy_id: i64,
    /// How long after an alert began, in seconds.
    #[serde(rename = "elapsed_time_seconds")]
    pub elapsed_seconds: i64,
    /// Unless the alert has become this.
    #[serde(rename = "status")]
    pub until: Until,
    #[nested]
    #[serde(skip)]
    pub target: Target,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_are_kept_in_minutes() {
        for minute in [0, 1, 59, 60, 8 * 60 + 30, 23 * 60 + 59] {
            assert_eq!(Clock::of_minutes(minute).minutes(), minute);
        }
        assert_eq!(Clock::of_minutes(24 * 60).0, Time::midnight());
        assert_eq!(Clock::of_minutes(-1).0, Time::midnight());
    }

    #[test]
    fn times_of_day_have_two_digits_twice() {
        assert_eq!(Clock::read("08:30").unwrap().to_string(), "08:30");
        for wrong in ["", "8:30", "24:00", "08:60", "08:30:00", "+8:30", "08"] {
            assert_eq!(Clock::read(wrong), None, "{wrong}");
        }
    }
}
