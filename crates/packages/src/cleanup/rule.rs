//! Cleanup rules: which versions of one format a project's registry, or those
//! of all projects below a group, take away by themselves.
//!
//! A version goes if everything a rule says of what goes is true of it and
//! nothing it says of what stays. Rules know nothing of each other: what one
//! keeps another may take. Protected names stay whatever rules say.

use super::model::{Rule, Standing};
use crate::access::authorize;
use crate::model::PackageType;
use crate::scope::Prefix;
use crate::settings;
use crate::store::cleanup_rules::{self as rows, Names};
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::http::Patch;
use kernel::time::Timestamp;
use regex::Regex;
use serde_json::Value as Json;
use spaces::SpaceId;
use spaces::access::{self, Purpose};
use store::Tx;

/// Most rules of a project or group.
pub const MAX_RULES: i64 = 50;
/// Most versions of a name that a rule keeps.
const MAX_KEPT: i64 = 10_000;
/// Most days that a rule looks back: a hundred years.
const MAX_DAYS: i64 = 36_500;

/// Whose rules these are, for who sets them there.
pub fn owner_at(tx: &mut Tx<'_>, viewer: &Viewer, prefix: &Prefix) -> Result<SpaceId> {
    let purpose = Purpose::ManagePackageSettings;
    match prefix {
        Prefix::Project(reference) => {
            let entered = authorize(tx, viewer, reference, purpose)?;
            Ok(SpaceId::Project(entered.project.id))
        }
        Prefix::Group(reference) => {
            let group = access::group(tx, viewer, reference, purpose)?;
            Ok(SpaceId::Group(group.id))
        }
        Prefix::Namespace(_) | Prefix::Instance => Err(Error::NotFound("")),
    }
}

kernel::params! {
    pub struct Change {
        /// The format it is about; a new rule has to name it.
        pub package_type: Option<PackageType>,
        /// Whether it is applied, every twelve hours; false unless it is said.
        pub enabled: Option<bool>,
        /// So many of the newest versions of each name stay.
        pub keep_last: Patch<i64>,
        /// Names that stay: a regular expression for the whole name.
        pub keep_name_regex: Patch<String>,
        /// Versions that stay.
        pub keep_version_regex: Patch<String>,
        /// Only names like this go.
        pub remove_name_regex: Patch<String>,
        /// Only versions like this go.
        pub remove_version_regex: Patch<String>,
        /// Only what was published more days ago goes.
        pub older_than_days: Patch<i64>,
        /// Only what was not downloaded for so many days goes.
        pub not_downloaded_days: Patch<i64>,
        /// Only what was never downloaded goes; needs `older_than_days`.
        pub never_downloaded: Option<bool>,
    }
}

impl Change {
    /// A rule that is not stored, as this says it.
    pub fn drafted(self, tx: &Tx<'_>, owner: SpaceId) -> Result<Rule> {
        let (project_id, namespace_id) = owner.columns();
        let missing = || Error::missing("package_type");
        let blank = Rule {
            id: 0,
            project_id,
            namespace_id,
            package_type: self.package_type.ok_or_else(missing)?,
            enabled: false,
            keep_last: None,
            keep_name_regex: None,
            keep_version_regex: None,
            remove_name_regex: None,
            remove_version_regex: None,
            older_than_days: None,
            not_downloaded_days: None,
            never_downloaded: false,
            next_run_at: None,
            created_at: tx.now(),
            updated_at: tx.now(),
        };
        self.over(blank)
    }

    fn over(self, rule: Rule) -> Result<Rule> {
        let changed = Rule {
            package_type: self.package_type.unwrap_or(rule.package_type),
            enabled: self.enabled.unwrap_or(rule.enabled),
            keep_last: self.keep_last.over(rule.keep_last),
            keep_name_regex: text(self.keep_name_regex.over(rule.keep_name_regex)),
            keep_version_regex: text(self.keep_version_regex.over(rule.keep_version_regex)),
            remove_name_regex: text(self.remove_name_regex.over(rule.remove_name_regex)),
            remove_version_regex: text(self.remove_version_regex.over(rule.remove_version_regex)),
            older_than_days: self.older_than_days.over(rule.older_than_days),
            not_downloaded_days: self.not_downloaded_days.over(rule.not_downloaded_days),
            never_downloaded: self.never_downloaded.unwrap_or(rule.never_downloaded),
            ..rule
        };
        changed.validate()?;
        Ok(changed)
    }
}

/// An empty pattern is none.
fn text(pattern: Option<String>) -> Option<String> {
    pattern.filter(|text| !text.is_empty())
}

