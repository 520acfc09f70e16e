//! Sizes and times as people write them: «5 GiB», «90 days», «1 h 30 min».
//! What is stored stays a whole number of one unit, and a number alone counts
//! that unit.

/// What a stored number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Mebibytes.
    Mebibytes,
    /// Seconds.
    Seconds,
    /// Minutes.
    Minutes,
    /// Hours.
    Hours,
    /// Days of 24 hours.
    Days,
}

/// A way to write a unit: how much it is, and its spellings in small letters,
/// the one that is shown first.
type Word = (u128, &'static [&'static str]);

const KIB: u128 = 1 << 10;
const MIB: u128 = 1 << 20;
const GIB: u128 = 1 << 30;
const TIB: u128 = 1 << 40;

/// Largest first. Those that are shown are powers of 1024; the decimal ones
/// are understood.
const SIZES: &[Word] = &[
    (TIB, &["TiB"]),
    (1_000_000_000_000, &["TB"]),
    (GIB, &["GiB"]),
    (1_000_000_000, &["GB"]),
    (MIB, &["MiB"]),
    (1_000_000, &["MB"]),
    (KIB, &["KiB"]),
    (1_000, &["kB"]),
    (1, &["B", "byte", "bytes"]),
];

/// Largest first; months and years have no one length.
const TIMES: &[Word] = &[
    (604_800, &["week", "weeks", "w"]),
    (86_400, &["day", "days", "d"]),
    (3_600, &["h", "hour", "hours", "hr", "hrs"]),
    (60, &["min", "minute", "minutes", "mins", "m"]),
    (1, &["s", "second", "seconds", "sec", "secs"]),
];

/// What a number is shown with; the others are understood only.
const SHOWN: &[&str] = &["TiB", "GiB", "MiB", "KiB", "B", "day", "h", "min", "s"];

/// Digits of a number that are looked at.
const MAX_DIGITS: usize = 20;

impl Unit {
    /// The number that a text means, or why it means none.
    pub fn parse(self, text: &str) -> Result<u64, String> {
        let text = text.trim();
        if let Ok(number) = text.parse::<u64>() {
            return i64::try_from(number).map(|_| number).map_err(|_| "is too large".to_owned());
        }
        let total = sum(text, self.words()).ok_or_else(|| self.not_understood())?;
        let (count, rest) = (total.0 / self.size(), total.0 % self.size());
        if rest != 0 || total.1 {
            return Err(format!("must be a whole number of {}", self.name()));
        }
        i64::try_from(count)
            .map(i64::unsigned_abs)
            .map_err(|_| "is too large".to_owned())
    }

    /// A number as people write it; [`Unit::parse`] reads it back.
    pub fn show(self, number: u64) -> String {
        let total = u128::from(number) * self.size();
        if total == 0 {
            return "0".to_owned();
        }
        let shown = |word: &&Word| SHOWN.contains(&word.1[0]) && total.is_multiple_of(word.0);
        let largest = self.words().iter().find(shown);
        let (size, word) = largest.map_or((1, ""), |(size, spellings)| (*size, spellings[0]));
        let count = total / size;
        let plural = if count > 1 && word == "day" { "s" } else { "" };
        format!("{count} {word}{plural}")
    }

    /// What a number alone counts.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Bytes => "bytes",
            Unit::Mebibytes => "MiB",
            Unit::Seconds => "seconds",
            Unit::Minutes => "minutes",
            Unit::Hours => "hours",
            Unit::Days => "days",
        }
    }

    fn size(self) -> u128 {
        match self {
            Unit::Bytes | Unit::Seconds => 1,
            Unit::Mebibytes => MIB,
            Unit::Minutes => 60,
            Unit::Hours => 3_600,
            Unit::Days => 86_400,
        }
    }

    fn words(self) -> &'static [Word] {
        match self {
            Unit::Bytes | Unit::Mebibytes => SIZES,
            _ => TIMES,
        }
    }

    fn not_understood(self) -> String {
        match self {
            Unit::Bytes | Unit::Mebibytes => {
                "is not a size such as «500 MiB» or «5 GiB»".to_owned()
            }
            _ => "is not a time such as «30 s», «10 min», «2 h» or «90 days»".to_owned(),
        }
    }
}

/// What the parts of a text come to, and whether something less than the
/// smallest unit is left over.
fn sum(text: &str, words: &[Word]) -> Option<(u128, bool)> {
    let (mut rest, mut total, mut has_rest) = (text, 0_u128, false);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, behind) = rest.split_at(end);
        let behind = behind.trim_start();
        let end = behind.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(behind.len());
        let (word, behind) = behind.split_at(end);
        let (amount, is_broken) = times(number, size_of(word, words)?)?;
        total = total.checked_add(amount)?;
        has_rest |= is_broken;
        rest = behind.trim_start();
    }
    (!text.is_empty()).then_some((total, has_rest))
}

