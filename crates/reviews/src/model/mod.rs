//! Rows and closed lists of this room: plain types, no decisions.

pub mod issue_branch;
mod settings;
mod title;

pub use settings::{Settings, SquashOption, pattern_error, title_pattern};
pub use title::{as_draft, as_ready, is_draft, marks_draft};

use crate::merging::MergeStatus;
use kernel::time::Timestamp;
use repositories::formats::object_id::ObjectId;
use serde_json::Value;
use store::{FromRow, Json, UpdateRow};

/// Longest description, in characters.
pub const MAX_TEXT: usize = 1_048_576;
/// Longest name of a branch, in characters.
pub const MAX_BRANCH: usize = 255;

kernel::choices! {
    #[derive(Default)]
    pub enum State as "MergeRequestState" {
        #[default]
        Opened = "opened",
        Closed = "closed",
        /// Somebody merges it at this moment.
        Locked = "locked",
        Merged = "merged",
    }
}

kernel::choices! {
    pub enum YesNo as "MergeRequestYesNo" { Yes = "yes", No = "no" }
}

kernel::choices! {
    /// What a reviewer said last.
    #[derive(Default)]
    pub enum ReviewState as "MergeRequestReviewState" {
        #[default]
        Unreviewed = "unreviewed",
        Reviewed = "reviewed",
        RequestedChanges = "requested_changes",
        Approved = "approved",
        Unapproved = "unapproved",
        ReviewStarted = "review_started",
    }
}

kernel::choices! {
    /// How much of what differs was read when a version was made.
    pub enum VersionState as "MergeRequestVersionState" {
        Collected = "collected",
        /// Nothing differs.
        Empty = "empty",
        /// More differs than is shown.
        Overflow = "overflow",
        WithoutFiles = "without_files",
    }
}

kernel::choices! {
    /// What resource events tell of.
    pub enum EventKind as "MergeRequestEventKind" {
        State = "state",
        Label = "label",
        Milestone = "milestone",
    }
}

#[derive(Debug, Clone, FromRow, UpdateRow)]
#[columns("merge_requests")]
pub struct MergeRequest {
    pub id: i64,
    pub target_project_id: i64,
    pub iid: i64,
    /// None where the fork is gone.
    pub source_project_id: Option<i64>,
    pub source_branch: String,
    #[written]
    pub target_branch: String,
    #[written]
    pub title: String,
    #[written]
    pub description: Option<String>,
    #[written]
    pub state: State,
    #[written]
    pub draft: bool,
    pub author_id: Option<i64>,
    #[written]
    pub edited_by_id: Option<i64>,
    #[written]
    pub closed_by_id: Option<i64>,
    /// Who merged it, or wants it merged once it can be.
    #[written]
    pub merge_user_id: Option<i64>,
    #[written]
    pub milestone_id: Option<i64>,
    #[written]
    pub discussion_locked: Option<bool>,
    #[written]
    pub squash: bool,
    #[written]
    pub should_remove_source_branch: Option<bool>,
    #[written]
    pub force_remove_source_branch: Option<bool>,
    #[written]
    pub allow_collaboration: bool,
    #[written]
    pub merge_after: Option<Timestamp>,
    /// It is merged once its checks pass.
    #[written]
    pub auto_merge: bool,
    /// What a merge was ordered with.
    #[written]
    pub merge_params: Json<Value>,
    #[written]
    pub merge_status: MergeStatus,
    #[written]
    pub merge_error: Option<String>,
    /// The source lacks what the target has, as was found with the status.
    #[written]
    pub needs_rebase: bool,
    /// Where the source branch is, or was last.
    #[written]
    pub head_id: Option<ObjectId>,
    #[written]
    pub merge_commit_id: Option<ObjectId>,
    #[written]
    pub squash_commit_id: Option<ObjectId>,
    /// The last of the source's commits, where the merge made them again: the source stayed.
    #[written]
    pub rebased_commit_id: Option<ObjectId>,
    pub time_estimate: i64,
    pub time_spent: i64,
    #[written]
    pub task_count: i64,
    #[written]
    pub task_completed_count: i64,
    pub notes_count: i64,
    pub internal_notes_count: i64,
    /// What it came from, if not from here.
    pub imported_from: Option<String>,
    #[written]
    pub rebase_started_at: Option<Timestamp>,
    #[written]
    pub locked_at: Option<Timestamp>,
    #[written]
    pub edited_at: Option<Timestamp>,
    #[written]
    pub prepared_at: Option<Timestamp>,
    #[written]
    pub closed_at: Option<Timestamp>,
    #[written]
    pub merged_at: Option<Timestamp>,
    pub created_at: Timestamp,
    #[written]
    pub updated_at: Timestamp,
    #[column("projects.full_path")]
    pub project_path: String,
}

