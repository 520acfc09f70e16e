//! Names of environments: their slug and their tier (contract 13.1).

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::pattern;

/// What an environment is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    Production,
    Staging,
    Testing,
    Development,
    Other,
}

impl Tier {
    pub(crate) const WORDS: [(&str, Self); 5] = [
        ("production", Self::Production),
        ("staging", Self::Staging),
        ("testing", Self::Testing),
        ("development", Self::Development),
        ("other", Self::Other),
    ];

    /// The word of the file.
    pub fn word(self) -> &'static str {
        let found = Self::WORDS.iter().find(|(_, tier)| *tier == self);
        found.map_or("other", |(word, _)| word)
    }

    /// What a name says of it, the first that fits.
    pub fn of_name(name: &str) -> Self {
        static PATTERNS: LazyLock<Vec<(Option<Regex>, Tier)>> = LazyLock::new(|| {
            [
                ("dev|review|trunk", Tier::Development),
                ("test|tst|int|ac(ce|)pt|qa|qc|control|quality", Tier::Testing),
                ("st(a|)g|mod(e|)l|pre|demo|non", Tier::Staging),
                ("pr(o|)d|live", Tier::Production),
            ]
            .map(|(source, tier)| (pattern::compile(source, "i"), tier))
            .to_vec()
        });
        let fits = |regex: &Option<Regex>| regex.as_ref().is_some_and(|it| it.is_match(name));
        PATTERNS
            .iter()
            .find(|(regex, _)| fits(regex))
            .map_or(Self::Other, |(_, tier)| *tier)
    }
}

/// Characters of a slug, and how many are left before a suffix.
const LONGEST: usize = 24;
const BEFORE_SUFFIX: usize = 17;

/// A name that fits into the names of hosts.
pub fn slug(name: &str) -> String {
    let lower = |c: char| match c.to_ascii_lowercase() {
        c @ ('a'..='z' | '0'..='9') => c,
        _ => '-',
    };
    let mut slug = String::new();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        slug.push_str("env-");
    }
    for c in name.chars().map(lower) {
        if c != '-' || !slug.ends_with('-') {
            slug.push(c);
        }
    }
    if slug.len() > LONGEST || slug != name {
        slug.truncate(BEFORE_SUFFIX);
        if !slug.ends_with('-') {
            slug.push('-');
        }
        slug.push_str(&suffix(name));
        return slug;
    }
    slug.trim_end_matches('-').to_owned()
}

/// The last six characters of the digest of a name, in base 36.
fn suffix(name: &str) -> String {
    let mut digest: Vec<u8> = Sha256::digest(name.as_bytes()).to_vec();
    let mut out = Vec::new();
    for _ in 0..6 {
        let mut rest: u32 = 0;
        for byte in &mut digest {
            let value = rest * 256 + u32::from(*byte);
            *byte = u8::try_from(value / 36).unwrap_or(u8::MAX);
            rest = value % 36;
        }
        out.push(char::from_digit(rest, 36).unwrap_or('0'));
    }
    out.iter().rev().collect()
}

/// A name as part of addresses: `CI_COMMIT_REF_SLUG`, `CI_JOB_NAME_SLUG`.
pub fn name_slug(name: &str) -> String {
    let lower = name.to_lowercase();
    let dashed = lower.chars().map(|c| match c {
        'a'..='z' | '0'..='9' => c,
        _ => '-',
    });
    dashed.take(63).collect::<String>().trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_those_of_the_contract() {
        for (name, wanted) in [
            ("review/feature-1", "review-feature-1-1q251u"),
            ("foo-", "foo"),
            ("1-foo", "env-1-foo-1k46wz"),
            ("Production", "production-iis43c"),
            ("Review/My_App", "review-my-app-1eyzzu"),
            ("production", "production"),
        ] {
            assert_eq!(slug(name), wanted, "{name}");
        }
        assert!(slug(&"x".repeat(255)).len() <= LONGEST);
        assert_eq!(name_slug("-Build: [Linux, x64]-"), "build---linux--x64");
    }

    #[test]
    fn tiers_are_read_from_names() {
        for (name, tier) in [
            ("production", Tier::Production),
            ("review/x", Tier::Development),
            ("pre-prod", Tier::Staging),
            ("QA", Tier::Testing),
            ("canary", Tier::Other),
            ("gprd", Tier::Production),
        ] {
            assert_eq!(Tier::of_name(name), tier, "{name}");
        }
    }
}
