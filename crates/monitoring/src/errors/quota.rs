//! How much of what arrives a project may keep: two windows, counted in the
//! database so that they hold across nodes.

use super::limits::ErrorLimits;
use super::store::quotas as rows;
use jiff::{SignedDuration, Timestamp};
use kernel::error::Result;
use store::{FromRow, Tx};

const SHORT: i64 = 5 * 60;
const LONG: i64 = 60 * 60;

/// What a project received in its present windows; both are over by default.
#[derive(Debug, Clone, Default, PartialEq, Eq, FromRow)]
pub struct Quota {
    pub short_from: Timestamp,
    pub short_count: i64,
    pub long_from: Timestamp,
    pub long_count: i64,
}

/// What of a number of events is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Granted {
    /// The first so many of them.
    pub count: usize,
    /// Seconds until more can be, at least 1.
    pub retry_after: i64,
}

impl Quota {
    /// Counts as many of `wanted` as there is room for.
    fn take(&mut self, now: Timestamp, limits: &ErrorLimits, wanted: usize) -> Granted {
        let is_over = |from: Timestamp, length| now >= end(from, length) || now < from;
        if is_over(self.short_from, SHORT) {
            (self.short_from, self.short_count) = (now, 0);
        }
        if is_over(self.long_from, LONG) {
            (self.long_from, self.long_count) = (now, 0);
        }
        let short = (limits.per_five_minutes - self.short_count).max(0);
        let long = (limits.per_hour - self.long_count).max(0);
        let room = usize::try_from(short.min(long)).unwrap_or(usize::MAX);
        let count = wanted.min(room);
        self.short_count += count as i64;
        self.long_count += count as i64;
        let full = match long <= short {
            true => end(self.long_from, LONG),
            false => end(self.short_from, SHORT),
        };
        Granted {
            count,
            retry_after: (full.as_second() - now.as_second()).max(1),
        }
    }
}

fn end(from: Timestamp, seconds: i64) -> Timestamp {
    from.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX)
}

/// Counts as many of `wanted` events of a project as there is room for.
pub fn take(
    tx: &mut Tx<'_>, project_id: i64, limits: &ErrorLimits, wanted: usize,
) -> Result<Granted> {
    let now = tx.now();
    let known = rows::of_project(tx, project_id)?;
    let mut quota = known.unwrap_or_default();
    let granted = quota.take(now, limits, wanted);
    if granted.count > 0 {
        rows::put(tx, project_id, &quota)?;
    }
    Ok(granted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn both_windows_hold_and_begin_anew() {
        let limits = ErrorLimits { per_five_minutes: 10, per_hour: 15, ..ErrorLimits::default() };
        let mut quota = Quota::default();
        let mut take = |second, wanted| {
            let granted = quota.take(at(second), &limits, wanted);
            (granted.count, granted.retry_after)
        };
        assert_eq!(take(0, 8).0, 8);
        assert_eq!(take(100, 8), (2, 200));
        assert_eq!(take(200, 1), (0, 100));
        assert_eq!(take(300, 8), (5, 3_300));
        assert_eq!(take(3_599, 1), (0, 1));
        assert_eq!(take(3_600, 20).0, 10);
    }
}
