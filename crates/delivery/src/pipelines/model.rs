//! Pipelines and jobs as they are stored.

use super::definition::Definition;
use super::status::Status;
use jiff::Timestamp;
use pipeline_file::model::AutoCancel;
use store::{FromRow, Json};

kernel::choices! {
    /// What began a pipeline.
    pub enum Source as "PipelineSource" {
        Push = "push",
        Web = "web",
        Trigger = "trigger",
        Schedule = "schedule",
        Api = "api",
        External = "external",
        MergeRequestEvent = "merge_request_event",
        ParentPipeline = "parent_pipeline",
        Pipeline = "pipeline",
        // Nothing here begins those below; lists may be asked for them.
        Unknown = "unknown",
        Chat = "chat",
        Webide = "webide",
        ExternalPullRequestEvent = "external_pull_request_event",
        OndemandDastScan = "ondemand_dast_scan",
        OndemandDastValidation = "ondemand_dast_validation",
        SecurityOrchestrationPolicy = "security_orchestration_policy",
        ContainerRegistryPush = "container_registry_push",
    }
}

kernel::choices! {
    /// Where the file of a pipeline came from.
    pub enum ConfigSource as "PipelineConfigSource" {
        Unknown = "unknown_source",
        Repository = "repository_source",
        Parameter = "parameter_source",
        Bridge = "bridge_source",
        ExternalProject = "external_project_source",
        Remote = "remote_source",
    }
}

/// Why a pipeline failed that has no job which did.
pub const CONFIG_ERROR: &str = "config_error";

#[derive(Debug, Clone, FromRow)]
#[columns("ci_pipelines")]
pub struct Pipeline {
    pub id: i64,
    pub project_id: i64,
    pub iid: i64,
    pub source: Source,
    pub status: Status,
    /// The name of a branch or tag, or `refs/merge-requests/…`.
    #[column("ci_pipelines.ref")]
    pub on_ref: String,
    pub tag: bool,
    pub sha: String,
    pub before_sha: String,
    /// Its branch or tag was protected when it began.
    pub protected: bool,
    pub user_id: Option<i64>,
    pub name: Option<String>,
    pub config_source: ConfigSource,
    pub yaml_errors: Option<String>,
    pub failure_reason: Option<String>,
    pub auto_cancel: Json<AutoCancel>,
    pub auto_canceled_by_id: Option<i64>,
    pub parent_pipeline_id: Option<i64>,
    /// What it is of; none where that is gone.
    pub merge_request_id: Option<i64>,
    /// The head of that: another commit where the branches were merged for it.
    pub source_sha: Option<String>,
    /// How many pipelines of its project stand above it.
    pub depth: i64,
    /// Seconds in which at least one of its jobs ran.
    pub duration: Option<i64>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    pub committed_at: Option<Timestamp>,
}

impl Pipeline {
    /// The commit that it tells of: the head of the source, where that was merged for it.
    pub fn head(&self) -> &str {
        self.source_sha.as_deref().unwrap_or(&self.sha)
    }
}

kernel::choices! {
    /// Who does a job.
    pub enum JobKind as "CiJobKind" {
        /// A runner.
        Build = "build",
        /// This server: it begins another pipeline.
        Bridge = "bridge",
        /// A program that says how far it is.
        External = "external",
    }
}

kernel::choices! {
    /// After what a job runs.
    pub enum RunWhen as "CiJobWhen" {
        OnSuccess = "on_success",
        OnFailure = "on_failure",
        Always = "always",
        Manual = "manual",
        Delayed = "delayed",
    }
}

kernel::choices! {
    /// Why a job failed.
    pub enum FailureReason as "CiJobFailureReason" {
        UnknownFailure = "unknown_failure",
        ScriptFailure = "script_failure",
        ApiFailure = "api_failure",
        StuckOrTimeoutFailure = "stuck_or_timeout_failure",
        RunnerSystemFailure = "runner_system_failure",
        MissingDependencyFailure = "missing_dependency_failure",
        RunnerUnsupported = "runner_unsupported",
        StaleSchedule = "stale_schedule",
        JobExecutionTimeout = "job_execution_timeout",
        ArchivedFailure = "archived_failure",
        SchedulerFailure = "scheduler_failure",
        DataIntegrityFailure = "data_integrity_failure",
        ForwardDeploymentFailure = "forward_deployment_failure",
        FailedOutdatedDeploymentJob = "failed_outdated_deployment_job",
        EnvironmentCreationFailure = "environment_creation_failure",
        ProtectedEnvironmentFailure = "protected_environment_failure",
        UserBlocked = "user_blocked",
        ProjectDeleted = "project_deleted",
        DownstreamBridgeProjectNotFound = "downstream_bridge_project_not_found",
        InsufficientBridgePermissions = "insufficient_bridge_permissions",
        InvalidBridgeTrigger = "invalid_bridge_trigger",
        PipelineLoopDetected = "pipeline_loop_detected",
        ReachedMaxDescendantPipelinesDepth = "reached_max_descendant_pipelines_depth",
        ReachedMaxPipelineHierarchySize = "reached_max_pipeline_hierarchy_size",
        DownstreamPipelineCreationFailed = "downstream_pipeline_creation_failed",
    }
}

