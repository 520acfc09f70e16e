//! What the forms of the page send.

use kernel::error::{Error, Result};
use kernel::http::{Patch, Text};
use repositories::mirrors::address::joined;
use repositories::mirrors::pull::PullMirrorInput;
use repositories::mirrors::push::MirrorInput;

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Task {
        SavePull = "save_pull",
        StartPull = "start_pull",
        RemovePull = "remove_pull",
        /// Whether the project may follow others.
        Allow = "allow",
        AddPush = "add_push",
        ChangePush = "change_push",
        StartPush = "start_push",
        RemovePush = "remove_push",
    }
}

kernel::params! {
    /// The forms of the page.
    pub struct Form {
        /// What is asked for.
        pub action: Task,
        /// A push mirror.
        pub mirror_id: Option<i64>,
        /// Where it is.
        pub url: Text,
        /// What proves there who asks.
        pub user: Text,
        pub password: Text,
        /// Whether it follows.
        pub enabled: Option<bool>,
        /// Only protected branches do.
        pub only_protected_branches: Option<bool>,
        /// Only branches that fit this do.
        pub mirror_branch_regex: Text,
        /// What the server is known by, a line each.
        pub host_keys: Text,
        /// What went another way is left alone there, or overwritten here.
        pub another_way: Option<bool>,
        /// Pipelines begin with what comes.
        pub trigger_builds: Option<bool>,
        /// Whether the project may follow others.
        pub pull_mirrors: Option<bool>,
    }
}

/// A mirror as its form has it; what proves who asks is typed again.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    pub url: String,
    pub user: String,
    pub enabled: bool,
    pub only_protected: bool,
    pub pattern: String,
    pub host_keys: String,
    pub another_way: bool,
    pub trigger_builds: bool,
}

impl Form {
    pub fn fields(&self) -> Fields {
        Fields {
            url: self.url.to_string(),
            user: self.user.to_string(),
            enabled: self.enabled.unwrap_or(false),
            only_protected: self.only_protected_branches.unwrap_or(false),
            pattern: self.mirror_branch_regex.to_string(),
            host_keys: self.host_keys.to_string(),
            another_way: self.another_way.unwrap_or(false),
            trigger_builds: self.trigger_builds.unwrap_or(false),
        }
    }

    /// The address with what proves who asks, which has fields of its own.
    pub fn address(&self) -> Result<String> {
        match self.url.trim() {
            "" => Err(Error::invalid("url", "can't be blank")),
            typed => joined(typed, self.user.trim(), self.password.trim()),
        }
    }

    /// Null where nothing is typed: it is all that the form says of branches.
    fn pattern(&self) -> Patch<String> {
        match self.mirror_branch_regex.trim() {
            "" => Patch::Null,
            typed => Patch::Value(typed.to_owned()),
        }
    }

    fn host_keys(&self) -> Option<Vec<String>> {
        let lines = self.host_keys.lines().map(str::trim).filter(|line| !line.is_empty());
        let lines: Vec<String> = lines.map(str::to_owned).collect();
        // Nothing typed leaves what the server showed first.
        (!lines.is_empty()).then_some(lines)
    }

    pub fn of_pull(&self) -> Result<PullMirrorInput> {
        let ticked = |flag: Option<bool>| Some(flag.unwrap_or(false));
        Ok(PullMirrorInput {
            enabled: ticked(self.enabled),
            url: Some(self.address()?),
            mirror_trigger_builds: ticked(self.trigger_builds),
            only_mirror_protected_branches: ticked(self.only_protected_branches),
            mirror_overwrites_diverged_branches: ticked(self.another_way),
            mirror_branch_regex: self.pattern(),
            host_keys: self.host_keys(),
            ..PullMirrorInput::default()
        })
    }

    pub fn of_push(&self, enabled: bool) -> Result<MirrorInput> {
        Ok(MirrorInput {
            url: Some(self.address()?),
            enabled: Some(enabled),
            keep_divergent_refs: Some(self.another_way.unwrap_or(false)),
            only_protected_branches: Some(self.only_protected_branches.unwrap_or(false)),
            mirror_branch_regex: self.pattern(),
            host_keys: self.host_keys(),
            ..MirrorInput::default()
        })
    }
}
