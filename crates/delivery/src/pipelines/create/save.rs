//! Writes a pipeline and all of its jobs in one transaction.

use super::{Judged, NOTHING_SAID, Planning, Refused, Request};
use crate::environments::begin;
use crate::pipelines::begun_by::BegunBy;
use crate::pipelines::definition::Definition;
use crate::pipelines::model::{
    CONFIG_ERROR, ConfigSource, Demand, JobKind, Pipeline, RunWhen, queue_key,
};
use crate::pipelines::process::process;
use crate::pipelines::redundant;
use crate::pipelines::status::Status;
use crate::pipelines::store::jobs::{self, NewJob, NewNeed, Place};
use crate::pipelines::store::pipelines::{self, NewPipeline};
use crate::pipelines::store::settings;
use crate::pipelines::store::variables::{self, Owner};
use crate::pipelines::tasks::FollowDownstream;
use ::store::Tx;
use kernel::error::{Found, Result};
use kernel::jobs::{Run, enqueue_at};
use pipeline_file::PlannedJob;
use pipeline_file::model::{AllowFailure, When};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A pipeline of which nothing is to run.
pub(super) async fn skipped(request: &Request, by: Option<Run>) -> Result<Option<Pipeline>> {
    let new = new(request, Status::Skipped, ConfigSource::Unknown);
    alone(request, new, by).await
}

/// One whose file is wrong.
pub(super) async fn failed(
    request: &Request, text: &str, config_source: ConfigSource, by: Option<Run>,
) -> Result<Option<Pipeline>> {
    let new = NewPipeline {
        yaml_errors: Some(text.replace('\0', "")),
        failure_reason: Some(CONFIG_ERROR.to_owned()),
        ..new(request, Status::Failed, config_source)
    };
    alone(request, new, by).await
}

/// Writes a pipeline without jobs; none where that was done before.
async fn alone(request: &Request, new: NewPipeline, by: Option<Run>) -> Result<Option<Pipeline>> {
    let bridge = request.creation.parent.as_ref().map(|parent| parent.job_id);
    request
        .reader
        .app
        .write(move |tx| {
            if !is_to_do(tx, by.as_ref())? {
                return Ok(None);
            }
            let pipeline = pipelines::insert(tx, &new)?;
            if let Some(job) = bridge {
                jobs::set_downstream(tx, job, pipeline.id)?;
            }
            Ok(Some(pipeline))
        })
        .await
}

/// Ends the job of the queue that does this; whether it was not done before.
fn is_to_do(tx: &mut Tx<'_>, by: Option<&Run>) -> Result<bool> {
    by.map_or(Ok(true), |run| run.end(tx))
}

fn new(request: &Request, status: Status, config_source: ConfigSource) -> NewPipeline {
    let (facts, creation) = (&request.facts, &request.creation);
    let child = creation.parent.as_ref().and_then(|parent| parent.child.as_ref());
    NewPipeline {
        project_id: facts.project.id,
        source: facts.source,
        status,
        on_ref: facts.on_ref.clone(),
        tag: facts.tag,
        sha: facts.commit.id.to_string(),
        before_sha: facts.before_sha.clone(),
        protected: facts.protected,
        user_id: request.reader.viewer.user_id(),
        name: None,
        config_source,
        yaml_errors: None,
        failure_reason: None,
        auto_cancel: NOTHING_SAID,
        parent_pipeline_id: child.map(|child| child.pipeline_id),
        depth: child.map_or(0, |child| child.depth),
        schedule_id: creation.begun_by.as_ref().and_then(BegunBy::schedule_id),
        trigger_id: creation.begun_by.as_ref().and_then(BegunBy::trigger_id),
        committed_at: Some(facts.commit.committer.at),
        told: facts.told.clone(),
    }
}