fn size_of(word: &str, words: &[Word]) -> Option<u128> {
    let is_it = |(_, spellings): &&Word| spellings.iter().any(|one| one.eq_ignore_ascii_case(word));
    words.iter().find(is_it).map(|(size, _)| *size)
}

/// A decimal number times a size, and whether that is no whole number.
fn times(number: &str, size: u128) -> Option<(u128, bool)> {
    let (whole, behind) = number.split_once('.').unwrap_or((number, ""));
    let is_number = !whole.is_empty() && (behind.is_empty() != number.contains('.'));
    if !is_number || whole.len() + behind.len() > MAX_DIGITS || behind.contains('.') {
        return None;
    }
    let digits: u128 = format!("{whole}{behind}").parse().ok()?;
    let scale = 10_u128.checked_pow(u32::try_from(behind.len()).ok()?)?;
    let scaled = digits.checked_mul(size)?;
    Some((scaled / scale, !scaled.is_multiple_of(scale)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const UNITS: [Unit; 6] = [
        Unit::Bytes,
        Unit::Mebibytes,
        Unit::Seconds,
        Unit::Minutes,
        Unit::Hours,
        Unit::Days,
    ];

    #[test]
    fn people_write_sizes_and_times() {
        for (unit, text, number) in [
            (Unit::Bytes, "5 GiB", 5 << 30),
            (Unit::Bytes, "5gib", 5 << 30),
            (Unit::Bytes, "1.5 KiB", 1536),
            (Unit::Bytes, "2 MB", 2_000_000),
            (Unit::Bytes, " 7 ", 7),
            (Unit::Bytes, "0", 0),
            (Unit::Mebibytes, "20", 20),
            (Unit::Mebibytes, "1 GiB", 1024),
            (Unit::Seconds, "90 days", 7_776_000),
            (Unit::Seconds, "1 h 30 min", 5400),
            (Unit::Seconds, "1h30m", 5400),
            (Unit::Minutes, "1 week", 10_080),
            (Unit::Minutes, "0.5 hours", 30),
            (Unit::Days, "48 h", 2),
        ] {
            assert_eq!(unit.parse(text), Ok(number), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (unit, text, wrong) in [
            (Unit::Bytes, "5 days", "is not a size"),
            (Unit::Bytes, "", "is not a size"),
            (Unit::Bytes, "-1", "is not a size"),
            (Unit::Bytes, "1.2.3 GiB", "is not a size"),
            (Unit::Bytes, "1. GiB", "is not a size"),
            (Unit::Bytes, "0.3 B", "whole number of bytes"),
            (Unit::Bytes, "9999999999999999999", "too large"),
            (Unit::Bytes, "99999999999 TiB", "too large"),
            (Unit::Bytes, "999999999999999999999999 B", "is not a size"),
            (Unit::Seconds, "soon", "is not a time"),
            (Unit::Seconds, "1 year", "is not a time"),
            (Unit::Minutes, "30 s", "whole number of minutes"),
            (Unit::Days, "90 min", "whole number of days"),
        ] {
            let said = unit.parse(text).expect_err(text);
            assert!(said.contains(wrong), "{text}: {said}");
        }
    }

    #[test]
    fn numbers_are_shown_as_people_write_them() {
        for (unit, number, text) in [
            (Unit::Bytes, 0, "0"),
            (Unit::Bytes, 1000, "1000 B"),
            (Unit::Bytes, 5 << 30, "5 GiB"),
            (Unit::Mebibytes, 1536, "1536 MiB"),
            (Unit::Seconds, 60, "1 min"),
            (Unit::Seconds, 5400, "90 min"),
            (Unit::Minutes, 10_080, "7 days"),
            (Unit::Hours, 24, "1 day"),
            (Unit::Days, 365, "365 days"),
        ] {
            assert_eq!(unit.show(number), text);
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_back_the_same(at in 0..UNITS.len(), number in 0..=i64::MAX) {
            let number = number.unsigned_abs();
            prop_assert_eq!(UNITS[at].parse(&UNITS[at].show(number)), Ok(number));
            prop_assert_eq!(UNITS[at].parse(&number.to_string()), Ok(number));
        }

        #[test]
        fn no_text_breaks_it(at in 0..UNITS.len(), text in "[0-9. a-zA-Zµ«-]{0,40}") {
            if let Ok(number) = UNITS[at].parse(&text) {
                prop_assert!(i64::try_from(number).is_ok());
                prop_assert_eq!(UNITS[at].parse(&UNITS[at].show(number)), Ok(number));
            }
        }

        #[test]
        fn parts_add_up(hours in 0..1000_u64, minutes in 0..1000_u64) {
            let text = format!("{hours} h {minutes} min");
            prop_assert_eq!(Unit::Minutes.parse(&text), Ok(hours * 60 + minutes));
        }
    }
}
