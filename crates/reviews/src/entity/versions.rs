//! Versions as JSON.

use crate::model::{Version, VersionState};
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;

/// What a merge request was at some time.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "MergeRequestVersion")]
pub struct VersionEntity {
    pub id: i64,
    pub head_commit_sha: String,
    pub base_commit_sha: String,
    pub start_commit_sha: String,
    pub created_at: String,
    /// Id of the merge request, and not its number.
    pub merge_request_id: i64,
    pub state: VersionState,
    /// How many files differ.
    pub real_size: String,
    pub patch_id_sha: Option<String>,
}

pub fn version(version: &Version) -> VersionEntity {
    VersionEntity {
        id: version.id,
        head_commit_sha: version.head_id.to_string(),
        base_commit_sha: version.base_id.to_string(),
        start_commit_sha: version.start_id.to_string(),
        created_at: wire::text(version.created_at),
        merge_request_id: version.merge_request_id,
        state: version.state,
        real_size: version.changes_count(),
        patch_id_sha: version.patch_id.clone(),
    }
}
