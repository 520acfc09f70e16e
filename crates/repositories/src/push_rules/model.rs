//! What a push rule may ask for.

use kernel::error::{Error, Result};
use kernel::http::Patch;
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Letters of a pattern, and of one that messages must not have.
const LONGEST: usize = 511;
const LONGEST_NEGATIVE: usize = 2047;
/// Bytes that a pattern may take once it is read.
const MAX_COMPILED: usize = 1 << 20;
/// Most MB of a file that can be set.
const MOST_MEGABYTES: i64 = 1 << 20;

/// What is asked of pushes; an empty pattern asks nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PushRule {
    pub commit_message_regex: String,
    pub commit_message_negative_regex: String,
    pub branch_name_regex: String,
    pub deny_delete_tag: bool,
    pub member_check: bool,
    pub prevent_secrets: bool,
    pub author_email_regex: String,
    pub file_name_regex: String,
    /// Megabytes; 0 for any.
    pub max_file_size: i64,
    /// Null is as the instance has it, here and below.
    pub commit_committer_check: Option<bool>,
    pub commit_committer_name_check: bool,
    pub reject_unsigned_commits: Option<bool>,
    pub reject_non_dco_commits: Option<bool>,
}

kernel::params! {
    /// What may be set of a push rule; what is absent stays.
    #[derive(Default)]
    pub struct PushRuleInput {
        /// A pattern that messages have.
        pub commit_message_regex: Patch<String>,
        /// A pattern that they do not have.
        pub commit_message_negative_regex: Patch<String>,
        /// A pattern that names of branches have, but for the default branch.
        pub branch_name_regex: Patch<String>,
        /// Whether git deletes no tags.
        pub deny_delete_tag: Option<bool>,
        /// Whether authors and committers are users here.
        pub member_check: Option<bool>,
        /// Whether files that may hold secrets are refused by their names.
        pub prevent_secrets: Option<bool>,
        /// A pattern that addresses of authors and committers have.
        pub author_email_regex: Patch<String>,
        /// A pattern that paths of new files do not have.
        pub file_name_regex: Patch<String>,
        /// Largest new file in MB; 0 for any.
        pub max_file_size: Option<i64>,
        /// Whether the committer is who pushes; null: as the instance has it.
        pub commit_committer_check: Patch<bool>,
        /// Whether the author has the name of who pushes.
        pub commit_committer_name_check: Option<bool>,
        /// Whether commits are signed; null: as the instance has it.
        pub reject_unsigned_commits: Patch<bool>,
        /// Whether messages are signed off; null: as the instance has it.
        pub reject_non_dco_commits: Patch<bool>,
    }
}

impl PushRuleInput {
    /// A rule as it is with what is set.
    ///
    /// # Errors
    ///
    /// `Invalid` if a pattern is none or too long, or the size out of bounds.
    pub fn over(&self, before: PushRule) -> Result<PushRule> {
        let text = |sent: &Patch<String>, before: String| match sent.clone().sent() {
            Some(text) => text.unwrap_or_default(),
            None => before,
        };
        let inherited = |sent: &Patch<bool>, before| sent.clone().sent().unwrap_or(before);
        let flag = |sent: Option<bool>, before| sent.unwrap_or(before);
        let after = PushRule {
            commit_message_regex: text(&self.commit_message_regex, before.commit_message_regex),
            commit_message_negative_regex: text(
                &self.commit_message_negative_regex,
                before.commit_message_negative_regex,
            ),
            branch_name_regex: text(&self.branch_name_regex, before.branch_name_regex),
            deny_delete_tag: flag(self.deny_delete_tag, before.deny_delete_tag),
            member_check: flag(self.member_check, before.member_check),
            prevent_secrets: flag(self.prevent_secrets, before.prevent_secrets),
            author_email_regex: text(&self.author_email_regex, before.author_email_regex),
            file_name_regex: text(&self.file_name_regex, before.file_name_regex),
            max_file_size: self.max_file_size.unwrap_or(before.max_file_size),
            commit_committer_check: inherited(
                &self.commit_committer_check,
                before.commit_committer_check,
            ),
            commit_committer_name_check: flag(
                self.commit_committer_name_check,
                before.commit_committer_name_check,
            ),
            reject_unsigned_commits: inherited(
                &self.reject_unsigned_commits,
                before.reject_unsigned_commits,
            ),
            reject_non_dco_commits: inherited(
                &self.reject_non_dco_commits,
                before.reject_non_dco_commits,
            ),
        };
        after.validate()?;
        Ok(after)
    }
}

