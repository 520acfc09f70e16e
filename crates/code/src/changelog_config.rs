//! What a project says of its changelogs, in a file of its code.

use crate::changelog::version_of;
use jiff::civil::Date;
use regex::{Regex, RegexBuilder};
use semver::Version;
use serde::Deserialize;
use std::collections::HashMap;

/// Where that file is, the first that is there.
pub const FILES: [&str; 2] = [".service/changelog_config.yml", ".gitlab/changelog_config.yml"];
/// Letters of a pattern, and bytes that it may take once it is read.
const LONGEST: usize = 511;
const MAX_COMPILED: usize = 1 << 20;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Written {
    date_format: Option<String>,
    /// What values of the trailer are called.
    categories: HashMap<String, String>,
    tag_regex: Option<String>,
}

/// The same, ready to be asked.
#[derive(Debug, Default)]
pub struct Config {
    date_format: Option<String>,
    categories: HashMap<String, String>,
    tag: Option<Regex>,
}

impl Config {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// What is wrong with it, for who asked.
    pub fn read(text: &str) -> Result<Config, String> {
        let read = serde_saphyr::from_str_with_options::<Option<Written>>(text, options());
        let written = read.map_err(|_| "the configuration is no YAML that it may be")?;
        let written = written.unwrap_or_default();
        let tag = written.tag_regex.as_deref().map(pattern).transpose()?;
        let config = Config {
            date_format: written.date_format,
            categories: written.categories,
            tag,
        };
        config.date(Date::constant(2000, 1, 1))?;
        Ok(config)
    }

    /// A day as it is written there.
    pub fn date(&self, day: Date) -> Result<String, String> {
        match &self.date_format {
            None => Ok(day.to_string()),
            Some(format) => jiff::fmt::strtime::format(format, day)
                .map_err(|_| "the configuration's date_format is invalid".into()),
        }
    }

    /// What stands above changes of a kind.
    pub fn category<'c>(&'c self, value: &'c str) -> &'c str {
        self.categories.get(value).map_or(value, String::as_str)
    }

    /// The version that a tag stands for.
    pub fn version(&self, tag: &str) -> Option<Version> {
        let Some(pattern) = &self.tag else {
            return version_of(tag);
        };
        let found = pattern.captures(tag)?;
        let part = |name: &str| found.name(name).map(|it| it.as_str());
        let pre = part("pre").map(|pre| format!("-{pre}")).unwrap_or_default();
        let (major, minor, patch) = (part("major")?, part("minor")?, part("patch")?);
        Version::parse(&format!("{major}.{minor}.{patch}{pre}")).ok()
    }
}

fn pattern(text: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(text).size_limit(MAX_COMPILED).build();
    let built = built.ok().filter(|_| text.chars().count() <= LONGEST);
    built.ok_or_else(|| "the configuration's tag_regex is invalid".into())
}

fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_documents: 1,
            max_depth: 8,
            max_nodes: 5_000,
            max_events: 10_000,
            max_aliases: 0,
            max_anchors: 0,
            max_total_scalar_bytes: 64 * 1024,
            max_merge_keys: 0,
        },
        with_snippet: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_kinds_and_tags_are_as_it_says() {
        let config = Config::read(
            "date_format: '%d.%m.%Y'\ncategories:\n  feature: New things\n\
             tag_regex: '^rel-(?P<major>\\d+)_(?P<minor>\\d+)_(?P<patch>\\d+)$'\ntemplate: x\n",
        )
        .expect("it is read");
        let day = Date::constant(2031, 2, 1);
        assert_eq!(config.date(day).as_deref(), Ok("01.02.2031"));
        assert_eq!((config.category("feature"), config.category("x")), ("New things", "x"));
        assert_eq!(config.version("rel-1_2_3"), Some(Version::new(1, 2, 3)));
        assert_eq!(config.version("v1.2.3"), None);
    }

    #[test]
    fn nothing_said_is_the_usual() {
        for text in ["", "# nothing\n", "{}\n"] {
            let config = Config::read(text).expect("it is read");
            assert_eq!(config.date(Date::constant(2031, 2, 1)).as_deref(), Ok("2031-02-01"));
            assert_eq!(config.version("v1.2.3"), Some(Version::new(1, 2, 3)));
        }
    }

    #[test]
    fn what_it_may_not_be_is_refused() {
        for text in [
            "- a\n",
            "categories: 1\n",
            "date_format: '%Q%!'\n",
            "tag_regex: '('\n",
            "a: &a [x]\nb: &b [*a,*a,*a,*a]\nc: [*b,*b,*b,*b",
        ] {
            assert!(Config::read(text).is_err(), "{text}");
        }
        assert!(Config::read(&format!("tag_regex: '{}'", "a".repeat(600))).is_err());
        assert!(Config::read(&"[".repeat(1000)).is_err());
    }
}
