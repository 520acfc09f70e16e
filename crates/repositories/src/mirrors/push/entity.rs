//! A push mirror on the wire. Nothing of it proves anything to anybody.

use super::model::RemoteMirror;
use crate::mirrors::model::{AuthMethod, UpdateStatus};
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;

/// A push mirror.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RemoteMirrorEntity {
    id: i64,
    enabled: bool,
    url: String,
    update_status: UpdateStatus,
    last_update_at: Option<String>,
    last_update_started_at: Option<String>,
    last_successful_update_at: Option<String>,
    last_error: Option<String>,
    only_protected_branches: bool,
    keep_divergent_refs: bool,
    auth_method: AuthMethod,
    host_keys: Vec<HostKeyEntity>,
    mirror_branch_regex: Option<String>,
}

/// A key that a server is known by.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HostKeyEntity {
    fingerprint_sha256: String,
}

/// What a mirror has to let in.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MirrorKeyEntity {
    pub public_key: String,
}

impl From<RemoteMirror> for RemoteMirrorEntity {
    fn from(it: RemoteMirror) -> RemoteMirrorEntity {
        let host_keys = it.server.fingerprints().into_iter();
        RemoteMirrorEntity {
            id: it.id,
            enabled: it.enabled,
            url: it.server.shown_url,
            update_status: it.update_status,
            last_update_at: it.last_update_at.map(wire::text),
            last_update_started_at: it.last_update_started_at.map(wire::text),
            last_successful_update_at: it.last_successful_update_at.map(wire::text),
            last_error: it.last_error,
            only_protected_branches: it.only_protected_branches,
            keep_divergent_refs: it.keep_divergent_refs,
            auth_method: it.server.auth_method,
            host_keys: host_keys
                .map(|fingerprint_sha256| HostKeyEntity { fingerprint_sha256 })
                .collect(),
            mirror_branch_regex: it.mirror_branch_regex,
        }
    }
}
