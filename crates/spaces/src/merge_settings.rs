//! How merge requests of a project are merged, as a project shows it and a change of one
//! says it, beside its method and squash option. The room above keeps it:
//! [`crate::hooks::MergeSettingsHooks`].

use kernel::http::Patch;
use schemars::JsonSchema;
use serde::Serialize;

/// How merge requests of a project are merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ProjectMergeSettings")]
pub struct MergeSettings {
    /// Merges rebase what lacks commits of its target, where the method asks for them.
    pub automatic_rebase_enabled: bool,
    pub only_allow_merge_if_pipeline_succeeds: bool,
    /// A pipeline that was skipped counts as one that succeeded.
    pub allow_merge_on_skipped_pipeline: bool,
    pub only_allow_merge_if_all_discussions_are_resolved: bool,
    /// The source branch goes with the merge, unless the merge request says otherwise.
    pub remove_source_branch_after_merge: bool,
    /// A push that changes the lines of a thread resolves it.
    pub resolve_outdated_diff_discussions: bool,
    /// Who pushes is told where the merge request is, or is made.
    pub printing_merge_request_link_enabled: bool,
    /// Pipelines of merge requests are of what merging them would make.
    pub merge_pipelines_enabled: bool,
    pub merge_commit_template: Option<String>,
    pub squash_commit_template: Option<String>,
    pub suggestion_commit_message: Option<String>,
    /// What titles have to match.
    pub merge_request_title_regex: Option<String>,
    /// What branches of issues are called.
    pub issue_branch_template: Option<String>,
    /// How many have to approve, whoever they are.
    pub approvals_before_merge: i64,
}

impl Default for MergeSettings {
    fn default() -> MergeSettings {
        MergeSettings {
            automatic_rebase_enabled: false,
            only_allow_merge_if_pipeline_succeeds: false,
            allow_merge_on_skipped_pipeline: false,
            only_allow_merge_if_all_discussions_are_resolved: false,
            remove_source_branch_after_merge: true,
            resolve_outdated_diff_discussions: false,
            printing_merge_request_link_enabled: true,
            merge_pipelines_enabled: false,
            merge_commit_template: None,
            squash_commit_template: None,
            suggestion_commit_message: None,
            merge_request_title_regex: None,
            issue_branch_template: None,
            approvals_before_merge: 0,
        }
    }
}

kernel::params! {
    /// What is to change of how merge requests are merged; what is absent stays.
    #[derive(Default)]
    pub struct MergeSettingsChange {
        /// Merges rebase what lacks commits of its target, where the method asks for them.
        pub automatic_rebase_enabled: Option<bool>,
        /// Merge requests are merged only once their pipeline succeeded.
        pub only_allow_merge_if_pipeline_succeeds: Option<bool>,
        /// A pipeline that was skipped counts as one that succeeded.
        pub allow_merge_on_skipped_pipeline: Option<bool>,
        /// They are merged only once all threads are resolved.
        pub only_allow_merge_if_all_discussions_are_resolved: Option<bool>,
        /// Source branches go with the merge, unless a merge request says otherwise.
        pub remove_source_branch_after_merge: Option<bool>,
        /// A push that changes the lines of a thread resolves it.
        pub resolve_outdated_diff_discussions: Option<bool>,
        /// Who pushes is told where the merge request is, or is made.
        pub printing_merge_request_link_enabled: Option<bool>,
        /// Pipelines of merge requests are of what merging them would make.
        pub merge_pipelines_enabled: Option<bool>,
        /// What commits of merges say; null as usual.
        pub merge_commit_template: Patch<String>,
        /// What squashed commits say; null as usual.
        pub squash_commit_template: Patch<String>,
        /// What commits of suggestions say; null as usual.
        pub suggestion_commit_message: Patch<String>,
        /// A regular expression that titles have to match; null for any.
        pub merge_request_title_regex: Patch<String>,
        /// What branches of issues are called: `%{id}` and `%{title}` stand for those of the
        /// issue; null for both with a dash.
        pub issue_branch_template: Patch<String>,
        /// How many have to approve, whoever they are.
        pub approvals_before_merge: Option<i64>,
    }
}
