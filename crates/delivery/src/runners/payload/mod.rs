//! What a runner is given with a job: all that it takes to run it.

mod id_tokens;
mod parts;
mod shape;
mod variables;

pub use shape::JobPayload;

use super::artifacts::dependencies::{self, Dependency};
use super::masks;
use super::model::{Runner, TOKEN_PREFIX};
use super::store;
use super::take::Taken;
use crate::environments::freezes;
use crate::pipelines::definition::Definition;
use crate::pipelines::model::{FailureReason, Job, Pipeline};
use crate::pipelines::predefined::Facts;
use crate::pipelines::requests::{self, Told};
use crate::pipelines::settings::ProjectSettings;
use crate::pipelines::store::variables::Owner;
use crate::pipelines::{access, begun_by, store as pipelines};
use crate::variables::model::VariableType;
use crate::variables::{For, for_job};
use ::store::Tx;
use identity::hooks::JOB_TOKEN_PREFIX;
use identity::model::User;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::ids::Reference;
use kernel::secrets::Secrets;
use pipeline_file::caches::FileIds;
use pipeline_file::{Level, Variable};
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::{self, Commit, EntryKind, Objects};
use serde_json::Map;
use shape::{GitInfo, JobInfo, PayloadDependency, PayloadFeatures, PayloadFile, RunnerInfo};
use spaces::access::{NONE, find_project, role_in_project};
use spaces::model::Project;

/// The name by which git sends the token of a job.
const GIT_USER: &str = "gitlab-ci-token";
/// Files of one commit that are looked at for the keys of caches.
const MOST_FILES: usize = 100_000;

/// All that is read of a job before it is handed out.
pub struct Reading {
    pub job: Job,
    pub definition: Definition,
    pub pipeline: Pipeline,
    pub project: Project,
    pub repository: Option<Repository>,
    pub settings: ProjectSettings,
    pub user: Option<User>,
    /// What that user is in the project.
    pub level: i64,
    pub runner: Runner,
    /// Variables that are stored, and those that somebody gave.
    pub given: Vec<Variable>,
    pub dependencies: Vec<Dependency>,
    /// Nothing is to be deployed now.
    pub is_frozen: bool,
    /// Of merge requests.
    pub told: Told,
}

impl Reading {
    fn read(tx: &mut Tx<'_>, secrets: &Secrets, job: Job, runner: Runner) -> Result<Reading> {
        let definition = pipelines::jobs::definition(tx, job.id)?.found("Job")?;
        let pipeline = pipelines::pipelines::by_id(tx, job.pipeline_id)?.found("Pipeline")?;
        let project = find_project(tx, &Reference::Id(job.project_id))?.found("Project")?;
        let before = dependencies::jobs_of(tx, &job, &definition)?;
        let told = requests::told(tx, pipeline.id)?;
        let is_foreign = told.request.as_ref().is_some_and(|one| one.is_foreign_to(project.id));
        let mut given = given(tx, secrets, &job, (&project, is_foreign))?;
        given.extend(store::dotenv::of(tx, secrets, before.iter().map(|one| one.id).collect())?);
        given.extend(begun_by::variables_of(tx, pipeline.id)?);
        let user = match job.user_id {
            Some(id) => identity::users::find(tx, id)?,
            None => None,
        };
        let level = match &user {
            Some(user) => role_in_project(tx, user.id, &project)?,
            None => NONE,
        };
        Ok(Reading {
            level,
            repository: access::repository(tx, &project)?,
            settings: pipelines::settings::of_project(tx, project.id)?,
            is_frozen: freezes::is_on(tx, project.id)?,
            given,
            dependencies: dependencies::archives(tx, before)?,
            job,
            definition,
            pipeline,
            project,
            user,
            runner,
            told,
        })
    }

    /// Seconds that the job may take.
    pub fn timeout(&self) -> i64 {
        let asked = self.job.timeout.unwrap_or(self.settings.build_timeout);
        self.runner.maximum_timeout.map_or(asked, |most| asked.min(most))
    }
}

