//! What REST shows of pipelines and jobs, in wire order.

use super::model::{Job, Pipeline};
use super::status::Status;
use super::store::pipelines;
use crate::runners::store::artifacts::Artifact;
use crate::runners::{PendingReason, Related, RunnerEntity, RunnerProject};
use ::store::Tx;
use code::entity::CommitEntity;
use identity::User;
use identity::entities::{UserBasic, basic, load_basic};
use kernel::app::App;
use kernel::error::Result;
use kernel::time::{Timestamp, wire};
use repositories::formats::object_id::ObjectId;
use repositories::model::{Repository, RepositoryKind};
use repositories::objects::{self, Objects};
use repositories::store::of_projects;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::model::Project;
use std::collections::{BTreeSet, HashMap};

/// A pipeline in lists and beside others.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PipelineBasic {
    pub id: i64,
    pub iid: i64,
    pub project_id: i64,
    pub sha: String,
    #[serde(rename = "ref")]
    pub on_ref: String,
    pub status: String,
    pub source: String,
    pub created_at: String,
    pub updated_at: String,
    pub web_url: String,
}

impl PipelineBasic {
    /// `web_url` is that of the project.
    pub fn of(pipeline: &Pipeline, web_url: &str) -> PipelineBasic {
        PipelineBasic {
            id: pipeline.id,
            iid: pipeline.iid,
            project_id: pipeline.project_id,
            sha: pipeline.sha.clone(),
            on_ref: pipeline.on_ref.clone(),
            status: pipeline.status.to_string(),
            source: pipeline.source.to_string(),
            created_at: wire::text(pipeline.created_at),
            updated_at: wire::text(pipeline.updated_at),
            web_url: format!("{web_url}/-/pipelines/{}", pipeline.id),
        }
    }
}

/// A pipeline in a list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedPipeline {
    #[serde(flatten)]
    pub basic: PipelineBasic,
    pub name: Option<String>,
}

/// A pipeline by itself.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "CiPipeline")]
pub struct PipelineEntity {
    #[serde(flatten)]
    pub basic: PipelineBasic,
    pub name: Option<String>,
    pub before_sha: String,
    pub tag: bool,
    pub yaml_errors: Option<String>,
    pub user: Option<UserBasic>,
    pub started_at: Option<String>,
    pub finished_at: Option<String>,
    pub committed_at: Option<String>,
    /// Seconds in which at least one job ran.
    pub duration: Option<i64>,
    /// Seconds until the first job ran.
    pub queued_duration: Option<i64>,
    pub coverage: Option<String>,
    pub detailed_status: DetailedStatus,
}

/// A status as pages show it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DetailedStatus {
    pub icon: String,
    pub text: String,
    pub label: String,
    pub group: String,
    pub tooltip: String,
    pub has_details: bool,
    pub details_path: String,
    /// There is none.
    pub illustration: Option<String>,
    /// There is none.
    pub favicon: Option<String>,
}

impl DetailedStatus {
    pub fn of(status: Status, details_path: String) -> DetailedStatus {
        let (text, label) = match status {
            Status::Created => ("Created", "created"),
            Status::WaitingForResource => ("Waiting", "waiting for resource"),
            Status::Preparing => ("Preparing", "preparing"),
            Status::Pending => ("Pending", "pending"),
            Status::Running => ("Running", "running"),
            Status::Success => ("Passed", "passed"),
            Status::Failed => ("Failed", "failed"),
            Status::Canceled => ("Canceled", "canceled"),
            Status::Canceling => ("Canceling", "canceling"),
            Status::Skipped => ("Skipped", "skipped"),
            Status::Manual => ("Blocked", "waiting for manual action"),
            Status::Scheduled => ("Delayed", "waiting for delayed job"),
        };
        DetailedStatus {
            icon: format!("status_{status}"),
            text: text.to_owned(),
            label: label.to_owned(),
            group: status.as_str().replace('_', "-"),
            tooltip: label.to_owned(),
            has_details: true,
            details_path,
            illustration: None,
            favicon: None,
        }
    }
}