/// Writes a planned pipeline, and lets it go.
pub(super) async fn plan(
    request: Arc<Request>, planning: Planning, by: Option<Run>,
) -> Result<Judged<Pipeline>> {
    let new = NewPipeline {
        name: planning.plan.name.as_deref().map(|name| name.replace('\0', "")),
        auto_cancel: planning.plan.auto_cancel,
        ..new(&request, Status::Created, planning.config_source)
    };
    let app = request.reader.app.clone();
    let all = Arc::new(planning);
    let written = app.write(move |tx| {
        if !is_to_do(tx, by.as_ref())? {
            return Ok(None);
        }
        let pipeline = pipelines::insert(tx, &new)?;
        let secrets = request.reader.app.secrets();
        let given: Vec<_> = request.given().collect();
        variables::insert(tx, secrets, Owner::Pipeline(pipeline.id), &given)?;
        if let Some(parent) = &request.creation.parent {
            jobs::set_downstream(tx, parent.job_id, pipeline.id)?;
        }
        write_jobs(tx, &pipeline, &all.plan.jobs)?;
        if all.plan.jobs.iter().any(|job| job.environment.is_some()) {
            begin::of_pipeline(tx, &pipeline)?;
        }
        if request.settings.auto_cancel_pending && pipeline.parent_pipeline_id.is_none() {
            let of = request.creation.request.as_ref();
            redundant::cancel(tx, &pipeline, of, request.reader.home.repository.id)?;
        }
        process(tx, pipeline.id)?;
        if request.creation.parent.is_some() {
            let now = tx.now();
            enqueue_at(tx, &FollowDownstream { pipeline: pipeline.id }, now)?;
        }
        Ok(Some(pipelines::by_id(tx, pipeline.id)?.found("")?))
    });
    Ok(written.await?.ok_or_else(|| Refused::new("Done before")))
}

fn write_jobs(tx: &mut Tx<'_>, pipeline: &Pipeline, planned: &[PlannedJob]) -> Result<()> {
    let groups: BTreeSet<String> =
        planned.iter().filter_map(|job| job.resource_group.clone()).collect();
    let groups = settings::resource_groups(tx, pipeline.project_id, groups.into_iter().collect())?;
    let place = Place {
        project_id: pipeline.project_id,
        pipeline_id: pipeline.id,
        protected: pipeline.protected,
        user_id: pipeline.user_id,
    };
    let demand = Demand::of(pipeline);
    let jobs: Vec<NewJob> = planned.iter().map(|job| new_job(job, &groups, demand)).collect();
    jobs::insert(tx, place, &jobs)
}

fn new_job(planned: &PlannedJob, groups: &HashMap<String, i64>, demand: Demand) -> NewJob {
    let (run_when, start_in) = match planned.when {
        When::OnSuccess => (RunWhen::OnSuccess, None),
        When::OnFailure => (RunWhen::OnFailure, None),
        When::Always => (RunWhen::Always, None),
        When::Manual => (RunWhen::Manual, None),
        When::Delayed(seconds) => (RunWhen::Delayed, i64::try_from(seconds).ok()),
    };
    let need = |need: &pipeline_file::PlannedNeed| NewNeed {
        name: need.name.clone(),
        artifacts: need.artifacts,
        optional: need.optional,
    };
    NewJob {
        kind: if planned.job.work.is_bridge() {
            JobKind::Bridge
        } else {
            JobKind::Build
        },
        name: planned.name.clone(),
        stage: planned.stage.clone(),
        stage_index: planned.stage_index as i64,
        run_when,
        start_in,
        allow_failure: planned.allow_failure == AllowFailure::Always(true),
        interruptible: planned.interruptible,
        queue_key: queue_key(demand, &planned.tags),
        tags: planned.tags.clone(),
        timeout: planned.job.timeout.and_then(|seconds| i64::try_from(seconds).ok()),
        environment: planned.environment.as_ref().map(|it| it.name.clone()),
        resource_group_id: planned.resource_group.as_ref().and_then(|it| groups.get(it)).copied(),
        needs: planned.needs.as_ref().map(|needs| needs.iter().map(need).collect()),
        definition: Definition::of(planned),
    }
}
