//! What a project follows, as it shows that to who maintains it and a change of it says it:
//! the old way beside `/mirror/pull`. The room above keeps it:
//! [`crate::hooks::MirrorSettingsHooks`].

use kernel::http::Patch;
use schemars::JsonSchema;
use serde::Serialize;

/// What a project follows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ProjectMirrorSettings")]
pub struct MirrorSettings {
    /// Where its code comes from, what proves who asks there masked.
    pub import_url: Option<String>,
    /// Whether it follows that.
    pub mirror: bool,
    /// As whom it does.
    pub mirror_user_id: Option<i64>,
    /// Whether pipelines begin with what comes.
    pub mirror_trigger_builds: bool,
    pub only_mirror_protected_branches: Option<bool>,
    pub mirror_overwrites_diverged_branches: bool,
    pub mirror_branch_regex: Option<String>,
}

kernel::params! {
    /// What is to change of what a project follows; what is absent stays.
    #[derive(Default, PartialEq)]
    pub struct MirrorSettingsChange {
        /// Where its code comes from, with what proves who asks there: a new project begins
        /// with what is there.
        pub import_url: Patch<String>,
        /// Whether it follows that.
        pub mirror: Option<bool>,
        /// As whom it does; others than oneself are for administrators to say.
        pub mirror_user_id: Option<i64>,
        /// Whether pipelines begin with what comes.
        pub mirror_trigger_builds: Option<bool>,
        /// Whether only protected branches follow.
        pub only_mirror_protected_branches: Option<bool>,
        /// Whether branches that went another way here are overwritten.
        pub mirror_overwrites_diverged_branches: Option<bool>,
        /// Only branches that fit this follow.
        pub mirror_branch_regex: Patch<String>,
    }
}

impl MirrorSettingsChange {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == MirrorSettingsChange::default()
    }
}
