//! How the pipelines of a project run, as a project shows it and a change of one says it.
//! The room above keeps it: [`crate::hooks::CiSettingsHooks`].

use kernel::http::Patch;
use schemars::JsonSchema;
use serde::Serialize;

kernel::choices! {
    /// Whether a newer pipeline takes the place of older ones.
    #[derive(Default)]
    pub enum AutoCancelPending as "AutoCancelPendingPipelines" {
        #[default]
        Enabled = "enabled",
        Disabled = "disabled",
    }
}

kernel::choices! {
    /// How runners get the code.
    #[derive(Default)]
    pub enum GitStrategy as "BuildGitStrategy" {
        #[default]
        Fetch = "fetch",
        Clone = "clone",
    }
}

/// How the pipelines of a project run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ProjectCiSettings")]
pub struct CiSettings {
    /// Whether a newer pipeline of a branch takes the place of older ones.
    pub auto_cancel_pending_pipelines: AutoCancelPending,
    pub build_git_strategy: GitStrategy,
    /// Seconds that a job may take.
    pub build_timeout: i64,
    pub ci_allow_fork_pipelines_to_run_in_parent_project: bool,
    /// Where their file is, if not under its usual names; for who reads the code.
    pub ci_config_path: Option<String>,
    pub ci_default_git_depth: Option<i64>,
    pub ci_forward_deployment_enabled: bool,
    pub ci_forward_deployment_rollback_allowed: bool,
    pub ci_separated_caches: bool,
    /// Whether there is a list of what the project depends on, and exports of it.
    pub dependency_exports_enabled: bool,
    /// Whether the runners of groups above take its jobs.
    pub group_runners_enabled: bool,
    pub keep_latest_artifact: bool,
    /// Whether everybody who sees its pipelines sees what their jobs wrote.
    pub public_jobs: bool,
    /// Whether the runners of the instance take its jobs.
    pub shared_runners_enabled: bool,
}

impl Default for CiSettings {
    fn default() -> CiSettings {
        CiSettings {
            auto_cancel_pending_pipelines: AutoCancelPending::Enabled,
            build_git_strategy: GitStrategy::Fetch,
            build_timeout: 3_600,
            ci_allow_fork_pipelines_to_run_in_parent_project: true,
            ci_config_path: None,
            ci_default_git_depth: Some(20),
            ci_forward_deployment_enabled: true,
            ci_forward_deployment_rollback_allowed: true,
            ci_separated_caches: true,
            dependency_exports_enabled: true,
            group_runners_enabled: true,
            keep_latest_artifact: true,
            public_jobs: true,
            shared_runners_enabled: true,
        }
    }
}

kernel::params! {
    /// What is to change of how pipelines run; what is absent stays.
    #[derive(Default)]
    pub struct CiSettingsChange {
        /// Whether a newer pipeline of a branch takes the place of older ones.
        pub auto_cancel_pending_pipelines: Option<AutoCancelPending>,
        /// How runners get the code.
        pub build_git_strategy: Option<GitStrategy>,
        /// Seconds that a job may take.
        pub build_timeout: Option<i64>,
        /// Members may run pipelines of forks in it.
        pub ci_allow_fork_pipelines_to_run_in_parent_project: Option<bool>,
        /// Where the file of its pipelines is.
        pub ci_config_path: Patch<String>,
        /// Commits that runners fetch; 0 for all.
        pub ci_default_git_depth: Patch<i64>,
        /// A job of an older commit deploys nothing over a newer one.
        pub ci_forward_deployment_enabled: Option<bool>,
        /// But where it is run again.
        pub ci_forward_deployment_rollback_allowed: Option<bool>,
        /// Protected branches have caches of their own.
        pub ci_separated_caches: Option<bool>,
        /// There is a list of what it depends on, and exports of it.
        pub dependency_exports_enabled: Option<bool>,
        /// The runners of groups above take its jobs.
        pub group_runners_enabled: Option<bool>,
        /// The files of the latest jobs that succeeded stay.
        pub keep_latest_artifact: Option<bool>,
        /// Everybody who sees its pipelines sees what their jobs wrote.
        pub public_jobs: Option<bool>,
        /// The same by its old name.
        pub public_builds: Option<bool>,
        /// The runners of the instance take its jobs.
        pub shared_runners_enabled: Option<bool>,
    }
}