/// Variables of the project, its groups and the instance, of the pipeline, and of the job.
fn given(
    tx: &mut Tx<'_>, secrets: &Secrets, job: &Job, (project, is_foreign): (&Project, bool),
) -> Result<Vec<Variable>> {
    let fits = For {
        is_protected: job.protected,
        environment: job.environment.as_deref(),
        is_foreign,
    };
    let stored = for_job(secrets, tx, project, &fits)?;
    let mut all: Vec<Variable> = stored
        .into_iter()
        .map(|one| Variable {
            raw: one.raw,
            file: one.variable_type == VariableType::File,
            masked: one.masked,
            ..Variable::new(Level::Project, one.key, one.value.expose())
        })
        .collect();
    for (owner, level) in [
        (Owner::Pipeline(job.pipeline_id), Level::Pipeline),
        (Owner::Job(job.id), Level::Manual),
    ] {
        let some = pipelines::variables::of(tx, secrets, owner)?;
        all.extend(some.iter().map(|one| one.at_level(level)));
    }
    Ok(all)
}

/// Blobs of a commit, where a cache is found by them.
struct Files(Vec<(String, String)>);

impl FileIds for Files {
    fn blobs(&self) -> Vec<(String, String)> {
        self.0.clone()
    }

    /// The content stands in for the commits that last changed it.
    fn last_commits(&self) -> Vec<(String, String)> {
        self.0.clone()
    }
}

fn collect(
    objects: &Objects, tree: ObjectId, prefix: &str, found: &mut Vec<(String, String)>,
) -> Result<()> {
    for entry in objects.tree(tree)?.unwrap_or_default() {
        if found.len() >= MOST_FILES {
            break;
        }
        let path = format!("{prefix}{}", entry.name);
        match entry.kind {
            EntryKind::Folder => collect(objects, entry.id, &format!("{path}/"), found)?,
            _ => found.push((path, entry.id.to_string())),
        }
    }
    Ok(())
}

/// The commit of a job, with the ids of its files where they are asked for.
async fn commit(app: &App, reading: &Reading, with_files: bool) -> Result<(Option<Commit>, Files)> {
    let (Some(repository), Ok(id)) =
        (&reading.repository, reading.pipeline.sha.parse::<ObjectId>())
    else {
        return Ok((None, Files(Vec::new())));
    };
    objects::read(app, repository, move |objects: &Objects| {
        let commit = objects.commit(id)?;
        let mut files = Vec::new();
        if let Some(commit) = commit.as_ref().filter(|_| with_files) {
            collect(objects, commit.tree, "", &mut files)?;
        }
        Ok((commit, Files(files)))
    })
    .await
}

fn facts(reading: &Reading, commit: Commit) -> Facts {
    let config_path = reading.settings.config_path.clone();
    Facts {
        project: reading.project.clone(),
        source: reading.pipeline.source,
        on_ref: reading.pipeline.on_ref.clone(),
        tag: reading.pipeline.tag,
        before_sha: reading.pipeline.before_sha.clone(),
        protected: reading.pipeline.protected,
        commit,
        created_at: reading.pipeline.created_at,
        config_path: config_path.unwrap_or_else(|| ".gitlab-ci.yml".to_owned()),
        is_frozen: reading.is_frozen,
        told: reading.told.clone(),
    }
}

/// Reads all of a job that was taken, and notes what its log must not show.
pub async fn payload(app: &App, taken: Taken, runner: Runner) -> Result<JobPayload> {
    let Taken { job, token } = taken;
    let secrets = app.secrets().clone();
    let reading = app.read(move |tx| Reading::read(tx, &secrets, job, runner)).await?;
    let with_files = parts::needs_files(&reading.definition.cache);
    let (commit, files) = commit(app, &reading, with_files).await?;
    let facts = commit.map(|commit| facts(&reading, commit));
    let repo_url = repo_url(app, &reading.project, token.expose());
    let mut merged = variables::merged(app, &reading, facts.as_ref(), &token, &repo_url);
    for variable in id_tokens::signed(app, &reading, &merged).await? {
        merged.add(variable);
    }
    let given = variables::given(&merged);
    let (id, timeout) = (reading.job.id, reading.timeout());
    let sealed = masks::seal(app.secrets(), id, &given.masks)?;
    app.write(move |tx| store::jobs::note_given(tx, id, sealed.clone(), timeout))
        .await?;
    Ok(assembled(&reading, given.variables, &files, token.expose(), repo_url))
}

