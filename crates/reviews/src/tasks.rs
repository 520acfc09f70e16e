//! What the jobs of this room are about; rules enqueue these, and [`crate::jobs`] does
//! the work.

use serde::{Deserialize, Serialize};

/// Makes the version of a merge request that is due.
#[derive(Debug, Serialize, Deserialize)]
pub struct MakeVersion {
    pub request: i64,
    /// Who moved the branch.
    pub user: Option<i64>,
    /// Also if only the target moved.
    pub for_target: bool,
}

/// Makes the version of a merge request whose source moved, or which is new, and its
/// pipeline.
#[derive(Debug, Serialize, Deserialize)]
pub struct FollowSource {
    pub request: i64,
    /// Where the source is now.
    pub head: String,
    /// Who moved it.
    pub user: Option<i64>,
    /// A pipeline is wanted.
    pub has_pipeline: bool,
    /// None of its jobs is to run.
    pub skips_jobs: bool,
}

/// Makes a pipeline of a merge request that somebody asked for.
#[derive(Debug, Serialize, Deserialize)]
pub struct BeginPipeline {
    pub request: i64,
    pub user: i64,
}

/// Finds out whether a merge request can be merged.
#[derive(Debug, Serialize, Deserialize)]
pub struct Check {
    pub request: i64,
}

/// Looks at the merge requests into a branch that moved: those that went into it with the
/// push are merged, and others may want a version.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FollowTarget {
    pub project: i64,
    pub branch: String,
    pub old: String,
    pub new: String,
    pub user: Option<i64>,
    /// Of the merge request that was looked at last.
    pub after: i64,
}

/// Brings the threads of a merge request to its newest version.
#[derive(Debug, Serialize, Deserialize)]
pub struct FollowThreads {
    pub request: i64,
    /// Who moved the branch.
    pub user: Option<i64>,
}

/// Makes a merge that was ordered, if its checks pass.
#[derive(Debug, Serialize, Deserialize)]
pub struct AutoMerge {
    pub request: i64,
}

/// Makes the source branch again on top of the target.
#[derive(Debug, Serialize, Deserialize)]
pub struct Rebase {
    pub request: i64,
    /// Who asked for it.
    pub user: i64,
    /// Its push begins no pipeline.
    pub skip_ci: bool,
}

/// Takes the source branch of what was merged away.
#[derive(Debug, Serialize, Deserialize)]
pub struct RemoveSource {
    pub request: i64,
    /// Who merged it.
    pub user: Option<i64>,
}

/// Makes a branch and a merge request of an issue.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CreateOfIssue {
    pub project: i64,
    /// The number of the issue.
    pub issue: i64,
    pub branch: String,
    /// The commit that the branch begins at.
    pub from: String,
    pub user: i64,
}

/// Looks for locks that a crash left, and for orders whose time has come.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Sweep {}