/// A job without what it does: see [`Job::COLUMNS`] and
/// [`definition`](super::store::definition).
#[derive(Debug, Clone, FromRow)]
#[columns("ci_jobs")]
pub struct Job {
    pub id: i64,
    pub project_id: i64,
    pub pipeline_id: i64,
    pub kind: JobKind,
    pub name: String,
    pub stage: String,
    pub stage_index: i64,
    /// Among the jobs of its pipeline.
    pub position: i64,
    pub status: Status,
    pub run_when: RunWhen,
    /// Seconds that a delayed one waits.
    pub start_in: Option<i64>,
    pub allow_failure: bool,
    /// Another took its place.
    pub retried: bool,
    /// How many it took the place of.
    pub attempt: i64,
    /// It waits for what it needs, not for earlier stages.
    pub needs_mode: bool,
    pub protected: bool,
    pub interruptible: bool,
    pub user_id: Option<i64>,
    pub tags: Json<Vec<String>>,
    pub queue_key: String,
    /// The runner may be gone.
    pub runner_id: Option<i64>,
    /// Its runner cleans up when it is canceled.
    pub cancels_gently: bool,
    /// Seconds; none as the project has it.
    pub timeout: Option<i64>,
    pub environment: Option<String>,
    pub resource_group_id: Option<i64>,
    pub failure_reason: Option<FailureReason>,
    pub exit_code: Option<i64>,
    pub coverage: Option<f64>,
    pub downstream_pipeline_id: Option<i64>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub scheduled_at: Option<Timestamp>,
    pub queued_at: Option<Timestamp>,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    pub erased_at: Option<Timestamp>,
    pub contacted_at: Option<Timestamp>,
}

/// What a job asks of a runner beside its tags.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Demand {
    /// It is of a protected ref.
    pub protected: bool,
    /// Its ref is no branch or tag.
    pub refspecs: bool,
}

impl Demand {
    pub fn of(pipeline: &Pipeline) -> Demand {
        Demand {
            protected: pipeline.protected,
            refspecs: pipeline.on_ref.starts_with("refs/"),
        }
    }
}

/// What a runner must be able to do for a job: jobs with the same key fit the same
/// runners. Tags are sorted, one a line.
pub fn queue_key(demand: Demand, tags: &[String]) -> String {
    let mut tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    tags.sort_unstable();
    tags.dedup();
    let kind = if demand.protected { "protected" } else { "open" };
    let refspecs = if demand.refspecs { " refspecs" } else { "" };
    format!("{kind}{refspecs}\n{}", tags.join("\n"))
}

/// What a queue key says, with the tags of its jobs.
pub fn read_queue_key(key: &str) -> (Demand, Vec<&str>) {
    let (words, tags) = key.split_once('\n').unwrap_or((key, ""));
    let says = |wanted: &str| words.split(' ').any(|word| word == wanted);
    let demand = Demand { protected: says("protected"), refspecs: says("refspecs") };
    (demand, tags.lines().filter(|tag| !tag.is_empty()).collect())
}

/// A job and what it does.
#[derive(Debug, Clone)]
pub struct DefinedJob {
    pub job: Job,
    pub definition: Definition,
}

/// A job of its pipeline that another needs.
#[derive(Debug, Clone, FromRow)]
#[columns("ci_job_needs")]
pub struct JobNeed {
    pub job_id: i64,
    pub name: String,
    pub artifacts: bool,
    pub optional: bool,
}

kernel::choices! {
    /// In which order jobs of a resource group run.
    #[derive(Default)]
    pub enum ProcessMode as "ResourceGroupProcessMode" {
        #[default]
        Unordered = "unordered",
        OldestFirst = "oldest_first",
        NewestFirst = "newest_first",
        NewestReadyFirst = "newest_ready_first",
    }
}

#[derive(Debug, Clone, FromRow)]
#[columns("ci_resource_groups")]
pub struct ResourceGroup {
    pub id: i64,
    pub project_id: i64,
    pub key: String,
    pub process_mode: ProcessMode,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_key_says_what_a_runner_must_do() {
        let tags = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        for ((protected, refspecs), given, key, read) in [
            ((false, false), tags(&[]), "open\n", vec![]),
            ((false, true), tags(&["refspecs"]), "open refspecs\nrefspecs", vec!["refspecs"]),
            (
                (true, false),
                tags(&["x64", "linux", "x64"]),
                "protected\nlinux\nx64",
                vec!["linux", "x64"],
            ),
            ((true, true), tags(&["linux"]), "protected refspecs\nlinux", vec!["linux"]),
        ] {
            let demand = Demand { protected, refspecs };
            assert_eq!(queue_key(demand, &given), key);
            assert_eq!(read_queue_key(key), (demand, read));
        }
    }
}
