//! Instants of a schedule, whose clocks are those of its time zone.

use super::model::Schedule;
use jiff::Timestamp;
use jiff::civil::DateTime;
pub use kernel::zones::{named, names, zone};

/// When clocks of a schedule's zone show this; the first time if they do twice.
pub fn instant(schedule: &Schedule, shown: DateTime) -> Option<Timestamp> {
    let zone = zone(&schedule.time_zone);
    zone.to_ambiguous_timestamp(shown).compatible().ok()
}
