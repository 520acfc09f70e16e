//! Merge requests that come from elsewhere or go there, with their own numbers, times and
//! people (see `planning::transfer` for what `P` is).

use kernel::time::Timestamp;
use planning::transfer::Reaction;
use serde::{Deserialize, Serialize};

/// `opened`, `closed` or `merged`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Opened,
    Closed,
    Merged,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "P: Deserialize<'de>"))]
pub struct MergeRequest<P> {
    pub number: i64,
    pub title: String,
    pub description: Option<String>,
    pub author: Option<P>,
    #[serde(default)]
    pub assignees: Vec<P>,
    #[serde(default)]
    pub reviewers: Vec<Reviewer<P>>,
    pub state: Outcome,
    #[serde(default)]
    pub is_draft: bool,
    /// Without `refs/heads/`. That of another repository bears a name of its own.
    pub source_branch: String,
    pub target_branch: String,
    /// The last commit of the source; None where it is gone there too.
    pub head: Option<String>,
    /// Where the target was when it was compared last; found by git where it is not told.
    pub start: Option<String>,
    /// The last commit that both have; likewise.
    pub base: Option<String>,
    /// Versions, oldest first. That of `head` and `start` may be left out; its time is that of
    /// the whole then.
    #[serde(default)]
    pub versions: Vec<Version>,
    pub merge_commit: Option<String>,
    pub squash_commit: Option<String>,
    #[serde(default)]
    pub is_squashed: bool,
    #[serde(default)]
    pub removes_source_branch: bool,
    #[serde(default)]
    pub labels: Vec<String>,
    /// The title of its milestone.
    pub milestone: Option<String>,
    #[serde(default)]
    pub is_locked: bool,
    /// Seconds.
    #[serde(default)]
    pub time_estimate: i64,
    /// Seconds.
    #[serde(default)]
    pub time_spent: i64,
    pub closed_at: Option<Timestamp>,
    pub closed_by: Option<P>,
    pub merged_at: Option<Timestamp>,
    pub merged_by: Option<P>,
    #[serde(default)]
    pub approvals: Vec<Approval<P>>,
    #[serde(default)]
    pub reactions: Vec<Reaction<P>>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    pub head: String,
    pub start: String,
    pub base: String,
    pub created_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "P: Deserialize<'de>"))]
pub struct Reviewer<P> {
    pub who: P,
    /// `unreviewed`, `reviewed`, `requested_changes` or `approved`; unreviewed without it.
    pub state: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval<P> {
    pub by: P,
    pub at: Timestamp,
}

/// A note that stands in the code of a merge request; answers in its thread share its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "P: Deserialize<'de>"))]
pub struct CodeNote<P> {
    /// Of the merge request.
    pub number: i64,
    /// Its own there, among those of its kind.
    pub key: String,
    /// The name of its thread there; the key of the first note serves.
    pub thread: String,
    pub author: Option<P>,
    pub text: String,
    /// Where it stands; of the first of a thread alone. Where it is not found in what
    /// differs, the note becomes one of the whole that names file and line.
    pub spot: Option<Spot>,
    pub resolved_at: Option<Timestamp>,
    pub resolved_by: Option<P>,
    #[serde(default)]
    pub reactions: Vec<Reaction<P>>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Lines of a file, or a file as a whole where no line is named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spot {
    /// The commits between which it stands; those of the merge request without them.
    pub head: Option<String>,
    pub base: Option<String>,
    pub start: Option<String>,
    pub new_path: String,
    /// The same as the new one where nothing is said.
    pub old_path: Option<String>,
    /// The line on each side: both for one that is unchanged.
    pub new_line: Option<u32>,
    pub old_line: Option<u32>,
    /// The first of several lines, which end at the ones above.
    pub first_new_line: Option<u32>,
    pub first_old_line: Option<u32>,
}
