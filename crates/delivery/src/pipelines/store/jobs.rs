//! `ci_jobs` and `ci_job_needs`.

use super::inserts;
use crate::pipelines::definition::Definition;
use crate::pipelines::model::{Job, JobKind, JobNeed, RunWhen};
use crate::pipelines::status::Status;
use ::store::{FromRow, IntoValue, Json, Tx, Value, concat, sql};
use kernel::error::Result;

pub(super) const SELECT: &str = concat!("select ", Job::COLUMNS, " from ci_jobs ");

/// A job that is to be.
#[derive(Debug, Clone)]
pub struct NewJob {
    pub kind: JobKind,
    pub name: String,
    pub stage: String,
    pub stage_index: i64,
    pub run_when: RunWhen,
    pub start_in: Option<i64>,
    pub allow_failure: bool,
    pub interruptible: bool,
    pub tags: Vec<String>,
    pub queue_key: String,
    pub timeout: Option<i64>,
    pub environment: Option<String>,
    pub resource_group_id: Option<i64>,
    /// None: it waits for earlier stages.
    pub needs: Option<Vec<NewNeed>>,
    pub definition: Definition,
}

#[derive(Debug, Clone)]
pub struct NewNeed {
    pub name: String,
    pub artifacts: bool,
    pub optional: bool,
}

/// Where new jobs are.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub project_id: i64,
    pub pipeline_id: i64,
    pub protected: bool,
    pub user_id: Option<i64>,
}

/// Adds the jobs of a pipeline, in their order.
pub fn insert(tx: &mut Tx<'_>, place: Place, jobs: &[NewJob]) -> Result<()> {
    let now = tx.now();
    let row = |(position, job): (usize, &NewJob)| -> Vec<Value> {
        vec![
            place.project_id.into_value(),
            place.pipeline_id.into_value(),
            job.kind.into_value(),
            job.name.as_str().into_value(),
            job.stage.as_str().into_value(),
            job.stage_index.into_value(),
            (position as i64).into_value(),
            Status::Created.into_value(),
            job.run_when.into_value(),
            job.start_in.into_value(),
            job.allow_failure.into_value(),
            false.into_value(),
            0_i64.into_value(),
            job.needs.is_some().into_value(),
            place.protected.into_value(),
            job.interruptible.into_value(),
            place.user_id.into_value(),
            Json(&job.tags).into_value(),
            job.queue_key.as_str().into_value(),
            job.timeout.into_value(),
            job.environment.clone().into_value(),
            job.resource_group_id.into_value(),
            Json(&job.definition).into_value(),
            now.into_value(),
            now.into_value(),
        ]
    };
    let rows: Vec<Vec<Value>> = jobs.iter().enumerate().map(row).collect();
    let before = "insert into ci_jobs (project_id, pipeline_id, kind, name, stage, stage_index,
        position, status, run_when, start_in, allow_failure, retried, attempt, needs_mode,
        protected, interruptible, user_id, tags, queue_key, timeout, environment,
        resource_group_id, definition, created_at, updated_at) values";
    let mut ids: Vec<(i64, i64)> = Vec::with_capacity(rows.len());
    for statement in inserts(before, &rows, " returning id, position") {
        ids.extend(tx.query::<(i64, i64)>(statement)?);
    }
    ids.sort_unstable_by_key(|(_, position)| *position);
    insert_needs(tx, ids.iter().zip(jobs).map(|((id, _), job)| (*id, job)))
}

fn insert_needs<'j>(tx: &mut Tx<'_>, jobs: impl Iterator<Item = (i64, &'j NewJob)>) -> Result<()> {
    let row = |(id, need): (i64, &NewNeed)| -> Vec<Value> {
        vec![
            id.into_value(),
            need.name.as_str().into_value(),
            need.artifacts.into_value(),
            need.optional.into_value(),
        ]
    };
    let needs = jobs.flat_map(|(id, job)| job.needs.iter().flatten().map(move |it| (id, it)));
    let rows: Vec<Vec<Value>> = needs.map(row).collect();
    let before = "insert into ci_job_needs (job_id, name, artifacts, optional) values";
    for statement in inserts(before, &rows, " on conflict do nothing") {
        tx.change_by(statement)?;
    }
    Ok(())
}

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Job>> {
    Ok(tx.optional(sql!(SELECT, "where ci_jobs.id = $1"), (id,))?)
}

pub fn some(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<Vec<Job>> {
    match ids.is_empty() {
        true => Ok(Vec::new()),
        false => Ok(tx.all(sql!(SELECT, "where ci_jobs.id in_list($1)"), (ids,))?),
    }
}

pub fn of_project(tx: &mut Tx<'_>, project_id: i64, id: i64) -> Result<Option<Job>> {
    Ok(tx.optional(
        sql!(SELECT, "where ci_jobs.id = $1 and ci_jobs.project_id = $2"),
        (id, project_id),
    )?)
}

/// Those of a pipeline, without those that others took the place of.
pub fn latest(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<Vec<Job>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "where ci_jobs.pipeline_id = $1 and not ci_jobs.retried
             order by ci_jobs.stage_index, ci_jobs.position"
        ),
        (pipeline_id,),
    )?)
}

