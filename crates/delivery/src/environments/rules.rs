//! What people do with environments and deployments.

use super::model::{
    Deployment, DeploymentStatus, Environment, LONGEST, LONGEST_DESCRIPTION, State, Tier,
    is_address, is_name,
};
use super::store::deployments::{self as deployment_rows, NewDeployment};
use super::store::environments::{self as rows, NewEnvironment};
use crate::pipelines::jobs::{is_retryable, play};
use crate::pipelines::model::{Job, RunWhen};
use crate::pipelines::status::Status;
use crate::pipelines::store::jobs;
use crate::protection::approvals::Asked;
use crate::protection::guard::{self, Guards, Place};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::http::Patch;
use pipeline_file::environments::{Tier as PlannedTier, slug};
use serde_json::json;
use spaces::model::{Problems, Project};
use spaces::rules::of_project;

const NAME_RULE: &str = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', \
     and spaces, but it cannot start or end with '/'";

kernel::params! {
    /// What may be said of an environment.
    #[derive(Default)]
    pub struct EnvironmentInput {
        /// Where it is.
        pub external_url: Patch<String>,
        /// What it is for; by its name, unless said.
        pub tier: Option<Tier>,
        /// What there is to know of it.
        pub description: Patch<String>,
    }
}

impl EnvironmentInput {
    fn check(&self, problems: &mut Problems) {
        if matches!(&self.external_url, Patch::Value(url) if !url.is_empty() && !is_address(url)) {
            problems.add("external_url", "must be an address that begins with http or https");
        }
        let is_long = |text: &String| text.chars().count() > LONGEST_DESCRIPTION;
        if matches!(&self.description, Patch::Value(text) if is_long(text)) {
            problems.add("description", "is too long (maximum is 10000 characters)");
        }
    }
}

fn check_name(name: &str, problems: &mut Problems) {
    if name.trim().is_empty() {
        problems.add("name", "can't be blank");
    } else if name.chars().count() > LONGEST {
        problems.add("name", "is too long (maximum is 255 characters)");
    } else if !is_name(name) {
        problems.add("name", NAME_RULE);
    }
}

fn kept(sent: &Patch<String>, before: Option<String>) -> Option<String> {
    sent.clone().over(before).filter(|text| !text.is_empty())
}

fn new_environment(name: &str, input: &EnvironmentInput) -> NewEnvironment {
    NewEnvironment {
        name: name.to_owned(),
        slug: slug(name),
        tier: input.tier.unwrap_or_else(|| PlannedTier::of_name(name).into()),
        description: kept(&input.description, None),
        external_url: kept(&input.external_url, None),
    }
}

fn named(tx: &mut Tx<'_>, project: &Project, name: &str) -> Result<Option<Environment>> {
    Ok(rows::named(tx, project.id, vec![name.to_owned()])?.into_values().next())
}

/// Refuses who does not deploy to what has this name, whether it is there or not.
pub fn check_named(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, name: &str) -> Result<()> {
    let there = named(tx, project, name)?;
    let place = there.map_or_else(|| Place::named(name), |one| Place::of(&one));
    guard::check(tx, viewer, project, &place)
}

/// Makes an environment.
pub fn create(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, name: &str, input: &EnvironmentInput,
) -> Result<Environment> {
    let mut problems = Problems::default();
    check_name(name, &mut problems);
    input.check(&mut problems);
    problems.check()?;
    if named(tx, project, name)?.is_some() {
        return Err(Error::invalid("name", "has already been taken"));
    }
    let new = new_environment(name, input);
    let place = Place { name: name.to_owned(), tier: new.tier };
    guard::check(tx, viewer, project, &place)?;
    rows::insert(tx, project.id, &[new])?;
    record(tx, viewer, project, "environment.create", name)?;
    named(tx, project, name)?.found("Environment")
}

/// Changes what is said of one. Who makes it of another tier deploys to what it is and to
/// what it becomes.
pub fn update(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, environment: &Environment,
    input: &EnvironmentInput,
) -> Result<Environment> {
    guard::check(tx, viewer, project, &Place::of(environment))?;
    let mut problems = Problems::default();
    input.check(&mut problems);
    problems.check()?;
    let mut after = environment.clone();
    after.tier = input.tier.unwrap_or(after.tier);
    after.description = kept(&input.description, after.description);
    after.external_url = kept(&input.external_url, after.external_url);
    guard::check(tx, viewer, project, &Place::of(&after))?;
    rows::update(tx, &after)?;
    rows::one(tx, project.id, environment.id)?.found("Environment")
}

/// Ends one: its job that does so is started, unless there is none, or it is not wanted.
pub fn stop(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, environment: &Environment, force: bool,
) -> Result<Environment> {
    guard::check(tx, viewer, project, &Place::of(environment))?;
    let user_id = viewer.user_id().filter(|_| !force);
    end(tx, environment, user_id)?;
    record(tx, viewer, project, "environment.stop", &environment.name)?;
    rows::one(tx, project.id, environment.id)?.found("Environment")
}

/// Ends those whose time is over.
pub(super) fn stop_due(tx: &mut Tx<'_>, most: i64) -> Result<()> {
    let due = rows::due(tx, most)?;
    let last = deployment_rows::last_of(tx, due.iter().map(|one| one.id).collect())?;
    due.iter().try_for_each(|one| {
        let user_id = last.get(&one.id).and_then(|deployment| deployment.user_id);
        end(tx, one, user_id)
    })
}

