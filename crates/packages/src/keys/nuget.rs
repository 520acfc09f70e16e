//! Versions: two to four numbers, then what semantic versions may have behind
//! them (docs/interface/packages.md 2.2).

use std::cmp::Ordering;

/// Longest version, in bytes, as sent and as [`normal`] writes it.
const MAX_VERSION: usize = 255;

/// A version in the order clients give it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Number {
    numbers: [i32; 4],
    /// Releases come after what leads to them.
    suffix: Suffix,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Suffix {
    Before(Vec<Label>),
    Release,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Label {
    Digits(u64),
    Text(String),
}

impl PartialOrd for Suffix {
    fn partial_cmp(&self, other: &Suffix) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Suffix {
    fn cmp(&self, other: &Suffix) -> Ordering {
        match (self, other) {
            (Suffix::Release, Suffix::Release) => Ordering::Equal,
            (Suffix::Release, Suffix::Before(_)) => Ordering::Greater,
            (Suffix::Before(_), Suffix::Release) => Ordering::Less,
            (Suffix::Before(one), Suffix::Before(two)) => one.cmp(two),
        }
    }
}

impl Number {
    /// The version written so, if it is one.
    pub fn parse(text: &str) -> Option<Number> {
        // Two numbers are written as three.
        if text.len() > MAX_VERSION || normal(text).len() > MAX_VERSION {
            return None;
        }
        let (text, build) = split(text, '+');
        let (numbers, suffix) = split(text, '-');
        if !build.is_none_or(is_labels) || !suffix.is_none_or(is_labels) {
            return None;
        }
        let parts: Vec<&str> = numbers.split('.').collect();
        if !(2..=4).contains(&parts.len()) {
            return None;
        }
        let mut numbers = [0; 4];
        for (number, part) in numbers.iter_mut().zip(parts) {
            if !part.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            *number = part.parse().ok()?;
        }
        let suffix = match suffix {
            Some(labels) => Suffix::Before(labels.split('.').map(Label::of).collect()),
            None => Suffix::Release,
        };
        Some(Number { numbers, suffix })
    }

    pub fn is_prerelease(&self) -> bool {
        self.suffix != Suffix::Release
    }
}

impl Label {
    fn of(text: &str) -> Label {
        let digits = text.bytes().all(|b| b.is_ascii_digit());
        match text.parse() {
            Ok(number) if digits => Label::Digits(number),
            _ => Label::Text(text.to_lowercase()),
        }
    }
}

fn is_labels(text: &str) -> bool {
    let mut labels = text.split('.');
    labels.all(|label| {
        !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    })
}

fn split(text: &str, mark: char) -> (&str, Option<&str>) {
    match text.split_once(mark) {
        Some((before, behind)) => (before, Some(behind)),
        None => (text, None),
    }
}

/// Which versions a client can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Numbers and one suffix without dots.
    One,
    /// What SemVer 2 added, too: see [`is_semver2`].
    Two,
}

impl Level {
    /// That of a client that says so, perhaps in quotes; older ones say
    /// nothing.
    pub fn of(said: Option<&str>) -> Level {
        let said = said.unwrap_or_default().trim().trim_matches('\'');
        match (Number::parse(said), Number::parse("2.0.0")) {
            (Some(said), Some(two)) if said >= two => Level::Two,
            _ => Level::One,
        }
    }
}

/// Whether only clients of SemVer 2 can read it: its suffix has dots, or it
/// has build metadata.
pub fn is_semver2(version: &str) -> bool {
    let (version, build) = split(version, '+');
    build.is_some() || split(version, '-').1.is_some_and(|suffix| suffix.contains('.'))
}

/// A version without leading zeros, without a fourth part of zero and without
/// build metadata. What is no version stays what it is, more or less.
pub fn normal(version: &str) -> String {
    let (version, _) = split(version, '+');
    let (numbers, suffix) = split(version, '-');
    let mut parts: Vec<&str> = numbers
        .split('.')
        .map(|part| match part.trim_start_matches('0') {
            "" => "0",
            rest => rest,
        })
        .collect();
    while parts.len() < 3 {
        parts.push("0");
    }
    if parts.len() == 4 && parts[3] == "0" {
        parts.pop();
    }
    match suffix {
        Some(suffix) => format!("{}-{suffix}", parts.join(".")),
        None => parts.join("."),
    }
}

/// The same in lower case, as versions are compared and addressed.
pub fn key(version: &str) -> String {
    normal(version).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn versions_are_ordered_as_clients_order_them() {
        let ordered = [
            "0.9",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.9",
            "1.0.0-alpha.10",
            "1.0.0-alpha.beta",
            "1.0.0-beta",
            "1.0.0-RC.1",
            "1.0",
            "1.0.0.1",
            "1.2.0",
            "1.10.0",
        ];
        let parsed: Vec<Number> = ordered.iter().map(|text| Number::parse(text).unwrap()).collect();
        assert!(parsed.is_sorted_by(|one, two| one < two), "{parsed:?}");
        for (one, two) in
            [("1.0", "1.0.0.0"), ("1.0.0+a", "1.00.0+b"), ("1.0.0-Beta", "1.0.0-beta")]
        {
            assert_eq!(Number::parse(one), Number::parse(two));
            assert_eq!(key(one), key(two));
        }
    }

    #[test]
    fn what_is_no_version_is_refused() {
        let long = format!("1.0.0-{}", "a".repeat(255));
        let long_when_written = format!("1.0-{}", "a".repeat(251));
        for text in [
            "",
            "1",
            "1.",
            "v1.0",
            "1.0.0.0.0",
            "1.0-",
            "1.0+",
            "1.0-a..b",
            "1.0-ä",
            "1.0/..",
            " 1.0",
            "1.-1",
            "99999999999.0",
            "1.0_1",
            "1.0-a_b",
            &long,
            &long_when_written,
        ] {
            assert_eq!(Number::parse(text), None, "{text}");
        }
    }

    #[test]
    fn newer_versions_are_told_from_older() {
        for (version, is_new) in [
            ("1.0", false),
            ("1.0.0.1", false),
            ("1.0.0-beta", false),
            ("1.0.0-beta-2", false),
            ("1.0.0-beta.2", true),
            ("1.0.0+build", true),
            ("1.0+build-a", true),
        ] {
            assert_eq!(is_semver2(version), is_new, "{version}");
        }
        for (said, level) in [
            (None, Level::One),
            (Some(""), Level::One),
            (Some("1.0.0"), Level::One),
            (Some("2.0.0-beta"), Level::One),
            (Some("two"), Level::One),
            (Some("2.0.0"), Level::Two),
            (Some("'2.0.0'"), Level::Two),
            (Some("2.1"), Level::Two),
        ] {
            assert_eq!(Level::of(said), level, "{said:?}");
        }
    }

    proptest! {
        #[test]
        fn a_normal_version_stays_itself(
            text in "[0-9]{1,3}(\\.[0-9]{1,3}){1,3}(-[0-9a-zA-Z]{1,3}(\\.[0-9a-z-]{1,3})?)?(\\+[a-z]{1,3})?"
        ) {
            let number = Number::parse(&text).unwrap();
            prop_assert_eq!(Number::parse(&normal(&text)), Some(number.clone()));
            prop_assert_eq!(Number::parse(&key(&text)), Some(number.clone()));
            prop_assert_eq!(key(&key(&text)), key(&text));
            prop_assert_eq!(number.is_prerelease(), key(&text).contains('-'));
        }
    }
}
