//! Times as monitoring tools write them.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, fmt::rfc2822};
use serde_json::Value;

/// Numbers from here on are milliseconds since 1970, not seconds.
const MILLISECONDS: i64 = 100_000_000_000;
/// Years that are believed; the metrics tool writes year 1 for no time.
const YEARS: std::ops::RangeInclusive<i16> = 1970..=9998;

/// The time a value tells, if it tells one that can be believed.
pub fn of(value: &Value) -> Option<Timestamp> {
    let found = match value {
        Value::Number(number) => number.as_f64().and_then(epoch),
        Value::String(text) => parse(text.trim()),
        _ => None,
    };
    let in_utc = |at: &Timestamp| at.to_zoned(TimeZone::UTC).year();
    found.filter(|at| YEARS.contains(&in_utc(at)))
}

fn epoch(number: f64) -> Option<Timestamp> {
    let is_milliseconds = number.abs() >= MILLISECONDS as f64;
    let milliseconds = if is_milliseconds {
        number
    } else {
        number * 1_000.0
    };
    // A cast of what does not fit ends at the edge, which is no time.
    Timestamp::from_millisecond(milliseconds as i64).ok()
}

fn parse(text: &str) -> Option<Timestamp> {
    if text.is_empty() || text.len() > 64 {
        return None;
    }
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse::<f64>().ok().and_then(epoch);
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(whole(at));
    }
    if let Ok(at) = rfc2822::parse(text) {
        return Some(at.timestamp());
    }
    // Without an offset it is UTC, whether it says so or not.
    let bare = text.strip_suffix("UTC").or(text.strip_suffix("GMT"));
    let bare = bare.unwrap_or(text).trim();
    let civil = bare.parse::<DateTime>().ok();
    let civil = civil.or_else(|| bare.parse::<Date>().ok().map(DateTime::from))?;
    civil
        .to_zoned(TimeZone::UTC)
        .ok()
        .map(|at| whole(at.timestamp()))
}

/// Whole microseconds, as the database keeps them.
fn whole(at: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(at.as_microsecond()).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn usual_forms_are_read() {
        let expected = "2019-09-12T06:00:55Z".parse::<Timestamp>().unwrap();
        for value in [
            json!("2019-09-12T06:00:55Z"),
            json!("2019-09-12T06:00:55+00:00"),
            json!("2019-09-12T08:00:55+02:00"),
            json!("2019-09-12 06:00:55"),
            json!("2019-09-12 06:00:55 UTC"),
            json!(" 2019-09-12T06:00:55 "),
            json!("Thu, 12 Sep 2019 06:00:55 +0000"),
            json!(1_568_268_055),
            json!("1568268055"),
            json!(1_568_268_055_000_i64),
            json!("1568268055000"),
        ] {
            assert_eq!(of(&value), Some(expected), "{value}");
        }
        let day = of(&json!("2019-09-12")).map(|at| at.to_string());
        assert_eq!(day.as_deref(), Some("2019-09-12T00:00:00Z"));
        let fine = of(&json!("2019-09-12T06:00:55.123456789Z")).map(|at| at.to_string());
        assert_eq!(fine.as_deref(), Some("2019-09-12T06:00:55.123456Z"));
    }

    #[test]
    fn others_are_none() {
        for value in [
            json!("9999-99-99"),
            json!("0001-01-01T00:00:00Z"),
            json!("0001-01-01"),
            json!("275760-09-13T00:00:00Z"),
            json!("9999-12-31T23:59:59Z"),
            json!(8.64e15),
            json!(-1e300),
            json!(-1),
            json!("yesterday"),
            json!("99999999999999999999999999"),
            json!(""),
            json!("\u{0}"),
            json!(null),
            json!(true),
            json!(["2019-09-12"]),
        ] {
            assert_eq!(of(&value), None, "{value}");
        }
    }
}