/// Ends one by its job, for a user; without a job at once.
fn end(tx: &mut Tx<'_>, environment: &Environment, user_id: Option<i64>) -> Result<()> {
    if environment.state == State::Stopped {
        return Ok(());
    }
    let job = match user_id {
        Some(user_id) => stop_job(tx, environment.id)?.map(|job| (job, user_id)),
        None => None,
    };
    let Some((job, user_id)) = job else {
        return rows::set_state(tx, environment.id, State::Stopped);
    };
    // Before: the job may fail at once, and then it goes on.
    rows::set_state(tx, environment.id, State::Stopping)?;
    play(tx, &job, user_id).map(drop)
}

/// The job that ends what is in an environment, if it can be started.
pub fn stop_job(tx: &mut Tx<'_>, environment_id: i64) -> Result<Option<Job>> {
    let last = deployment_rows::last_of(tx, vec![environment_id])?.remove(&environment_id);
    let Some((job_id, name)) = last.and_then(|one| one.job_id.zip(one.on_stop)) else {
        return Ok(None);
    };
    let Some(id) = deployment_rows::job_beside(tx, job_id, &name)? else {
        return Ok(None);
    };
    let can_start = |job: &Job| {
        job.status == Status::Manual || (job.run_when == RunWhen::Manual && is_retryable(job))
    };
    Ok(jobs::by_id(tx, id)?.filter(can_start))
}

/// Deletes one that has ended.
pub fn destroy(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, environment: &Environment,
) -> Result<()> {
    guard::check(tx, viewer, project, &Place::of(environment))?;
    if environment.state != State::Stopped {
        return Err(Error::forbidden("The environment is not stopped"));
    }
    rows::delete(tx, environment.id)?;
    record(tx, viewer, project, "environment.destroy", &environment.name)
}

pub(super) fn record(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, action: &'static str, name: &str,
) -> Result<()> {
    audit::record(tx, viewer, action, of_project(project), json!({"environment": name}))
}

kernel::choices! {
    /// How far something is that others deploy.
    pub enum ToldStatus as "ToldDeploymentStatus" {
        Running = "running",
        Success = "success",
        Failed = "failed",
        Canceled = "canceled",
    }
}

impl From<ToldStatus> for DeploymentStatus {
    fn from(status: ToldStatus) -> DeploymentStatus {
        match status {
            ToldStatus::Running => DeploymentStatus::Running,
            ToldStatus::Success => DeploymentStatus::Success,
            ToldStatus::Failed => DeploymentStatus::Failed,
            ToldStatus::Canceled => DeploymentStatus::Canceled,
        }
    }
}

/// A deployment that others make and tell of.
#[derive(Debug, Clone)]
pub struct Told {
    pub environment: String,
    pub on_ref: String,
    pub tag: bool,
    pub sha: String,
    pub status: ToldStatus,
}

/// Notes a deployment that others make, and its environment where that is new.
pub fn tell(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, told: &Told,
) -> Result<Deployment> {
    let environment = match named(tx, project, &told.environment)? {
        Some(environment) => environment,
        None => create(tx, viewer, project, &told.environment, &EnvironmentInput::default())
            .map_err(|error| kernel::html::form::rename(error, "name", "environment"))?,
    };
    let place = Place::of(&environment);
    guard::check(tx, viewer, project, &place)?;
    let guards = Guards::read(tx, project, std::slice::from_ref(&place))?;
    let status = match Asked::of(&guards.over(&place), &[]).holds() {
        true => DeploymentStatus::Blocked,
        false => told.status.into(),
    };
    let new = NewDeployment {
        environment_id: environment.id,
        job_id: None,
        user_id: viewer.user_id(),
        on_ref: told.on_ref.clone(),
        tag: told.tag,
        sha: told.sha.clone(),
        status,
        on_stop: None,
    };
    let made = deployment_rows::insert(tx, project.id, &[new])?;
    if status == DeploymentStatus::Success {
        rows::deployed(tx, environment.id, None, None)?;
    }
    let id = made.into_iter().next().found("Deployment")?;
    deployment_rows::one(tx, project.id, id)?.found("Deployment")
}

/// Notes how far a deployment is that others make.
pub fn tell_status(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, deployment: &Deployment,
    status: ToldStatus,
) -> Result<Deployment> {
    let environment = environment_of(tx, deployment)?;
    guard::check(tx, viewer, project, &Place::of(&environment))?;
    if deployment.job_id.is_some() {
        return Err(Error::BadRequest("The deployment is as its job is".into()));
    }
    if deployment.status == DeploymentStatus::Blocked {
        return Err(Error::BadRequest("The deployment waits for approval".into()));
    }
    deployment_rows::set_status(tx, deployment.id, status.into())?;
    if status == ToldStatus::Success {
        rows::deployed(tx, environment.id, None, environment.auto_stop_at)?;
    }
    deployment_rows::one(tx, project.id, deployment.id)?.found("Deployment")
}

pub fn environment_of(tx: &mut Tx<'_>, deployment: &Deployment) -> Result<Environment> {
    let found = rows::one(tx, deployment.project_id, deployment.environment_id)?;
    found.found("Environment")
}

/// Deletes a deployment that is over, unless it is what is there.
pub fn destroy_deployment(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, deployment: &Deployment,
) -> Result<()> {
    let environment = environment_of(tx, deployment)?;
    guard::check(tx, viewer, project, &Place::of(&environment))?;
    let refused = |text: &str| Err(Error::Exact(400, json!({"message": format!("400 {text}")})));
    if deployment.status == DeploymentStatus::Running {
        return refused("Cannot destroy running deployment");
    }
    let last = deployment_rows::last_of(tx, vec![environment.id])?;
    if last.get(&environment.id).is_some_and(|last| last.id == deployment.id) {
        return refused("Deployment currently deployed to environment");
    }
    deployment_rows::delete(tx, deployment.id)?;
    record(tx, viewer, project, "deployment.destroy", &environment.name)
}