impl MergeRequest {
    pub fn text(&self) -> &str {
        self.description.as_deref().unwrap_or_default()
    }

    pub fn is_open(&self) -> bool {
        self.state == State::Opened
    }

    /// Whether it is open and nobody knows if it can be merged.
    pub fn needs_check(&self) -> bool {
        self.is_open() && self.merge_status.needs_check()
    }

    /// Whether it is still to be merged: also while somebody does.
    pub fn is_pending(&self) -> bool {
        matches!(self.state, State::Opened | State::Locked)
    }

    /// Whether only members comment.
    pub fn is_locked(&self) -> bool {
        self.discussion_locked == Some(true)
    }

    /// Whether its branches are of two projects.
    pub fn is_from_fork(&self) -> bool {
        self.source_project_id != Some(self.target_project_id)
    }

    /// Its title beside its state, which says of an open one whether it is a draft.
    pub fn title_beside_state(&self) -> String {
        match self.is_open() && self.draft {
            true => as_ready(&self.title),
            false => self.title.clone(),
        }
    }

    /// The commit that its merge brought to the target.
    pub fn brought(&self) -> Option<ObjectId> {
        let made = self.merge_commit_id.or(self.squash_commit_id).or(self.rebased_commit_id);
        made.or(self.head_id)
    }

    /// How texts of its project name it.
    pub fn reference(&self) -> String {
        format!("!{}", self.iid)
    }

    /// Path of its page, from the instance's address on.
    pub fn path(&self) -> String {
        format!("/{}/-/merge_requests/{}", self.project_path, self.iid)
    }

    /// Whether the source branch goes with the merge.
    pub fn removes_source_branch(&self) -> bool {
        self.should_remove_source_branch
            .or(self.force_remove_source_branch)
            .unwrap_or(false)
    }
}

/// What a merge request was at some time.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
#[columns("merge_request_versions")]
pub struct Version {
    pub id: i64,
    pub merge_request_id: i64,
    pub head_id: ObjectId,
    /// The last commit that the source and the target have.
    pub base_id: ObjectId,
    /// Where the target branch was.
    pub start_id: ObjectId,
    pub state: VersionState,
    pub files_count: i64,
    pub commits_count: i64,
    pub patch_id: Option<String>,
    pub created_at: Timestamp,
}

impl Version {
    /// How many files differ, as clients read it: `12`, `1000+`.
    pub fn changes_count(&self) -> String {
        let more = if self.state == VersionState::Overflow { "+" } else { "" };
        format!("{}{more}", self.files_count)
    }
}

#[derive(Debug, Clone, FromRow)]
#[columns("merge_request_reviewers")]
pub struct Reviewer {
    pub merge_request_id: i64,
    pub user_id: i64,
    pub state: ReviewState,
    pub created_at: Timestamp,
}

/// What became of a merge request.
#[derive(Debug, Clone, FromRow)]
#[columns("merge_request_events")]
pub struct Event {
    pub id: i64,
    pub merge_request_id: i64,
    pub user_id: Option<i64>,
    pub kind: EventKind,
    pub action: String,
    pub label_id: Option<i64>,
    pub milestone_id: Option<i64>,
    pub source_commit: Option<ObjectId>,
    pub created_at: Timestamp,
}

/// A merge request that waits for another one.
#[derive(Debug, Clone, FromRow)]
#[columns("merge_request_blocks")]
pub struct Block {
    pub id: i64,
    pub blocking_id: i64,
    pub blocked_id: i64,
    pub created_at: Timestamp,
}

pub fn text_error(text: &str) -> Option<&'static str> {
    let long = text.len() > MAX_TEXT && text.chars().count() > MAX_TEXT;
    long.then_some("is too long (maximum is 1048576 characters)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_bounded_by_their_characters() {
        assert_eq!(text_error(""), None);
        assert_eq!(text_error(&"ä".repeat(MAX_TEXT)), None);
        assert!(text_error(&"a".repeat(MAX_TEXT + 1)).is_some());
    }
}
