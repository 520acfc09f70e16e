//! How merge requests go in a project.

use regex::{Regex, RegexBuilder};
use store::FromRow;

/// Longest pattern of titles, in characters.
const LONGEST_PATTERN: usize = 255;
/// Bytes that a compiled pattern takes at most.
const MAX_COMPILED: usize = 1 << 18;

/// What a project says of its merge requests, beside its method and squash option.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
#[columns("merge_request_settings")]
pub struct Settings {
    /// The source branch goes with the merge, unless the merge request says otherwise.
    pub remove_source_branch: bool,
    pub pipelines_must_succeed: bool,
    /// A pipeline that was skipped counts as one that succeeded.
    pub skipped_pipelines_pass: bool,
    pub threads_must_be_resolved: bool,
    /// A push that changes the lines of a thread resolves it.
    pub resolve_outdated_threads: bool,
    /// Who pushes is told where the merge request is, or is made.
    pub print_links: bool,
    pub merge_commit_template: Option<String>,
    pub squash_commit_template: Option<String>,
    pub suggestion_commit_message: Option<String>,
    /// What titles have to match.
    pub title_pattern: Option<String>,
    /// What branches of issues are called.
    pub issue_branch_template: Option<String>,
    /// Pipelines run for the branches as they would be merged.
    pub merged_results: bool,
    /// Merges rebase what lacks commits of its target, where the method asks for them.
    pub automatic_rebase: bool,
}

impl Settings {
    /// Whether messages of merges are made of templates, which may name commits.
    pub fn has_templates(&self) -> bool {
        self.merge_commit_template.is_some() || self.squash_commit_template.is_some()
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            remove_source_branch: true,
            pipelines_must_succeed: false,
            skipped_pipelines_pass: false,
            threads_must_be_resolved: false,
            resolve_outdated_threads: false,
            print_links: true,
            merge_commit_template: None,
            squash_commit_template: None,
            suggestion_commit_message: None,
            title_pattern: None,
            issue_branch_template: None,
            merged_results: false,
            automatic_rebase: false,
        }
    }
}

/// What titles have to match, of a text that is one: it takes a time in proportion to a
/// title.
pub fn title_pattern(text: &str) -> Option<Regex> {
    RegexBuilder::new(text).size_limit(MAX_COMPILED).build().ok()
}

pub fn pattern_error(text: &str) -> Option<&'static str> {
    match text.chars().count() > LONGEST_PATTERN {
        true => Some("is too long (maximum is 255 characters)"),
        false => title_pattern(text).is_none().then_some("is not a valid regular expression"),
    }
}

kernel::choices! {
    /// Whether the commits of a merge request are made one.
    #[derive(Default)]
    pub enum SquashOption as "MergeRequestSquashOption" {
        Never = "never",
        Always = "always",
        /// Unless it says otherwise.
        DefaultOn = "default_on",
        #[default]
        DefaultOff = "default_off",
    }
}

impl SquashOption {
    /// As projects store it; what is unknown is off.
    pub fn of(text: &str) -> SquashOption {
        SquashOption::from_text(text).unwrap_or_default()
    }

    /// What a merge request begins with that says nothing about it.
    pub fn is_on_at_first(self) -> bool {
        matches!(self, SquashOption::Always | SquashOption::DefaultOn)
    }

    /// What comes of a merge request's own wish.
    pub fn decides(self, wished: bool) -> bool {
        match self {
            SquashOption::Never => false,
            SquashOption::Always => true,
            SquashOption::DefaultOn | SquashOption::DefaultOff => wished,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_short_and_compile() {
        assert_eq!(pattern_error("^[A-Z]+-\\d+: "), None);
        for wrong in ["(", "(a{999}){999}", &"x".repeat(256)] {
            assert!(pattern_error(wrong).is_some(), "{wrong}");
        }
    }

    #[test]
    fn projects_overrule_wishes_for_squashing() {
        for (text, at_first, decided) in [
            ("never", false, [false, false]),
            ("always", true, [true, true]),
            ("default_on", true, [false, true]),
            ("default_off", false, [false, true]),
            ("odd", false, [false, true]),
        ] {
            let option = SquashOption::of(text);
            assert_eq!(option.is_on_at_first(), at_first, "{text}");
            assert_eq!([option.decides(false), option.decides(true)], decided, "{text}");
        }
    }
}
