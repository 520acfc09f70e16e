//! Who is on call over the next two weeks, drawn as one line.

use crate::on_call::model::{Rotation, Schedule};
use crate::on_call::related::RelatedToRotations;
use crate::on_call::rules::rotations::shifts;
use crate::on_call::zones;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;

/// Days a line is long.
const DAYS: i64 = 14;
/// Units of a day: one is a quarter of an hour.
const DAY: i64 = 96;
/// Colours of people by their place; the text says the same.
const COLOURS: &[&str] =
    &["var(--pine)", "var(--oak)", "var(--edge)", "var(--bad)", "var(--pine-deep)"];

#[derive(Debug, Clone)]
pub struct Line {
    pub name: String,
    pub width: i64,
    pub days: Vec<i64>,
    pub parts: Vec<Part>,
}

#[derive(Debug, Clone)]
pub struct Part {
    pub x: i64,
    pub width: i64,
    pub colour: &'static str,
    pub who: String,
    /// From when until when, by clocks of the schedule's time zone.
    pub when: String,
}

/// The line of a rotation from now on, with at most so many parts.
pub fn line(
    schedule: &Schedule,
    rotation: &Rotation,
    turns: &RelatedToRotations,
    now: Timestamp,
    most: usize,
) -> Line {
    let zone = zones::zone(&schedule.time_zone);
    let end = now.checked_add(SignedDuration::from_hours(24 * DAYS));
    let end = end.unwrap_or(now);
    let mut places: HashMap<i64, usize> = HashMap::new();
    let parts = shifts(schedule, rotation, &turns.people, now, end).into_iter().take(most).map(
        |(shift, one)| {
            let next = places.len();
            let place = *places.entry(one.user_id).or_insert(next);
            let x = unit(shift.starts_at, now);
            Part {
                x,
                width: (unit(shift.ends_at, now) - x).max(1),
                colour: COLOURS[place % COLOURS.len()],
                who: match turns.users.get(&one.user_id) {
                    Some(user) => format!("@{}", user.username),
                    None => String::new(),
                },
                when: format!(
                    "{} to {}",
                    moment(shift.starts_at, &zone),
                    moment(shift.ends_at, &zone)
                ),
            }
        },
    );
    Line {
        name: rotation.name.clone(),
        width: DAYS * DAY,
        days: (1..DAYS).map(|day| day * DAY).collect(),
        parts: parts.collect(),
    }
}

fn unit(at: Timestamp, now: Timestamp) -> i64 {
    let seconds = at.duration_since(now).as_secs();
    (seconds * DAY / (24 * 3_600)).clamp(0, DAYS * DAY)
}

/// A time as people of the zone read it.
pub fn moment(at: Timestamp, zone: &TimeZone) -> String {
    let at = at.to_zoned(zone.clone());
    at.strftime("%a %-d %b, %H:%M").to_string()
}
