//! Jobs that are new: their environments are made where they are not there, and what puts
//! something into one begins a deployment.

use super::model::{DeploymentStatus, LONGEST, is_address, is_name};
use super::placed::{self, Placed};
use super::store::deployments::{self, NewDeployment};
use super::store::environments::{self, NewEnvironment};
use crate::pipelines::model::{FailureReason, Job, Pipeline};
use crate::pipelines::store::{pipelines, progress};
use ::store::Tx;
use kernel::error::Result;
use pipeline_file::model::Action;
use std::collections::BTreeMap;

/// For all jobs of a pipeline that begins.
pub fn of_pipeline(tx: &mut Tx<'_>, pipeline: &Pipeline) -> Result<()> {
    let jobs = placed::of_pipeline(tx, pipeline.id)?;
    begin(tx, pipeline, jobs)
}

/// For jobs that take the place of others of their pipeline.
pub fn of_copies(tx: &mut Tx<'_>, copies: &[Job]) -> Result<()> {
    let with_environment = copies.iter().filter(|job| job.environment.is_some());
    let ids: Vec<i64> = with_environment.map(|job| job.id).collect();
    let jobs = placed::some(tx, &ids)?;
    let Some(first) = copies.first().filter(|_| !jobs.is_empty()) else {
        return Ok(());
    };
    match pipelines::by_id(tx, first.pipeline_id)? {
        Some(pipeline) => begin(tx, &pipeline, jobs),
        None => Ok(()),
    }
}

fn begin(tx: &mut Tx<'_>, pipeline: &Pipeline, jobs: Vec<Placed>) -> Result<()> {
    let (jobs, misnamed): (Vec<Placed>, Vec<Placed>) =
        jobs.into_iter().partition(|job| is_name(&job.said.environment.name));
    for job in misnamed {
        let why = (FailureReason::EnvironmentCreationFailure, None);
        progress::set_failed(tx, job.job_id, why, false)?;
    }
    if jobs.is_empty() {
        return Ok(());
    }
    let new: BTreeMap<&str, NewEnvironment> = jobs
        .iter()
        .map(|job| (job.said.environment.name.as_str(), new_environment(job)))
        .collect();
    let names = new.keys().map(|name| (*name).to_owned()).collect();
    environments::insert(tx, pipeline.project_id, &new.into_values().collect::<Vec<_>>())?;
    let made = environments::named(tx, pipeline.project_id, names)?;
    let deployment = |job: &Placed| {
        let environment = made.get(&job.said.environment.name)?;
        Some(NewDeployment {
            environment_id: environment.id,
            job_id: Some(job.job_id),
            user_id: job.user_id,
            on_ref: pipeline.on_ref.clone(),
            tag: pipeline.tag,
            sha: pipeline.sha.clone(),
            status: DeploymentStatus::Created,
            on_stop: job.said.on_stop.clone(),
        })
    };
    let deploys = jobs.iter().filter(|job| job.said.action == Action::Start);
    let all: Vec<NewDeployment> = deploys.filter_map(deployment).collect();
    deployments::insert(tx, pipeline.project_id, &all).map(drop)
}

fn new_environment(job: &Placed) -> NewEnvironment {
    let planned = &job.said.environment;
    NewEnvironment {
        name: planned.name.clone(),
        slug: planned.slug.chars().take(LONGEST).collect(),
        tier: planned.tier.into(),
        description: None,
        external_url: planned.known_url().filter(|url| is_address(url)),
    }
}
