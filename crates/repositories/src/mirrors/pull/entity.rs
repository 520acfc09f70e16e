//! A pull mirror on the wire. Nothing of it proves anything to anybody.

use super::model::PullMirror;
use crate::mirrors::model::UpdateStatus;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;

/// A pull mirror.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PullMirrorEntity {
    id: i64,
    enabled: bool,
    url: String,
    update_status: UpdateStatus,
    last_error: Option<String>,
    last_update_at: Option<String>,
    last_update_started_at: Option<String>,
    last_successful_update_at: Option<String>,
    mirror_trigger_builds: bool,
    only_mirror_protected_branches: Option<bool>,
    mirror_overwrites_diverged_branches: bool,
    mirror_branch_regex: Option<String>,
}

impl From<PullMirror> for PullMirrorEntity {
    fn from(it: PullMirror) -> PullMirrorEntity {
        PullMirrorEntity {
            id: it.id,
            enabled: it.enabled,
            url: it.server.shown_url,
            update_status: it.update_status,
            last_error: it.last_error,
            last_update_at: it.last_update_at.map(wire::text),
            last_update_started_at: it.last_update_started_at.map(wire::text),
            last_successful_update_at: it.last_successful_update_at.map(wire::text),
            mirror_trigger_builds: it.trigger_builds,
            only_mirror_protected_branches: it.only_protected_branches,
            mirror_overwrites_diverged_branches: it.overwrites_diverged_branches,
            mirror_branch_regex: it.mirror_branch_regex,
        }
    }
}