/// Where git fetches the code, with what it needs for that.
fn repo_url(app: &App, project: &Project, token: &str) -> String {
    let (protocol, rest) = app.base_url().split_once("://").unwrap_or(("http", app.base_url()));
    format!("{protocol}://{GIT_USER}:{token}@{rest}/{}.git", project.full_path)
}

fn git_info(reading: &Reading, repo_url: String) -> GitInfo {
    let pipeline = &reading.pipeline;
    let name = &pipeline.on_ref;
    let depth = reading.settings.default_git_depth.unwrap_or_default();
    let own = format!("+{}:refs/pipelines/{}", pipeline.sha, pipeline.id);
    let refspecs = match (pipeline.tag, name.starts_with("refs/")) {
        (true, _) => vec![format!("+refs/tags/{name}:refs/tags/{name}"), own],
        (false, true) => vec![own],
        (false, false) => {
            vec![own, format!("+refs/heads/{name}:refs/remotes/origin/{name}")]
        }
    };
    GitInfo {
        repo_url,
        repo_object_format: "sha1".to_owned(),
        r#ref: name.clone(),
        sha: pipeline.sha.clone(),
        before_sha: pipeline.before_sha.clone(),
        ref_type: if pipeline.tag { "tag" } else { "branch" }.to_owned(),
        refspecs,
        depth,
        protected: pipeline.protected,
    }
}

fn job_info(reading: &Reading) -> JobInfo {
    let (job, project) = (&reading.job, &reading.project);
    let started = job.started_at.unwrap_or(job.created_at);
    let waited = job.queued_at.map_or(0, |at| started.duration_since(at).as_secs());
    JobInfo {
        id: job.id,
        name: job.name.clone(),
        stage: job.stage.clone(),
        pipeline_id: job.pipeline_id,
        project_id: project.id,
        project_name: project.path.clone(),
        project_full_path: project.full_path.clone(),
        namespace_id: project.namespace_id,
        root_namespace_id: project.ancestors().first().copied().unwrap_or(project.namespace_id),
        user_id: job.user_id,
        time_in_queue_seconds: waited.max(0),
        project_jobs_running_on_instance_runners_count: "0".to_owned(),
        queue_size: 0,
        queue_depth: 0,
    }
}

fn assembled(
    reading: &Reading, variables: Vec<shape::PayloadVariable>, files: &Files, token: &str,
    repo_url: String,
) -> JobPayload {
    let (definition, settings) = (&reading.definition, &reading.settings);
    let dependency = |one: &Dependency| PayloadDependency {
        id: one.job_id,
        // The token of this job opens the files of those it depends on.
        token: token.to_owned(),
        name: one.name.clone(),
        artifacts_file: PayloadFile { filename: one.file_name.clone(), size: one.size },
    };
    let secrets = match &definition.secrets {
        Some(serde_json::Value::Object(secrets)) => secrets.clone(),
        _ => Map::new(),
    };
    JobPayload {
        id: reading.job.id,
        token: token.to_owned(),
        allow_git_fetch: settings.build_git_strategy != "clone",
        job_info: job_info(reading),
        git_info: git_info(reading, repo_url),
        runner_info: RunnerInfo { timeout: reading.timeout(), runner_session_url: None },
        variables,
        steps: parts::steps(definition, reading.timeout()),
        run: parts::run(definition),
        image: definition.image.as_ref().map(parts::image),
        services: definition.services.iter().map(parts::service).collect(),
        artifacts: definition.artifacts.as_ref().map(parts::artifacts).unwrap_or_default(),
        cache: parts::caches(
            &definition.cache,
            files,
            reading.pipeline.protected,
            settings.separated_caches,
        ),
        credentials: Vec::new(),
        dependencies: reading.dependencies.iter().map(dependency).collect(),
        features: PayloadFeatures {
            trace_sections: true,
            token_mask_prefixes: vec![TOKEN_PREFIX.to_owned(), JOB_TOKEN_PREFIX.to_owned()],
            failure_reasons: FailureReason::ALL.iter().map(|it| it.as_str().to_owned()).collect(),
        },
        hooks: parts::hooks(definition),
        secrets,
        policy_options: Map::new(),
    }
}