/// A pipeline by itself, with who began it.
pub fn pipeline(
    app: &App, tx: &mut Tx<'_>, project: &Project, pipeline: &Pipeline,
) -> Result<PipelineEntity> {
    let people = load_basic(tx, &pipeline.user_id.into_iter().collect::<Vec<_>>())?;
    let user = pipeline.user_id.and_then(|id| people.get(&id));
    let coverage = pipelines::coverage(tx, pipeline.id)?;
    let path = format!("/{}/-/pipelines/{}", project.full_path, pipeline.id);
    Ok(PipelineEntity {
        basic: PipelineBasic::of(pipeline, &project.web_url(app.base_url())),
        name: pipeline.name.clone(),
        before_sha: pipeline.before_sha.clone(),
        tag: pipeline.tag,
        yaml_errors: pipeline.yaml_errors.clone(),
        user: user.map(|user| basic(app, user)),
        started_at: pipeline.started_at.map(wire::text),
        finished_at: pipeline.finished_at.map(wire::text),
        committed_at: pipeline.committed_at.map(wire::text),
        duration: pipeline.duration,
        queued_duration: between(Some(pipeline.created_at), pipeline.started_at)
            .map(|seconds| seconds as i64),
        coverage: coverage.map(|percent| format!("{percent:.2}")),
        detailed_status: DetailedStatus::of(pipeline.status, path),
    })
}

/// Seconds between two times, where both are known.
pub fn between(from: Option<Timestamp>, to: Option<Timestamp>) -> Option<f64> {
    let (from, to) = from.zip(to)?;
    Some(to.duration_since(from).as_secs_f64().max(0.0))
}

/// A file that a job left.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct JobArtifact {
    pub file_type: String,
    pub size: i64,
    pub filename: String,
    pub file_format: Option<String>,
}

/// The archive that a job left.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ArtifactsFile {
    pub filename: String,
    pub size: i64,
}

/// The settings of the project of a job.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct JobProject {
    pub ci_job_token_scope_enabled: bool,
}

impl JobProject {
    fn new() -> JobProject {
        JobProject { ci_job_token_scope_enabled: false }
    }
}

/// What jobs of every kind show.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct JobCommon {
    pub id: i64,
    pub status: String,
    pub stage: String,
    pub name: String,
    #[serde(rename = "ref")]
    pub on_ref: String,
    pub tag: bool,
    pub coverage: Option<f64>,
    pub allow_failure: bool,
    pub created_at: String,
    pub started_at: Option<String>,
    pub finished_at: Option<String>,
    pub erased_at: Option<String>,
    pub duration: Option<f64>,
    pub queued_duration: Option<f64>,
    pub user: Option<UserBasic>,
    pub commit: Option<CommitEntity>,
    pub pipeline: PipelineBasic,
    pub failure_reason: Option<String>,
    pub web_url: String,
}

/// A job.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "CiJob")]
pub struct JobEntity {
    #[serde(flatten)]
    pub common: JobCommon,
    pub project: JobProject,
    pub artifacts: Vec<JobArtifact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifacts_file: Option<ArtifactsFile>,
    pub runner: Option<RunnerEntity>,
    pub artifacts_expire_at: Option<String>,
    pub tag_list: Vec<String>,
    /// What it waits for that a runner is to take; of one job alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_reason: Option<PendingReason>,
}

/// A job that begins another pipeline.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "CiBridge")]
pub struct BridgeEntity {
    #[serde(flatten)]
    pub common: JobCommon,
    pub project: JobProject,
    pub downstream_pipeline: Option<PipelineBasic>,
}

/// A job of a runner, with where it ran.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RunnerJob {
    #[serde(flatten)]
    pub common: JobCommon,
    pub project: RunnerProject,
}

impl JobArtifact {
    fn of(file: &Artifact) -> JobArtifact {
        JobArtifact {
            file_type: file.file_type.clone(),
            size: file.size,
            filename: file.file_name.clone(),
            file_format: Some(file.file_format.clone()),
        }
    }
}

impl ArtifactsFile {
    fn of(file: &Artifact) -> ArtifactsFile {
        ArtifactsFile { filename: file.file_name.clone(), size: file.size }
    }
}

/// Jobs with what they show of other things, read for all of them.
pub struct Loaded {
    projects: HashMap<i64, Project>,
    repositories: Vec<Repository>,
    jobs: Vec<Job>,
    people: HashMap<i64, User>,
    pipelines: HashMap<i64, Pipeline>,
    /// By project and name.
    commits: HashMap<(i64, String), objects::Commit>,
    related: Related,
}

impl Loaded {
    /// Reads what the database has of jobs of one project.
    pub fn read(tx: &mut Tx<'_>, project: Project, jobs: Vec<Job>) -> Result<Loaded> {
        Loaded::of(tx, vec![project], jobs)
    }