/// What the latest job of a name says it tried of the code, in percent.
pub fn coverage(tx: &mut Tx<'_>, pipeline_id: i64, name: &str) -> Result<Option<f64>> {
    let found: Option<(Option<f64>,)> = tx.optional(
        sql!(
            "select coverage from ci_jobs
             where pipeline_id = $1 and name = $2 and not retried"
        ),
        (pipeline_id, name),
    )?;
    Ok(found.and_then(|(percent,)| percent))
}

#[derive(FromRow)]
struct DefinitionRow {
    definition: Json<Definition>,
}

/// What a job does.
pub fn definition(tx: &mut Tx<'_>, id: i64) -> Result<Option<Definition>> {
    let row: Option<DefinitionRow> =
        tx.optional(sql!("select definition from ci_jobs where id = $1"), (id,))?;
    Ok(row.map(|row| row.definition.0))
}

/// The jobs of its pipeline that a job needs.
pub fn needs(tx: &mut Tx<'_>, job_id: i64) -> Result<Vec<JobNeed>> {
    Ok(tx.all(
        sql!(
            "select ",
            JobNeed::COLUMNS,
            " from ci_job_needs where ci_job_needs.job_id = $1 order by ci_job_needs.name"
        ),
        (job_id,),
    )?)
}

/// A job that comes before another.
#[derive(Debug, Clone, FromRow)]
#[columns("ci_jobs")]
pub struct Earlier {
    pub id: i64,
    pub name: String,
}

/// Those of its pipeline that a job needs with their files.
pub fn needed_with_files(tx: &mut Tx<'_>, job: &Job) -> Result<Vec<Earlier>> {
    Ok(tx.all(
        sql!(
            "select ",
            Earlier::COLUMNS,
            " from ci_job_needs join ci_jobs on ci_jobs.pipeline_id = $2
                and ci_jobs.name = ci_job_needs.name and not ci_jobs.retried
             where ci_job_needs.job_id = $1 and ci_job_needs.artifacts and ci_jobs.id <> $1
             order by ci_jobs.stage_index, ci_jobs.position"
        ),
        (job.id, job.pipeline_id),
    )?)
}

/// Those of its pipeline whose stages come before that of a job.
pub fn of_earlier_stages(tx: &mut Tx<'_>, job: &Job) -> Result<Vec<Earlier>> {
    Ok(tx.all(
        sql!(
            "select ",
            Earlier::COLUMNS,
            " from ci_jobs where ci_jobs.pipeline_id = $1 and not ci_jobs.retried
                and ci_jobs.stage_index < $2 order by ci_jobs.stage_index, ci_jobs.position"
        ),
        (job.pipeline_id, job.stage_index),
    )?)
}

/// Adds jobs like some others, which count no more, for a user; they are yet to be
/// looked at.
pub fn copy(tx: &mut Tx<'_>, ids: &[i64], user_id: Option<i64>) -> Result<Vec<Job>> {
    let now = tx.now();
    tx.execute(
        sql!("update ci_jobs set retried = true, updated_at = $2 where id in_list($1)"),
        (ids, now),
    )?;
    let new: Vec<Job> = tx.all(
        sql!(
            "insert into ci_jobs (project_id, pipeline_id, kind, name, stage, stage_index,
                position, status, run_when, start_in, allow_failure, retried, attempt,
                needs_mode, protected, interruptible, user_id, tags, queue_key, timeout,
                environment, resource_group_id, definition, created_at, updated_at)
             select project_id, pipeline_id, kind, name, stage, stage_index, position, 'created',
                run_when, start_in, allow_failure, false, attempt + 1, needs_mode, protected,
                interruptible, coalesce($3, user_id), tags, queue_key, timeout, environment,
                resource_group_id, definition, $2, $2
             from ci_jobs where id in_list($1)
             returning ",
            Job::COLUMNS
        ),
        (ids, now, user_id),
    )?;
    tx.execute(
        sql!(
            "insert into ci_job_needs (job_id, name, artifacts, optional)
             select new.id, needs.name, needs.artifacts, needs.optional
             from ci_job_needs needs
             join ci_jobs old on old.id = needs.job_id
             join ci_jobs new on new.pipeline_id = old.pipeline_id and new.name = old.name
                and not new.retried
             where old.id in_list($1)"
        ),
        (ids,),
    )?;
    Ok(new)
}

/// Who a job is run for from now on.
pub fn set_user(tx: &mut Tx<'_>, id: i64, user_id: i64) -> Result<()> {
    tx.run(sql!("update ci_jobs set user_id = $2 where id = $1"), (id, user_id))
}

/// Notes that what it wrote is gone.
pub fn set_erased(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!("update ci_jobs set erased_at = $2, updated_at = $2 where id = $1"),
        (id, now),
    )
}

/// Notes the pipeline that a job began.
pub fn set_downstream(tx: &mut Tx<'_>, id: i64, pipeline_id: i64) -> Result<()> {
    tx.run(
        sql!("update ci_jobs set downstream_pipeline_id = $2 where id = $1"),
        (id, pipeline_id),
    )
}

/// The job that began a pipeline.
pub fn of_downstream(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<Option<Job>> {
    Ok(tx.optional(
        sql!(SELECT, "where ci_jobs.downstream_pipeline_id = $1 and not ci_jobs.retried"),
        (pipeline_id,),
    )?)
}
