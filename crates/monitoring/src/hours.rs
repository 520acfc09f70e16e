//! What charts show of counts that are kept by the hour.

use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;

pub const HOURS: i64 = 24;
pub const DAYS: i64 = 30;
/// Days that fit into a line.
pub const FEW_DAYS: i64 = 14;
const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// How often something happened, in one hour or day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bar {
    pub at: Timestamp,
    pub count: i64,
}

/// The hour an instant falls into.
pub fn hour(at: Timestamp) -> Timestamp {
    let second = at.as_second().div_euclid(HOUR) * HOUR;
    Timestamp::from_second(second).unwrap_or(at)
}

pub fn before(now: Timestamp, hours: i64) -> Timestamp {
    now.checked_sub(SignedDuration::from_hours(hours))
        .unwrap_or(Timestamp::UNIX_EPOCH)
}

/// The last hours up to now, of counts by the hour.
pub fn last_hours(now: Timestamp, counts: &[(Timestamp, i64)]) -> Vec<Bar> {
    let counts: HashMap<Timestamp, i64> = counts.iter().copied().collect();
    let now = hour(now);
    let bar = |ago| {
        let at = before(now, ago);
        Bar { at, count: counts.get(&at).copied().unwrap_or(0) }
    };
    (0..HOURS).rev().map(bar).collect()
}

/// The last days up to today, of counts by the hour.
pub fn last_days(now: Timestamp, counts: &[(Timestamp, i64)]) -> Vec<Bar> {
    days(now, counts, DAYS)
}

/// The last few of them.
pub fn last_few_days(now: Timestamp, counts: &[(Timestamp, i64)]) -> Vec<Bar> {
    days(now, counts, FEW_DAYS)
}

fn days(now: Timestamp, counts: &[(Timestamp, i64)], days: i64) -> Vec<Bar> {
    let day = |at: Timestamp| at.as_second().div_euclid(DAY);
    let today = day(now);
    let mut sums: HashMap<i64, i64> = HashMap::new();
    for (at, count) in counts {
        *sums.entry(day(*at)).or_default() += count;
    }
    let days = (today - days + 1..=today).filter_map(|day| {
        Some(Bar {
            at: Timestamp::from_second(day * DAY).ok()?,
            count: sums.get(&day).copied().unwrap_or(0),
        })
    });
    days.collect()
}

/// Bars of hours as charts of pages take them.
pub fn of_hours(bars: &[Bar]) -> Vec<(String, u64)> {
    labelled(bars, "%H:%M")
}

/// Bars of days as charts of pages take them.
pub fn of_days(bars: &[Bar]) -> Vec<(String, u64)> {
    labelled(bars, "%-d %b")
}

fn labelled(bars: &[Bar], format: &str) -> Vec<(String, u64)> {
    let label = |bar: &Bar| (bar.at.strftime(format).to_string(), bar.count.unsigned_abs());
    bars.iter().map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_fall_into_their_hours_and_days() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let now = at("2025-05-05T10:20:30Z");
        let counts = [
            (at("2025-05-05T10:00:00Z"), 3),
            (at("2025-05-05T09:00:00Z"), 4),
            (at("2025-05-04T09:00:00Z"), 5),
        ];
        let hours = last_hours(now, &counts);
        assert_eq!(hours.len(), 24);
        assert_eq!((hours[23].count, hours[22].count, hours[21].count), (3, 4, 0));
        assert_eq!(of_hours(&hours)[23].0, "10:00");
        let days = last_days(now, &counts);
        assert_eq!(days.len(), 30);
        assert_eq!((days[29].count, days[28].count, days[0].count), (7, 5, 0));
        assert_eq!(of_days(&days)[28].0, "4 May");
        let few = last_few_days(now, &counts);
        assert_eq!((few.len(), few[13].count, few[12].count), (14, 7, 5));
    }
}