    /// The same of jobs of all these projects.
    pub fn of(tx: &mut Tx<'_>, projects: Vec<Project>, jobs: Vec<Job>) -> Result<Loaded> {
        let people: Vec<i64> = jobs.iter().filter_map(|job| job.user_id).collect();
        let below = jobs.iter().filter_map(|job| job.downstream_pipeline_id);
        let mut ids: Vec<i64> = jobs.iter().map(|job| job.pipeline_id).chain(below).collect();
        ids.sort_unstable();
        ids.dedup();
        let pipelines = pipelines::some(tx, ids)?;
        let whose = projects.iter().map(|project| project.id).collect();
        Ok(Loaded {
            people: load_basic(tx, &people)?,
            pipelines: pipelines.into_iter().map(|one| (one.id, one)).collect(),
            repositories: of_projects(tx, whose, RepositoryKind::Project)?,
            related: Related::read(tx, &jobs)?,
            projects: projects.into_iter().map(|one| (one.id, one)).collect(),
            jobs,
            commits: HashMap::new(),
        })
    }

    /// Reads the commits of the jobs.
    pub async fn with_commits(mut self, app: &App) -> Result<Loaded> {
        for repository in std::mem::take(&mut self.repositories) {
            let Some(project_id) = repository.project_id else {
                continue;
            };
            let own = self.pipelines.values().filter(|one| one.project_id == project_id);
            let ids: BTreeSet<ObjectId> = own.filter_map(|one| one.sha.parse().ok()).collect();
            if ids.is_empty() {
                continue;
            }
            let ids: Vec<ObjectId> = ids.into_iter().collect();
            let read = move |objects: &Objects| objects.commits(&ids);
            let found = objects::read(app, &repository, read).await?;
            let named = found.into_iter().map(|one| ((project_id, one.id.to_string()), one));
            self.commits.extend(named);
        }
        Ok(self)
    }

    fn common(&self, app: &App, job: &Job) -> Option<JobCommon> {
        let web_url = self.projects.get(&job.project_id)?.web_url(app.base_url());
        let pipeline = self.pipelines.get(&job.pipeline_id)?;
        let commit = self.commits.get(&(job.project_id, pipeline.sha.clone()));
        let until = job.finished_at.or(job.started_at.map(|_| app.now()));
        let queued_until = job.started_at.or(job.queued_at.map(|_| app.now()));
        let user = job.user_id.and_then(|id| self.people.get(&id));
        Some(JobCommon {
            id: job.id,
            status: job.status.to_string(),
            stage: job.stage.clone(),
            name: job.name.clone(),
            on_ref: pipeline.on_ref.clone(),
            tag: pipeline.tag,
            coverage: job.coverage,
            allow_failure: job.allow_failure,
            created_at: wire::text(job.created_at),
            started_at: job.started_at.map(wire::text),
            finished_at: job.finished_at.map(wire::text),
            erased_at: job.erased_at.map(wire::text),
            duration: between(job.started_at, until),
            queued_duration: between(job.queued_at, queued_until),
            user: user.map(|user| basic(app, user)),
            commit: commit.map(|commit| CommitEntity::of(commit, &web_url)),
            pipeline: PipelineBasic::of(pipeline, &web_url),
            failure_reason: job.failure_reason.map(|reason| reason.to_string()),
            web_url: format!("{web_url}/-/jobs/{}", job.id),
        })
    }

    pub fn jobs(&self, app: &App) -> Vec<JobEntity> {
        let entity = |job: &Job| {
            Some(JobEntity {
                common: self.common(app, job)?,
                project: JobProject::new(),
                artifacts: self.related.files(job.id).map(JobArtifact::of).collect(),
                artifacts_file: self.related.archive(job.id).map(ArtifactsFile::of),
                runner: self.related.runner(job),
                artifacts_expire_at: self.related.expires_at(job.id).map(wire::text),
                tag_list: job.tags.0.clone(),
                pending_reason: None,
            })
        };
        self.jobs.iter().filter_map(entity).collect()
    }

    pub fn bridges(&self, app: &App) -> Vec<BridgeEntity> {
        let below = |job: &Job| {
            let found = job.downstream_pipeline_id.and_then(|id| self.pipelines.get(&id));
            // What is elsewhere may be hidden from who asks.
            let own = found.filter(|one| one.project_id == job.project_id)?;
            let project = self.projects.get(&job.project_id)?;
            Some(PipelineBasic::of(own, &project.web_url(app.base_url())))
        };
        let entity = |job: &Job| {
            Some(BridgeEntity {
                common: self.common(app, job)?,
                project: JobProject::new(),
                downstream_pipeline: below(job),
            })
        };
        self.jobs.iter().filter_map(entity).collect()
    }

    /// The jobs of a runner.
    pub fn of_runner(&self, app: &App) -> Vec<RunnerJob> {
        let entity = |job: &Job| {
            Some(RunnerJob {
                common: self.common(app, job)?,
                project: RunnerProject::of(self.projects.get(&job.project_id)?),
            })
        };
        self.jobs.iter().filter_map(entity).collect()
    }
}
