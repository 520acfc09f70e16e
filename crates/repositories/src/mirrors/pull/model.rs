//! A pull mirror, and what may be set of it.

use crate::mirrors::model::{UpdateStatus, check_branches};
use crate::mirrors::server::Server;
use jiff::{SignedDuration, Timestamp};
use kernel::error::Result;
use kernel::http::Patch;
use store::FromRow;

/// How often a mirror follows of itself, how seldom after failures, and how often at most.
const USUAL: SignedDuration = SignedDuration::from_mins(30);
const SELDOM: SignedDuration = SignedDuration::from_hours(12);
const PAUSE: SignedDuration = SignedDuration::from_mins(5);
/// Failures in a row after which a mirror is switched off.
pub const MOST_FAILURES: i64 = 14;

/// A repository elsewhere that the code of a project follows, or came from.
#[derive(Debug, Clone, FromRow)]
#[columns("pull_mirrors")]
pub struct PullMirror {
    pub id: i64,
    pub project_id: i64,
    /// As whom it acts: who last changed it, unless an administrator named somebody.
    pub user_id: Option<i64>,
    /// Whether it follows; if not, it is where the code came from.
    pub enabled: bool,
    /// What comes next is what the project begins with.
    pub is_import: bool,
    #[nested]
    pub server: Server,
    /// Pipelines begin with what comes.
    pub trigger_builds: bool,
    pub only_protected_branches: Option<bool>,
    /// Only branches that fit this, where it is set.
    pub mirror_branch_regex: Option<String>,
    /// What went another way here is overwritten.
    pub overwrites_diverged_branches: bool,
    pub update_status: UpdateStatus,
    pub last_update_at: Option<Timestamp>,
    pub last_update_started_at: Option<Timestamp>,
    pub last_successful_update_at: Option<Timestamp>,
    pub last_error: Option<String>,
    /// In a row.
    pub failures: i64,
    pub next_update_at: Option<Timestamp>,
}

impl PullMirror {
    /// When it may follow next.
    pub fn free_at(&self, now: Timestamp) -> Timestamp {
        self.last_update_started_at.map_or(now, |at| (at + PAUSE).max(now))
    }

    /// Whether there is something for it to do.
    pub fn is_wanted(&self) -> bool {
        self.enabled || self.is_import
    }

    /// Whether it failed so often that it is off.
    pub fn gave_up(&self) -> bool {
        !self.enabled && self.failures >= MOST_FAILURES
    }
}

/// When a mirror follows next of itself that began then, after so many failures in a row.
pub fn next_after(began: Timestamp, failures: i64) -> Timestamp {
    let doublings = u32::try_from(failures.clamp(0, 10)).unwrap_or_default();
    let pause = USUAL.checked_mul(2_i32.pow(doublings)).unwrap_or(SELDOM);
    began + pause.min(SELDOM)
}

kernel::params! {
    /// What may be set of a pull mirror; what is absent stays.
    #[derive(Default, PartialEq)]
    pub struct PullMirrorInput {
        /// Whether the project follows it; not unless said.
        pub enabled: Option<bool>,
        /// Where it is: http, https, ssh or git.
        pub url: Option<String>,
        /// The user name there.
        pub auth_user: Option<String>,
        /// The password or token there.
        pub auth_password: Option<String>,
        /// Whether pipelines begin with what comes.
        pub mirror_trigger_builds: Option<bool>,
        /// Whether only protected branches follow.
        pub only_mirror_protected_branches: Option<bool>,
        /// Whether branches that went another way here are overwritten.
        pub mirror_overwrites_diverged_branches: Option<bool>,
        /// Only branches that fit this follow.
        pub mirror_branch_regex: Patch<String>,
        /// What the server is known by over SSH, as lines of a file of known hosts; what it
        /// shows first is believed otherwise.
        pub host_keys: Option<Vec<String>>,
        /// As whom it acts, where that is not who changes it.
        pub mirror_user_id: Option<i64> = None,
    }
}

impl PullMirrorInput {
    /// The pattern that is set; an empty one is none.
    pub fn pattern(&self) -> Option<Option<String>> {
        let sent = self.mirror_branch_regex.clone().sent();
        sent.map(|pattern| pattern.filter(|text| !text.is_empty()))
    }

    /// Refuses what cannot be meant together.
    pub fn check(&self) -> Result<()> {
        let only = ("only_mirror_protected_branches", self.only_mirror_protected_branches);
        check_branches(only, self.pattern().flatten().as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_fails_is_asked_less_often() {
        let began: Timestamp = "2030-01-01T00:00:00Z".parse().expect("a time");
        let minutes = |failures| next_after(began, failures).duration_since(began).as_mins();
        let all: Vec<i64> = (0..=MOST_FAILURES).map(minutes).collect();
        assert_eq!(all[..6], [30, 60, 120, 240, 480, 720]);
        assert!(all[6..].iter().all(|one| *one == 720));
    }
}