impl PushRule {
    fn validate(&self) -> Result<()> {
        let patterns = [
            ("commit_message_regex", &self.commit_message_regex, LONGEST),
            (
                "commit_message_negative_regex",
                &self.commit_message_negative_regex,
                LONGEST_NEGATIVE,
            ),
            ("branch_name_regex", &self.branch_name_regex, LONGEST),
            ("author_email_regex", &self.author_email_regex, LONGEST),
            ("file_name_regex", &self.file_name_regex, LONGEST),
        ];
        for (field, text, longest) in patterns {
            if text.chars().count() > longest {
                let text = format!("is too long (maximum is {longest} characters)");
                return Err(Error::invalid(field, text));
            }
            if pattern(text).is_err() {
                return Err(Error::invalid(field, "is not a valid regular expression"));
            }
        }
        match (0..=MOST_MEGABYTES).contains(&self.max_file_size) {
            true => Ok(()),
            false => Err(Error::invalid(
                "max_file_size",
                format!("must be between 0 and {MOST_MEGABYTES}"),
            )),
        }
    }

    /// The same where what is null is as the instance has it.
    #[must_use]
    pub fn within(mut self, instance: Option<&PushRule>) -> PushRule {
        let of = |read: fn(&PushRule) -> Option<bool>| instance.and_then(read);
        self.commit_committer_check =
            self.commit_committer_check.or(of(|rule| rule.commit_committer_check));
        self.reject_unsigned_commits =
            self.reject_unsigned_commits.or(of(|rule| rule.reject_unsigned_commits));
        self.reject_non_dco_commits =
            self.reject_non_dco_commits.or(of(|rule| rule.reject_non_dco_commits));
        self
    }
}

/// A pattern; none if it is empty. It takes no more time than the text is long.
///
/// # Errors
///
/// What is wrong with it, as a push is told.
pub fn pattern(text: &str) -> Result<Option<Regex>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let built = RegexBuilder::new(text).multi_line(true).size_limit(MAX_COMPILED).build();
    built.map(Some).map_err(|error| {
        let why = error.to_string();
        let why = why.lines().last().unwrap_or_default().to_owned();
        format!("Regular expression '{text}' is invalid: {why}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_null_is_as_the_instance_has_it() {
        let on = PushRule {
            reject_unsigned_commits: Some(true),
            reject_non_dco_commits: Some(true),
            ..PushRule::default()
        };
        let own = PushRule { reject_non_dco_commits: Some(false), ..PushRule::default() };
        let both = own.within(Some(&on));
        assert_eq!(both.reject_unsigned_commits, Some(true));
        assert_eq!(both.reject_non_dco_commits, Some(false));
        assert_eq!(both.commit_committer_check, None);
    }

    #[test]
    fn patterns_are_bounded() {
        let said = |text: &str| {
            let input = PushRuleInput {
                branch_name_regex: Patch::Value(text.to_owned()),
                ..PushRuleInput::default()
            };
            input.over(PushRule::default()).is_ok()
        };
        assert!(said("") && said("^(feature|fix)/.+$") && said("(a+)+$"));
        assert!(said(&"a".repeat(511)) && !said(&"a".repeat(512)));
        assert!(!said("(") && !said("(?=x)") && !said("((a{1000}){1000}){1000}"));
    }
}
