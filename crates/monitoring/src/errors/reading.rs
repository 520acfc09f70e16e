//! What lists and pages of errors share: charts, titles, addresses.

use super::model::{Status, Tracked};
use super::store::errors as rows;
use crate::hours::{Bar, DAYS, FEW_DAYS, HOURS, last_days, last_few_days, last_hours};
use jiff::Timestamp;
use kernel::error::Result;
use std::collections::HashMap;
use store::Tx;

/// Longest title in a list, in characters.
const MAX_TITLE: usize = 64;

impl Tracked {
    pub fn title(&self) -> String {
        match self.description.is_empty() {
            true => self.name.clone(),
            false => format!("{}: {}", self.name, self.description),
        }
    }

    /// The same as a row of a list has room for it.
    pub fn short_title(&self) -> String {
        self.title().chars().take(MAX_TITLE).collect()
    }

    /// The colour of its level; the text says the same.
    pub fn tone(&self) -> &'static str {
        tone_of(&self.level)
    }

    /// Whether it is open because it came back.
    pub fn has_regressed(&self) -> bool {
        self.regressed_at.is_some() && self.status == Status::Unresolved
    }

    pub fn path(&self, project: &str) -> String {
        format!("/{project}/-/error_tracking/{}/details", self.id)
    }
}

/// The colour of a level.
pub fn tone_of(level: &str) -> &'static str {
    match level {
        "fatal" | "error" => "bad",
        "warning" => "warn",
        _ => "plain",
    }
}

impl Status {
    /// What it is called on pages.
    pub fn label(self) -> &'static str {
        match self {
            Status::Unresolved => "Open",
            Status::Resolved => "Resolved",
            Status::Ignored => "Ignored",
        }
    }

    /// Its colour; the text says the same.
    pub fn tone(self) -> &'static str {
        match self {
            Status::Unresolved => "warn",
            Status::Resolved => "good",
            Status::Ignored => "plain",
        }
    }
}

/// The last 24 hours of each of these errors.
pub fn hours(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<HashMap<i64, Vec<Bar>>> {
    each(tx, ids, HOURS, last_hours)
}

/// The last days of each of these errors, as many as fit into a line.
pub fn few_days(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<HashMap<i64, Vec<Bar>>> {
    each(tx, ids, FEW_DAYS * 24, last_few_days)
}

/// By one statement for all of them.
fn each(
    tx: &mut Tx<'_>, ids: Vec<i64>, hours: i64,
    bars: fn(Timestamp, &[(Timestamp, i64)]) -> Vec<Bar>,
) -> Result<HashMap<i64, Vec<Bar>>> {
    let now = tx.now();
    let mut found: HashMap<i64, Vec<(Timestamp, i64)>> = HashMap::new();
    for (id, at, count) in rows::by_hour(tx, ids.clone(), hours)? {
        found.entry(id).or_default().push((at, count));
    }
    let bars = |id: i64| {
        let counts = found.get(&id).map(Vec::as_slice).unwrap_or_default();
        (id, bars(now, counts))
    };
    Ok(ids.into_iter().map(bars).collect())
}

pub fn days(tx: &mut Tx<'_>, id: i64) -> Result<Vec<Bar>> {
    let rows = rows::by_hour(tx, vec![id], DAYS * 24)?.into_iter();
    let counts: Vec<(Timestamp, i64)> = rows.map(|(_, at, count)| (at, count)).collect();
    Ok(last_days(tx.now(), &counts))
}