impl Rule {
    fn validate(&self) -> Result<()> {
        for (field, number, most) in [
            ("keep_last", self.keep_last, MAX_KEPT),
            ("older_than_days", self.older_than_days, MAX_DAYS),
            ("not_downloaded_days", self.not_downloaded_days, MAX_DAYS),
        ] {
            if number.is_some_and(|number| !(1..=most).contains(&number)) {
                return Err(Error::invalid(field, format!("must be between 1 and {most}")));
            }
        }
        for (field, pattern) in [
            ("keep_name_regex", &self.keep_name_regex),
            ("keep_version_regex", &self.keep_version_regex),
            ("remove_name_regex", &self.remove_name_regex),
            ("remove_version_regex", &self.remove_version_regex),
        ] {
            settings::check_pattern(field, pattern.as_deref().unwrap_or_default())?;
        }
        if !self.says_what_goes() {
            let text = "or another condition has to say what goes, or everything would";
            return Err(Error::invalid("older_than_days", text));
        }
        if self.never_downloaded && self.older_than_days.is_none() {
            let text = "has to be set with never_downloaded: nothing new was downloaded yet";
            return Err(Error::invalid("older_than_days", text));
        }
        Ok(())
    }

    /// What has to be true of all that goes, each in words.
    fn conditions(&self) -> Vec<(Condition, String)> {
        let days = |text, days: Option<i64>| days.map(|days| format!("{text} {}", day_count(days)));
        let fits = |text, pattern: &Option<String>| {
            let pattern = pattern.as_ref()?;
            Some(format!("{text} fits {pattern}"))
        };
        let place = self.keep_last.map(|kept| format!("not among the newest {kept} of its name"));
        let age = days("published more than", self.older_than_days);
        let unused = self.never_downloaded.then(|| "never downloaded".to_owned());
        let all = [
            (Condition::Place, place),
            (Condition::Name, fits("its name", &self.remove_name_regex)),
            (Condition::Version, fits("its version", &self.remove_version_regex)),
            (Condition::Age, age.map(|text| format!("{text} ago"))),
            (Condition::Use, days("not downloaded for", self.not_downloaded_days)),
            (Condition::NoUse, unused),
        ];
        let asked = all.into_iter().filter_map(|(one, text)| Some((one, text?)));
        asked.collect()
    }

    /// What goes and what stays, for people.
    pub fn in_words(&self) -> String {
        let goes: Vec<String> = self.conditions().into_iter().map(|it| it.1).collect();
        let kept = [("names", &self.keep_name_regex), ("versions", &self.keep_version_regex)];
        let kept = kept.into_iter().filter_map(|(what, pattern)| {
            let pattern = pattern.as_ref()?;
            Some(format!("; {what} like {pattern} stay"))
        });
        let kept: String = kept.collect();
        format!("{}{kept}", goes.join(" and "))
    }

    fn says_what_goes(&self) -> bool {
        self.keep_last.is_some()
            || self.remove_name_regex.is_some()
            || self.remove_version_regex.is_some()
            || self.older_than_days.is_some()
            || self.not_downloaded_days.is_some()
    }
}

/// Something that has to be true of a version for it to go.
enum Condition {
    Place,
    Name,
    Version,
    Age,
    Use,
    NoUse,
}

pub fn list(tx: &mut Tx<'_>, owner: SpaceId) -> Result<Vec<Rule>> {
    rows::list(tx, owner, MAX_RULES)
}

pub fn find(tx: &mut Tx<'_>, owner: SpaceId, id: i64) -> Result<Rule> {
    rows::rule_of(tx, owner, id)?.found("Cleanup Rule")
}

pub fn create(tx: &mut Tx<'_>, viewer: &Viewer, owner: SpaceId, change: Change) -> Result<Rule> {
    if rows::list(tx, owner, MAX_RULES)?.len() as i64 >= MAX_RULES {
        return Err(Error::Unprocessable(format!(
            "There are {MAX_RULES} cleanup rules, more are not possible"
        )));
    }
    let mut rule = change.drafted(tx, owner)?;
    rule.next_run_at = rule.enabled.then(|| super::next_run(tx));
    rule.id = rows::insert(tx, &rule)?;
    record(tx, viewer, "package_cleanup_rule.create", &rule)?;
    Ok(rule)
}

/// Puts these rules in the place of all there were.
pub fn replace(
    tx: &mut Tx<'_>, viewer: &Viewer, owner: SpaceId, changes: Vec<Change>,
) -> Result<()> {
    for rule in list(tx, owner)? {
        destroy(tx, viewer, owner, rule.id)?;
    }
    for change in changes {
        create(tx, viewer, owner, change)?;
    }
    Ok(())
}

/// Changes a rule. It is next applied when it would have been, unless it was
/// off before.
pub fn update(
    tx: &mut Tx<'_>, viewer: &Viewer, owner: SpaceId, id: i64, change: Change,
) -> Result<Rule> {
    let before = find(tx, owner, id)?;
    let rule = change.over(before.clone())?;
    store_changed(tx, viewer, &before, rule)
}

