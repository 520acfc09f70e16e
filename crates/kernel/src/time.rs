//! The clock every room reads, truncated to what both engines keep.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

pub use jiff::Timestamp;
pub use jiff::civil::Date;

/// Where the time comes from: the system, or a hand-moved value in tests.
#[derive(Clone, Default)]
pub struct Clock(Option<Arc<AtomicI64>>);

impl Clock {
    /// A clock that stands still until [`Clock::advance`] moves it.
    pub fn fixed(at: Timestamp) -> Clock {
        Clock(Some(Arc::new(AtomicI64::new(at.as_microsecond()))))
    }

    /// Now, in whole microseconds: PostgreSQL keeps no more, so a time read
    /// back equals the time written.
    pub fn now(&self) -> Timestamp {
        let micros = match &self.0 {
            Some(fixed) => fixed.load(Ordering::SeqCst),
            None => Timestamp::now().as_microsecond(),
        };
        Timestamp::from_microsecond(micros).expect("microseconds of a valid time are in range")
    }

    /// Moves a fixed clock forward; the system clock is left alone.
    pub fn advance(&self, seconds: i64) {
        if let Some(fixed) = &self.0 {
            fixed.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
        }
    }
}

/// The wire form of a time: ISO 8601 in UTC with exactly three decimals
/// (`2026-01-31T15:10:45.080Z`), for `#[serde(serialize_with = …)]`.
pub mod wire {
    use super::Timestamp;
    use serde::Serializer;

    /// Renders one time.
    pub fn text(at: Timestamp) -> String {
        format!("{at:.3}")
    }

    /// Serialises one time.
    pub fn serialize<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&text(*at))
    }

    /// Serialises a time that may be absent as null.
    pub mod optional {
        use super::{Serializer, Timestamp, text};

        /// Serialises one time or null.
        pub fn serialize<S: Serializer>(
            at: &Option<Timestamp>, serializer: S,
        ) -> Result<S::Ok, S::Error> {
            match at {
                Some(at) => serializer.serialize_str(&text(*at)),
                None => serializer.serialize_none(),
            }
        }
    }
}

/// The first instant of `date` in UTC: what ends «on» a date ends there.
pub fn start_of(date: Date) -> Timestamp {
    date.to_zoned(jiff::tz::TimeZone::UTC)
        .map(|zoned| zoned.timestamp())
        .unwrap_or(Timestamp::MAX)
}

/// The UTC date an instant falls on.
pub fn date_of(at: Timestamp) -> Date {
    at.to_zoned(jiff::tz::TimeZone::UTC).date()
}
