//! A mirror, and what may be set of it.

use jiff::{SignedDuration, Timestamp};
use kernel::error::{Error, Result};
use kernel::http::Patch;
use regex::{Regex, RegexBuilder};
use store::{FromRow, Json};

/// Mirrors of a project.
pub const MOST: i64 = 10;
/// How long a mirror is left alone after it began to follow.
pub const PAUSE: SignedDuration = SignedDuration::from_secs(60);
/// Letters of a pattern.
const LONGEST: usize = 511;
/// Bytes that a pattern may take once it is read.
const MAX_COMPILED: usize = 1 << 20;

kernel::choices! {
    /// What proves to a mirror who pushes.
    pub enum AuthMethod {
        Password = "password",
        SshPublicKey = "ssh_public_key",
    }
}

kernel::choices! {
    /// How far a mirror is with what was pushed here.
    pub enum UpdateStatus {
        None = "none",
        Scheduled = "scheduled",
        Started = "started",
        Finished = "finished",
        Failed = "failed",
    }
}

/// A repository elsewhere that follows the code of a project.
#[derive(Debug, Clone, FromRow)]
#[columns("remote_mirrors")]
pub struct RemoteMirror {
    pub id: i64,
    pub project_id: i64,
    pub enabled: bool,
    /// Without what proves who pushes.
    pub url: String,
    /// As people see it, that masked.
    pub shown_url: String,
    pub sealed_credentials: Option<String>,
    pub auth_method: AuthMethod,
    pub sealed_key: Option<String>,
    /// What the mirror has to let in, as one line.
    pub public_key: Option<String>,
    /// What it is known by over SSH: type and key, a line each.
    pub host_keys: Json<Vec<String>>,
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
        let pattern = self.pattern().flatten();
        if self.only_protected_branches == Some(true) && pattern.is_some() {
            let text = "only_protected_branches, mirror_branch_regex are mutually exclusive";
            return Err(Error::Parameters(vec![text.into()]));
        }
        match pattern {
            Some(text) => compiled(&text).map(drop),
            None => Ok(()),
        }
    }
}

/// A pattern of names of branches, ready to be asked; it takes linear time.
pub fn compiled(text: &str) -> Result<Regex> {
    let wrong = |problem: &str| Error::invalid("mirror_branch_regex", problem);
    if text.chars().count() > LONGEST {
        return Err(wrong("is too long (maximum is 511 characters)"));
    }
    let built = RegexBuilder::new(text).size_limit(MAX_COMPILED).build();
    built.map_err(|_| wrong("is invalid"))
}