fn store_changed(tx: &mut Tx<'_>, viewer: &Viewer, before: &Rule, mut rule: Rule) -> Result<Rule> {
    rule.next_run_at = match (rule.enabled, before.enabled) {
        (true, true) => before.next_run_at,
        (true, false) => Some(super::next_run(tx)),
        (false, _) => None,
    };
    rule.updated_at = tx.now();
    rows::update(tx, &rule)?;
    record(tx, viewer, "package_cleanup_rule.update", &rule)?;
    Ok(rule)
}

pub fn switch(
    tx: &mut Tx<'_>, viewer: &Viewer, owner: SpaceId, id: i64, enabled: bool,
) -> Result<Rule> {
    let rule = find(tx, owner, id)?;
    store_changed(tx, viewer, &rule, Rule { enabled, ..rule.clone() })
}

/// Removes a rule, with what is known of its runs.
pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, owner: SpaceId, id: i64) -> Result<()> {
    let rule = find(tx, owner, id)?;
    rows::delete(tx, rule.id)?;
    record(tx, viewer, "package_cleanup_rule.destroy", &rule)
}

/// What a record tells of a rule, besides its id and format, which stand beside it.
const RECORDED: [&str; 11] = [
    "project_id",
    "group_id",
    "enabled",
    "keep_last",
    "keep_name_regex",
    "keep_version_regex",
    "remove_name_regex",
    "remove_version_regex",
    "older_than_days",
    "not_downloaded_days",
    "never_downloaded",
];

fn record(tx: &mut Tx<'_>, viewer: &Viewer, action: &'static str, rule: &Rule) -> Result<()> {
    let mut details = serde_json::to_value(rule).map_err(Error::internal)?;
    if let Json::Object(fields) = &mut details {
        fields.retain(|name, _| RECORDED.contains(&name.as_str()));
    }
    let target = ("PackageCleanupRule", rule.id, rule.package_type.as_str());
    audit::record(tx, viewer, action, target, details)
}

/// A rule ready to be asked.
pub struct Judge {
    rule: Rule,
    now: Timestamp,
    keep: [Option<Regex>; 2],
    remove: [Option<Regex>; 2],
}

impl Judge {
    pub fn new(rule: Rule, now: Timestamp) -> Result<Judge> {
        let compiled = |pattern: &Option<String>| match pattern {
            None => Ok(None),
            Some(pattern) => match settings::compiled(pattern) {
                Some(regex) => Ok(Some(regex)),
                // It was checked when it was stored.
                None => Err(Error::invalid("regex", "not valid RE2 syntax")),
            },
        };
        Ok(Judge {
            keep: [compiled(&rule.keep_name_regex)?, compiled(&rule.keep_version_regex)?],
            remove: [compiled(&rule.remove_name_regex)?, compiled(&rule.remove_version_regex)?],
            rule,
            now,
        })
    }

    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// Shows each version of these names that the rule might take to `visit`,
    /// by name and then the newest first.
    pub fn visit(&self, tx: &mut Tx<'_>, names: &Names, visit: impl FnMut(Standing)) -> Result<()> {
        rows::visit(tx, &self.rule, names, self.published_before(), visit)
    }

    /// What was published at this time or later stays.
    fn published_before(&self) -> Timestamp {
        match self.rule.older_than_days {
            Some(days) => self.ago(days),
            // Nothing is younger than tomorrow.
            None => self.ago(-1),
        }
    }

    fn ago(&self, days: i64) -> Timestamp {
        let ago = jiff::SignedDuration::from_hours(days * 24);
        self.now.checked_sub(ago).unwrap_or(Timestamp::MIN)
    }

    /// Why a version goes, each reason for people; nothing if it stays.
    pub fn reasons(&self, one: &Standing) -> Vec<String> {
        let texts = [one.name.as_str(), one.version.as_str()];
        let fits = |(pattern, text): (&Option<Regex>, &str)| {
            pattern.as_ref().is_some_and(|regex| regex.is_match(text))
        };
        if self.keep.iter().zip(texts).any(fits) {
            return Vec::new();
        }
        let rule = &self.rule;
        let used = one.last_downloaded_at.unwrap_or(one.created_at);
        let days = |days: Option<i64>| self.ago(days.unwrap_or_default());
        let is_true = |condition: &Condition| match condition {
            Condition::Place => one.place > rule.keep_last.unwrap_or(i64::MAX),
            Condition::Name => fits((&self.remove[0], texts[0])),
            Condition::Version => fits((&self.remove[1], texts[1])),
            Condition::Age => one.created_at < days(rule.older_than_days),
            Condition::Use => used < days(rule.not_downloaded_days),
            Condition::NoUse => one.last_downloaded_at.is_none(),
        };
        let asked = rule.conditions();
        if !asked.iter().all(|(condition, _)| is_true(condition)) {
            return Vec::new();
        }
        asked.into_iter().map(|(_, reason)| reason).collect()
    }
}

fn day_count(days: i64) -> String {
    match days {
        1 => "1 day".to_owned(),
        _ => format!("{days} days"),
    }
}

#[cfg(test)]
#[path = "rule_tests.rs"]
pub(crate) mod tests;
