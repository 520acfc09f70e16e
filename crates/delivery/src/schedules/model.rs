//! When the pipelines of a branch or tag begin, and with whose rights.

use jiff::Timestamp;
use kernel::zones;
use pipeline_file::cron::Cron;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::{FromRow, Json};

/// Longest description, in characters.
pub const LONGEST: usize = 255;
/// The zone of a schedule that names none.
pub const USUAL_ZONE: &str = "UTC";

/// What its pipelines are given for an input of their file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PipelineScheduleInput")]
pub struct ScheduleInput {
    pub name: String,
    pub value: Value,
}

#[derive(Debug, Clone, FromRow)]
#[columns("ci_schedules")]
pub struct Schedule {
    pub id: i64,
    pub project_id: i64,
    /// Whose rights its pipelines have.
    pub owner_id: Option<i64>,
    pub description: String,
    /// A branch or tag by its whole name.
    #[column("ci_schedules.ref")]
    pub on_ref: String,
    pub cron: String,
    pub cron_timezone: String,
    pub active: bool,
    pub next_run_at: Option<Timestamp>,
    pub inputs: Json<Vec<ScheduleInput>>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Schedule {
    /// Its next time after another.
    pub fn next_after(&self, time: Timestamp) -> Option<Timestamp> {
        let cron = Cron::parse(&self.cron).ok()?;
        let after = time.to_zoned(zones::zone(&self.cron_timezone));
        Some(cron.next(&after)?.timestamp())
    }

    /// The branch or tag as people call it, and whether it is a tag.
    pub fn short_ref(&self) -> (&str, bool) {
        let of = |prefix: &str| self.on_ref.strip_prefix(prefix);
        match (of("refs/heads/"), of("refs/tags/")) {
            (Some(branch), _) => (branch, false),
            (None, Some(tag)) => (tag, true),
            (None, None) => (&self.on_ref, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(cron: &str, zone: &str) -> Schedule {
        Schedule {
            id: 1,
            project_id: 1,
            owner_id: None,
            description: String::new(),
            on_ref: "refs/tags/v1".to_owned(),
            cron: cron.to_owned(),
            cron_timezone: zone.to_owned(),
            active: true,
            next_run_at: None,
            inputs: Json(Vec::new()),
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn times_come_in_the_zone_of_the_schedule() {
        let now: Timestamp = "2031-07-01T12:00:00Z".parse().unwrap();
        for (cron, zone, wanted) in [
            ("0 4 * * *", "UTC", "2031-07-02T04:00:00Z"),
            ("0 4 * * *", "Europe/Berlin", "2031-07-02T02:00:00Z"),
            ("0 15 * * *", "Europe/Berlin", "2031-07-01T13:00:00Z"),
            ("*/5 * * * *", "Asia/Kolkata", "2031-07-01T12:05:00Z"),
        ] {
            let next = schedule(cron, zone).next_after(now).unwrap();
            assert_eq!(next.to_string(), wanted, "{cron} {zone}");
        }
        assert_eq!(schedule("never", "UTC").next_after(now), None);
    }

    #[test]
    fn a_ref_has_a_short_name() {
        let mut one = schedule("* * * * *", "UTC");
        assert_eq!(one.short_ref(), ("v1", true));
        one.on_ref = "refs/heads/a/b".to_owned();
        assert_eq!(one.short_ref(), ("a/b", false));
    }
}
