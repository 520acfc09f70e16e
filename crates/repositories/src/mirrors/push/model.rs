//! A push mirror, and what may be set of it.

use crate::mirrors::model::{AuthMethod, UpdateStatus, check_branches};
use crate::mirrors::server::Server;
use jiff::{SignedDuration, Timestamp};
use kernel::error::Result;
use kernel::http::Patch;
use store::FromRow;

/// Mirrors of a project.
pub const MOST: i64 = 10;
/// How long a mirror is left alone after it began to follow.
pub const PAUSE: SignedDuration = SignedDuration::from_secs(60);

/// A repository elsewhere that follows the code of a project.
#[derive(Debug, Clone, FromRow)]
#[columns("remote_mirrors")]
pub struct RemoteMirror {
    pub id: i64,
    pub project_id: i64,
    pub enabled: bool,
    #[nested]
    pub server: Server,
    pub only_protected_branches: bool,
    /// Only branches that fit this, where it is set.
    pub mirror_branch_regex: Option<String>,
    /// What went another way there stays.
    pub keep_divergent_refs: bool,
    pub update_status: UpdateStatus,
    pub last_update_at: Option<Timestamp>,
    pub last_update_started_at: Option<Timestamp>,
    pub last_successful_update_at: Option<Timestamp>,
    pub last_error: Option<String>,
}

impl RemoteMirror {
    /// When it may follow next.
    pub fn free_at(&self, now: Timestamp) -> Timestamp {
        self.last_update_started_at.map_or(now, |at| (at + PAUSE).max(now))
    }
}

kernel::params! {
    /// What may be set of a mirror; what is absent stays.
    #[derive(Default, PartialEq)]
    pub struct MirrorInput {
        /// Where it is: http, https or ssh, with what proves who pushes.
        pub url: Option<String>,
        /// Whether it follows; not unless said.
        pub enabled: Option<bool>,
        /// What proves who pushes; `ssh_public_key` makes a key.
        pub auth_method: Option<AuthMethod>,
        /// Whether branches and tags stay that went another way there.
        pub keep_divergent_refs: Option<bool>,
        /// Whether only protected branches are pushed.
        pub only_protected_branches: Option<bool>,
        /// Only branches that fit this are pushed.
        pub mirror_branch_regex: Patch<String>,
        /// What the server is known by over SSH, as lines of a file of known hosts; what it
        /// shows first is believed otherwise.
        pub host_keys: Option<Vec<String>>,
    }
}

impl MirrorInput {
    /// The pattern that is set; an empty one is none.
    pub fn pattern(&self) -> Option<Option<String>> {
        let sent = self.mirror_branch_regex.clone().sent();
        sent.map(|pattern| pattern.filter(|text| !text.is_empty()))
    }

    /// Refuses what cannot be meant together.
    pub fn check(&self) -> Result<()> {
        let only = ("only_protected_branches", self.only_protected_branches);
        check_branches(only, self.pattern().flatten().as_deref())
    }
}
