//! What lists and pages of errors share: charts, titles, addresses.

use super::model::Tracked;
use super::store::arrive::hour;
use super::store::errors as rows;
use jiff::{SignedDuration, Timestamp};
use kernel::error::Result;
use std::collections::HashMap;
use store::Tx;

/// Hours a chart shows.
pub const HOURS: i64 = 24;
/// Days the chart of one error shows.
pub const DAYS: i64 = 30;
/// Longest title, in characters.
const MAX_TITLE: usize = 64;

/// How often something happened, in one hour or day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bar {
    /// When it begins.
    pub at: Timestamp,
    /// Events in it.
    pub count: i64,
}

impl Tracked {
    /// Name and description, as one line of a list.
    pub fn title(&self) -> String {
        let whole = match self.description.is_empty() {
            true => self.name.clone(),
            false => format!("{}: {}", self.name, self.description),
        };
        whole.chars().take(MAX_TITLE).collect()
    }

    /// Path of its page.
    pub fn path(&self, project: &str) -> String {
        format!("/{project}/-/error_tracking/{}/details", self.id)
    }
}

/// The last 24 hours of each of these errors.
pub fn hours(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<HashMap<i64, Vec<Bar>>> {
    let now = hour(tx.now());
    let found = counts(tx, &ids, HOURS)?;
    let bars = |id: i64| {
        let hours = (0..HOURS).rev().map(|ago| before(now, ago));
        let bar = |at| Bar {
            at,
            count: found.get(&(id, at)).copied().unwrap_or(0),
        };
        (id, hours.map(bar).collect())
    };
    Ok(ids.into_iter().map(bars).collect())
}

/// The last 30 days of one error.
pub fn days(tx: &mut Tx<'_>, id: i64) -> Result<Vec<Bar>> {
    let now = tx.now();
    let day = |at: Timestamp| at.as_second().div_euclid(24 * 3_600);
    let today = day(now);
    let mut sums: HashMap<i64, i64> = HashMap::new();
    for ((_, at), count) in counts(tx, &[id], DAYS * 24)? {
        *sums.entry(day(at)).or_default() += count;
    }
    let days = (today - DAYS + 1..=today).filter_map(|day| {
        Some(Bar {
            at: Timestamp::from_second(day * 24 * 3_600).ok()?,
            count: sums.get(&day).copied().unwrap_or(0),
        })
    });
    Ok(days.collect())
}

fn counts(tx: &mut Tx<'_>, ids: &[i64], hours: i64) -> Result<HashMap<(i64, Timestamp), i64>> {
    let rows = rows::by_hour(tx, ids.to_vec(), hours)?;
    let keyed = rows.into_iter().map(|(id, at, count)| ((id, at), count));
    Ok(keyed.collect())
}

fn before(now: Timestamp, hours: i64) -> Timestamp {
    now.checked_sub(SignedDuration::from_hours(hours))
        .unwrap_or(now)
}
