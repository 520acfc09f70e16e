//! What can be set of pipelines: for a project, and for the instance.

use store::FromRow;

/// How the pipelines of a project run.
#[derive(Debug, Clone, PartialEq, FromRow)]
#[columns("ci_project_settings")]
pub struct ProjectSettings {
    /// Where their file is, if not under its usual names.
    pub config_path: Option<String>,
    /// A newer pipeline of a branch takes the place of older ones.
    pub auto_cancel_pending: bool,
    /// Seconds that a job may take.
    pub build_timeout: i64,
    pub default_git_depth: Option<i64>,
    pub build_git_strategy: String,
    pub separated_caches: bool,
    pub keep_latest_artifact: bool,
    pub public_jobs: bool,
    pub forward_deployment_enabled: bool,
    pub forward_deployment_rollback_allowed: bool,
    /// The runners of the instance take its jobs.
    pub shared_runners: bool,
    /// Those of groups above do.
    pub group_runners: bool,
    /// Members may run pipelines of forks in it.
    pub fork_pipelines_in_parent: bool,
    /// Jobs of other projects enter it only if it lists them.
    pub limits_job_tokens: bool,
    /// It has a list of dependencies, and exports of it.
    pub dependency_exports: bool,
}

impl Default for ProjectSettings {
    fn default() -> ProjectSettings {
        ProjectSettings {
            config_path: None,
            auto_cancel_pending: true,
            build_timeout: 3_600,
            default_git_depth: Some(20),
            build_git_strategy: "fetch".to_owned(),
            separated_caches: true,
            keep_latest_artifact: true,
            public_jobs: true,
            forward_deployment_enabled: true,
            forward_deployment_rollback_allowed: true,
            shared_runners: true,
            group_runners: true,
            fork_pipelines_in_parent: true,
            limits_job_tokens: true,
            dependency_exports: true,
        }
    }
}

kernel::setting! {
    /// After how long jobs that nothing happens to are given up.
    #[derive(Copy)]
    pub struct StuckAfter = "delivery.stuck" {
        pub running_minutes: i64 = 60,
        pub pending_minutes: i64 = 1_440,
    }
}

identity::settings_part! {
    StuckAfter {
        /// Minutes after which a running job has failed that its runner says nothing of.
        ci_stuck_running_minutes: i64 => running_minutes,
        /// Minutes after which a job has failed that no runner takes.
        ci_stuck_pending_minutes: i64 => pending_minutes,
    } sealed {}
}

impl StuckAfter {
    fn validate(self) -> kernel::error::Result<()> {
        let of = [
            ("ci_stuck_running_minutes", self.running_minutes),
            ("ci_stuck_pending_minutes", self.pending_minutes),
        ];
        match of.iter().find(|(_, minutes)| !(1..=525_600).contains(minutes)) {
            Some((name, _)) => {
                Err(kernel::error::Error::invalid(name, "must be between 1 and 525600"))
            }
            None => Ok(()),
        }
    }
}
