//! What the jobs of this room are about; rules enqueue these, and [`crate::jobs`] does
//! the work.

use serde::{Deserialize, Serialize};

/// Has people told that a release was made.
#[derive(Debug, Serialize, Deserialize)]
pub struct TellRelease {
    pub release: i64,
}

/// Tells one of them.
#[derive(Debug, Serialize, Deserialize)]
pub struct TellReleaseTo {
    pub release: i64,
    pub user: i64,
}

/// Finds the commits of the releases of a project that were written down without them.
#[derive(Debug, Serialize, Deserialize)]
pub struct FindCommits {
    pub project: i64,
}

/// Collects evidence of a release that was to come out.
#[derive(Debug, Serialize, Deserialize)]
pub struct CollectEvidence {
    pub release: i64,
}
