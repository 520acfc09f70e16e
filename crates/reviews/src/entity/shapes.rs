//! The shapes of merge requests, each with all of the one before.

use crate::merging::DetailedStatus;
use crate::model::{ReviewState, State};
use delivery::pipelines::{PipelineBasic, PipelineEntity};
use identity::entities::UserBasic;
use planning::entity::issues::{LabelsShown, References, TaskStatus, TimeStats};
use planning::entity::milestones::MilestoneEntity;
use schemars::JsonSchema;
use serde::Serialize;

/// What every list of merge requests can show.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "MergeRequestCommon")]
pub struct CommonEntity {
    pub id: i64,
    pub iid: i64,
    pub project_id: i64,
    pub title: String,
    pub description: Option<String>,
    pub state: State,
    pub created_at: String,
    pub updated_at: String,
}

/// A merge request in few words.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "MergeRequestSimple")]
pub struct SimpleEntity {
    #[serde(flatten)]
    pub common: CommonEntity,
    pub web_url: String,
}

/// A merge request in lists.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "MergeRequestBasic")]
pub struct BasicEntity {
    #[serde(flatten)]
    pub common: CommonEntity,
    pub merged_by: Option<UserBasic>,
    /// Who merged it, or wants it merged once it can be.
    pub merge_user: Option<UserBasic>,
    pub merged_at: Option<String>,
    pub closed_by: Option<UserBasic>,
    pub closed_at: Option<String>,
    /// Where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title_html: Option<String>,
    /// Where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description_html: Option<String>,
    pub target_branch: String,
    pub source_branch: String,
    pub user_notes_count: i64,
    pub upvotes: i64,
    pub downvotes: i64,
    pub author: Option<UserBasic>,
    pub assignees: Vec<UserBasic>,
    pub assignee: Option<UserBasic>,
    pub reviewers: Vec<UserBasic>,
    pub source_project_id: Option<i64>,
    pub target_project_id: i64,
    pub labels: LabelsShown,
    pub draft: bool,
    pub imported: bool,
    pub imported_from: String,
    pub work_in_progress: bool,
    pub milestone: Option<MilestoneEntity>,
    pub merge_when_pipeline_succeeds: bool,
    pub merge_status: String,
    pub detailed_merge_status: DetailedStatus,
    pub merge_after: Option<String>,
    pub sha: Option<String>,
    pub merge_commit_sha: Option<String>,
    pub squash_commit_sha: Option<String>,
    pub discussion_locked: Option<bool>,
    pub should_remove_source_branch: Option<bool>,
    pub force_remove_source_branch: Option<bool>,
    pub prepared_at: Option<String>,
    /// Of forks alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_collaboration: Option<bool>,
    /// The same by its older name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_maintainer_to_push: Option<bool>,
    pub reference: String,
    pub references: References,
    pub web_url: String,
    pub time_stats: TimeStats,
    pub squash: bool,
    pub squash_on_merge: bool,
    pub task_completion_status: TaskStatus,
    pub has_conflicts: bool,
    pub blocking_discussions_resolved: bool,
    /// Always null.
    pub approvals_before_merge: Option<i64>,
}

/// The commits that a version is about.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "MergeRequestDiffRefs")]
pub struct DiffRefs {
    pub base_sha: String,
    pub head_sha: String,
    pub start_sha: String,
}

/// What the caller may do with it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "MergeRequestUser")]
pub struct UserRights {
    pub can_merge: bool,
}

/// A merge request by itself.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "MergeRequestSingle")]
pub struct SingleEntity {
    #[serde(flatten)]
    pub basic: BasicEntity,
    pub subscribed: bool,
    /// How many files differ: `12`, `1000+`; null before the first version.
    pub changes_count: Option<String>,
    pub latest_build_started_at: Option<String>,
    pub latest_build_finished_at: Option<String>,
    pub first_deployed_to_production_at: Option<String>,
    /// The newest pipeline of the head.
    pub pipeline: Option<PipelineBasic>,
    /// The same, for who sees pipelines.
    pub head_pipeline: Option<PipelineEntity>,
    pub diff_refs: Option<DiffRefs>,
    pub merge_error: Option<String>,
    /// Where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rebase_in_progress: Option<bool>,
    /// Commits that the target has and the source has not; where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diverged_commits_count: Option<u64>,
    /// Whether its author had nothing merged there; of a merge request shown by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_contribution: Option<bool>,
    pub user: UserRights,
}

/// Somebody who reviews.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "MergeRequestReviewer")]
pub struct ReviewerEntity {
    pub user: UserBasic,
    pub state: ReviewState,
    pub created_at: String,
}

/// A merge request that another one waits for.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "MergeRequestDependency")]
pub struct BlockEntity {
    pub id: i64,
    /// Left out where the caller does not see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocking_merge_request: Option<BasicEntity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_merge_request: Option<BasicEntity>,
    pub project_id: i64,
}
