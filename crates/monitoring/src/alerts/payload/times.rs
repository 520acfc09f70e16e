//! Times as monitoring tools write them.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::fmt::{rfc2822, strtime};
use jiff::tz::TimeZone;
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
    let year = |at: &Timestamp| at.to_zoned(TimeZone::UTC).year();
    found.filter(|at| YEARS.contains(&year(at)))
}

fn epoch(number: f64) -> Option<Timestamp> {
    let is_milliseconds = number.abs() >= MILLISECONDS as f64;
    let milliseconds = if is_milliseconds { number } else { number * 1_000.0 };
    // A cast of what does not fit ends at the edge, which is no time.
    Timestamp::from_millisecond(milliseconds as i64).ok()
}

/// How `date`, C and JavaScript write times, without the name of the zone.
const IN_WORDS: [&str; 4] = [
    "%a %b %e %H:%M:%S %Y",
    "%a %b %e %H:%M:%S %z %Y",
    "%a %b %e %Y %H:%M:%S",
    "%a %b %e %Y %H:%M:%S %z",
];

fn parse(text: &str) -> Option<Timestamp> {
    // JavaScript tells the zone in words behind its offset.
    let text = text.split_once(" (").map_or(text, |(text, _)| text);
    if text.is_empty() || text.len() > 64 {
        return None;
    }
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse::<f64>().ok().and_then(epoch);
    }
    in_digits(text)
        .or_else(|| rfc2822::parse(text).ok().map(|at| at.timestamp()))
        .or_else(|| in_words(text))
        .map(whole)
}

/// `2019-09-12 06:00:55`, with slashes, with an offset or without: then it is
/// UTC, whether it says so or not.
fn in_digits(text: &str) -> Option<Timestamp> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(at);
    }
    let bare = text.strip_suffix("UTC").or(text.strip_suffix("GMT"));
    let bare = bare.unwrap_or(text).trim().replace('/', "-");
    let joined = bare.replace(" +", "+").replace(" -", "-");
    if let Ok(at) = joined.parse::<Timestamp>() {
        return Some(at);
    }
    let civil = bare.parse::<DateTime>().ok();
    in_utc(civil.or_else(|| bare.parse::<Date>().ok().map(DateTime::from))?)
}

/// `Thu Sep 12 06:00:55 2019` and its kind.
fn in_words(text: &str) -> Option<Timestamp> {
    let text = text.replace("GMT", " ").replace("UTC", " ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    IN_WORDS.into_iter().find_map(|form| {
        let found = strtime::parse(form, &text).ok()?;
        match found.offset() {
            Some(_) => found.to_timestamp().ok(),
            None => in_utc(found.to_datetime().ok()?),
        }
    })
}

fn in_utc(civil: DateTime) -> Option<Timestamp> {
    let at = civil.to_zoned(TimeZone::UTC).ok()?;
    Some(at.timestamp())
}

/// Whole microseconds, as the database keeps them.
fn whole(at: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(at.as_microsecond()).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::Offset;
    use proptest::prelude::*;
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
            json!("2019-09-12 08:00:55 +0200"),
            json!("2019-09-12 08:00:55 +02:00"),
            json!("2019-09-12 01:00:55 -0500"),
            json!("2019-09-12 06:00:55 +0000 UTC"),
            json!("2019/09/12 06:00:55"),
            json!("2019/09/12 06:00:55 UTC"),
            json!("2019/09/12 08:00:55 +0200"),
            json!("Thu Sep 12 06:00:55 2019"),
            json!("Thu Sep 12 06:00:55 UTC 2019"),
            json!("Thu Sep 12 08:00:55 +0200 2019"),
            json!("Thu Sep 12 2019 06:00:55"),
            json!("Thu Sep 12 2019 08:00:55 GMT+0200"),
            json!("Thu Sep 12 2019 08:00:55 GMT+0200 (Central European Summer Time)"),
            json!(1_568_268_055),
            json!("1568268055"),
            json!(1_568_268_055_000_i64),
            json!("1568268055000"),
        ] {
            assert_eq!(of(&value), Some(expected), "{value}");
        }
        let day = of(&json!("2019-09-12")).map(|at| at.to_string());
        assert_eq!(day.as_deref(), Some("2019-09-12T00:00:00Z"));
        let early = of(&json!("Mon Feb  3 04:05:06 2020")).map(|at| at.to_string());
        assert_eq!(early.as_deref(), Some("2020-02-03T04:05:06Z"));
        let slashed = of(&json!("2019/09/12")).map(|at| at.to_string());
        assert_eq!(slashed, day);
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
            json!("12/09/2019"),
            json!("2019/13/12 06:00:55"),
            json!("2019-09-12 -0500"),
            json!("Mon Sep 12 06:00:55 2019"),
            json!("Thu Sep 12 06:00:55"),
            json!("Thu Sep 12 25:00:55 2019"),
            json!("Thu Sep 12 06:00:55 CEST 2019"),
            json!("(Central European Summer Time)"),
            json!(" (UTC)"),
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

    /// How a time may be written, and whether that tells its offset.
    const FORMS: [(&str, bool); 9] = [
        ("%Y-%m-%dT%H:%M:%S%:z", true),
        ("%Y-%m-%d %H:%M:%S %z", true),
        ("%Y/%m/%d %H:%M:%S %z", true),
        ("%a, %d %b %Y %H:%M:%S %z", true),
        ("%a %b %e %H:%M:%S %z %Y", true),
        ("%a %b %d %Y %H:%M:%S GMT%z (Somewhere Standard Time)", true),
        ("%a %b %e %H:%M:%S %Y", false),
        ("%a %b %e %H:%M:%S UTC %Y", false),
        ("%Y/%m/%d %H:%M:%S", false),
    ];

    proptest! {
        #[test]
        fn what_is_written_is_read(
            second in 0_i64..253_370_764_799,
            quarters in -48_i32..=56,
            form in 0..FORMS.len(),
        ) {
            let at = Timestamp::from_second(second).unwrap();
            let (form, tells_offset) = FORMS[form];
            let offset = Offset::from_seconds(if tells_offset { quarters * 900 } else { 0 }).unwrap();
            let text = at.to_zoned(offset.to_time_zone()).strftime(form).to_string();
            prop_assert_eq!(of(&json!(text)), Some(at), "{}", text);
        }

        #[test]
        fn no_text_is_too_odd(
            odd in "\\PC{0,80}",
            almost in "[0-9/:+ -]{0,30}|(Mon|Feb|GMT|UTC|[ 0-9:+(-]){0,12}",
        ) {
            for text in [odd, almost] {
                let year = of(&json!(text)).map(|at| at.to_zoned(TimeZone::UTC).year());
                prop_assert!(year.is_none_or(|year| YEARS.contains(&year)), "{}", text);
            }
        }
    }
}
