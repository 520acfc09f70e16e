//! How merge requests of a project are merged, as the form says it.

use crate::store::settings as rows;
use ::store::Tx;
use kernel::error::Result;
use kernel::http::{Flat, Patch, Text};
use spaces::merge_settings::MergeSettingsChange;
use spaces::model::Project;
use spaces::rules::{MergeMethod, ProjectChange, SquashOption};

pub const METHODS: &[(&str, &str)] = &[
    ("merge", "A merge commit, always"),
    ("rebase_merge", "A merge commit, of branches that have all of their target"),
    ("ff", "No merge commit: the target moves to the branch, which has all of it"),
];
pub const SQUASHES: &[(&str, &str)] = &[
    ("never", "Never"),
    ("default_off", "As the merge request says, at first not"),
    ("default_on", "As the merge request says, at first so"),
    ("always", "Always"),
];

kernel::params! {
    /// What the form says.
    #[derive(Default)]
    pub struct Merging {
        pub merge_method: Option<MergeMethod>,
        pub automatic_rebase: Option<bool>,
        pub squash_option: Option<SquashOption>,
        pub pipelines_must_succeed: Option<bool>,
        pub skipped_pipelines_pass: Option<bool>,
        pub threads_must_be_resolved: Option<bool>,
        pub resolve_outdated: Option<bool>,
        pub remove_source_branch: Option<bool>,
        pub print_links: Option<bool>,
        pub merged_results: Option<bool>,
        pub autoclose: Option<bool>,
        pub merge_commit_template: Text,
        pub squash_commit_template: Text,
        pub suggestion_commit_message: Text,
        pub merge_request_title_regex: Text,
        pub issue_branch_template: Text,
    }
}

impl Merging {
    pub fn stored(tx: &mut Tx<'_>, project: &Project) -> Result<Merging> {
        let settings = rows::of_project(tx, project.id)?;
        let text = |stored: Option<String>| Text(stored.unwrap_or_default());
        Ok(Merging {
            merge_method: MergeMethod::from_text(&project.merge_method),
            automatic_rebase: Some(settings.automatic_rebase),
            squash_option: SquashOption::from_text(&project.squash_option),
            pipelines_must_succeed: Some(settings.pipelines_must_succeed),
            skipped_pipelines_pass: Some(settings.skipped_pipelines_pass),
            threads_must_be_resolved: Some(settings.threads_must_be_resolved),
            resolve_outdated: Some(settings.resolve_outdated_threads),
            remove_source_branch: Some(settings.remove_source_branch),
            print_links: Some(settings.print_links),
            merged_results: Some(settings.merged_results),
            autoclose: Some(project.autoclose_referenced_issues),
            merge_commit_template: text(settings.merge_commit_template),
            squash_commit_template: text(settings.squash_commit_template),
            suggestion_commit_message: text(settings.suggestion_commit_message),
            merge_request_title_regex: text(settings.title_pattern),
            issue_branch_template: text(settings.issue_branch_template),
        })
    }

    /// The change of the project that it asks for: boxes that are not ticked are off.
    pub fn change(&self) -> ProjectChange {
        let ticked = |flag: Option<bool>| Some(flag.unwrap_or(false));
        let text = |text: &Text| Patch::Value(text.to_string());
        let merging = MergeSettingsChange {
            automatic_rebase_enabled: ticked(self.automatic_rebase),
            only_allow_merge_if_pipeline_succeeds: ticked(self.pipelines_must_succeed),
            allow_merge_on_skipped_pipeline: ticked(self.skipped_pipelines_pass),
            only_allow_merge_if_all_discussions_are_resolved: ticked(self.threads_must_be_resolved),
            remove_source_branch_after_merge: ticked(self.remove_source_branch),
            resolve_outdated_diff_discussions: ticked(self.resolve_outdated),
            printing_merge_request_link_enabled: ticked(self.print_links),
            merge_pipelines_enabled: ticked(self.merged_results),
            merge_commit_template: text(&self.merge_commit_template),
            squash_commit_template: text(&self.squash_commit_template),
            suggestion_commit_message: text(&self.suggestion_commit_message),
            merge_request_title_regex: text(&self.merge_request_title_regex),
            issue_branch_template: text(&self.issue_branch_template),
            ..MergeSettingsChange::default()
        };
        ProjectChange {
            merge_method: self.merge_method,
            squash_option: self.squash_option,
            autoclose_referenced_issues: ticked(self.autoclose),
            merging: Flat(merging),
            ..ProjectChange::default()
        }
    }

    pub fn method(&self) -> &'static str {
        self.merge_method.map_or("merge", MergeMethod::as_str)
    }

    pub fn squash(&self) -> &'static str {
        self.squash_option.map_or("default_off", SquashOption::as_str)
    }
}
