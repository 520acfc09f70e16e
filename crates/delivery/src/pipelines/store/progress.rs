//! How far the jobs of a pipeline are: as little of them as deciding on them takes.

use crate::environments::follow;
use crate::pipelines::model::{FailureReason, Job, JobKind, RunWhen};
use crate::pipelines::status::Status;
use ::store::{Fragment, FromRow, Tx, concat, sql};
use jiff::Timestamp;
use kernel::error::Result;

/// A job as far as it decides on others.
#[derive(Debug, Clone, FromRow)]
#[columns("ci_jobs")]
pub struct Progress {
    pub id: i64,
    pub name: String,
    pub kind: JobKind,
    pub stage_index: i64,
    pub status: Status,
    pub run_when: RunWhen,
    pub start_in: Option<i64>,
    pub allow_failure: bool,
    pub needs_mode: bool,
    pub resource_group_id: Option<i64>,
    pub interruptible: bool,
    pub cancels_gently: bool,
    pub environment: Option<String>,
}

impl Progress {
    pub fn of(job: &Job) -> Progress {
        Progress {
            id: job.id,
            name: job.name.clone(),
            kind: job.kind,
            stage_index: job.stage_index,
            status: job.status,
            run_when: job.run_when,
            start_in: job.start_in,
            allow_failure: job.allow_failure,
            needs_mode: job.needs_mode,
            resource_group_id: job.resource_group_id,
            interruptible: job.interruptible,
            cancels_gently: job.cancels_gently,
            environment: job.environment.clone(),
        }
    }
}

/// Those of a pipeline, in the order in which they are decided on.
pub fn of_pipeline(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<Vec<Progress>> {
    Ok(tx.all(
        sql!(
            "select ",
            Progress::COLUMNS,
            " from ci_jobs where ci_jobs.pipeline_id = $1 and not ci_jobs.retried
             order by ci_jobs.stage_index, ci_jobs.position"
        ),
        (pipeline_id,),
    )?)
}

/// Which jobs need which others, by name.
pub fn needs(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<Vec<(i64, String)>> {
    Ok(tx.all(
        sql!(
            "select ci_job_needs.job_id, ci_job_needs.name from ci_job_needs
             join ci_jobs on ci_jobs.id = ci_job_needs.job_id
             where ci_jobs.pipeline_id = $1 and not ci_jobs.retried"
        ),
        (pipeline_id,),
    )?)
}

/// Writes how far some jobs are.
pub fn set_status(tx: &mut Tx<'_>, ids: Vec<i64>, status: Status) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let now = tx.now();
    let mut change = Fragment::new("update ci_jobs set updated_at = ");
    change.bind(now).push(", status = ", status);
    match status {
        Status::Pending => change.push(", queued_at = ", now),
        Status::Created | Status::Manual => change.raw(", scheduled_at = null"),
        _ if status.is_finished() => {
            change.push(", finished_at = ", now).raw(", token_digest = null")
        }
        _ => &mut change,
    };
    change.raw(" where").in_list("id", ids.clone());
    tx.change_by(change)?;
    follow::moved(tx, &ids, status)
}

pub fn schedule(tx: &mut Tx<'_>, ids: Vec<i64>, at: Timestamp) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "update ci_jobs set status = 'scheduled', scheduled_at = $2, updated_at = $3
             where id in_list($1)"
        ),
        (ids, at, now),
    )
}

/// The end of a job that failed.
pub fn set_failed(
    tx: &mut Tx<'_>, id: i64, (reason, exit_code): (FailureReason, Option<i64>), allowed: bool,
) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update ci_jobs set status = 'failed', failure_reason = $2, exit_code = $3,
                allow_failure = allow_failure or $4, finished_at = $5, updated_at = $5,
                token_digest = null
             where id = $1"
        ),
        (id, reason, exit_code, allowed, now),
    )?;
    follow::moved(tx, &[id], Status::Failed)
}

/// Who runs a job.
#[derive(Debug, Clone, Default)]
pub struct Runs {
    pub runner_id: Option<i64>,
    /// Of the token that the job has.
    pub token_digest: Option<Vec<u8>>,
    /// It cleans up when the job is canceled.
    pub cancels_gently: bool,
}

/// Hands a job to a runner, unless it is no longer there to be taken.
pub fn start(tx: &mut Tx<'_>, id: i64, by: &Runs) -> Result<Option<Job>> {
    let now = tx.now();
    let job: Option<Job> = tx.optional(
        sql!(
            "update ci_jobs set status = 'running', runner_id = $2, token_digest = $3,
                cancels_gently = $4, started_at = $5, contacted_at = $5, updated_at = $5
             where id = $1 and status = 'pending'
             returning ",
            Job::COLUMNS
        ),
        (id, by.runner_id, by.token_digest.clone(), by.cancels_gently, now),
    )?;
    if job.as_ref().is_some_and(|job| job.environment.is_some()) {
        follow::moved(tx, &[id], Status::Running)?;
    }
    Ok(job)
}

/// A pipeline as far as its jobs decide on it.
#[derive(Debug, Clone, FromRow)]
#[columns("ci_pipelines")]
pub struct PipelineProgress {
    pub id: i64,
    pub project_id: i64,
    pub status: Status,
    pub started_at: Option<Timestamp>,
}

pub fn pipeline(tx: &mut Tx<'_>, id: i64) -> Result<Option<PipelineProgress>> {
    Ok(tx.optional(
        sql!("select ", PipelineProgress::COLUMNS, " from ci_pipelines where id = $1"),
        (id,),
    )?)
}

/// Writes how far a pipeline is.
pub fn set_pipeline(
    tx: &mut Tx<'_>, pipeline: &PipelineProgress, status: Status, duration: Option<i64>,
) -> Result<()> {
    let now = tx.now();
    let started = pipeline.started_at.or((status == Status::Running).then_some(now));
    let finished = status.is_finished().then_some(now);
    tx.run(
        sql!(
            "update ci_pipelines set status = $2, started_at = $3, finished_at = $4,
                duration = coalesce($5, duration), updated_at = $6
             where id = $1"
        ),
        (pipeline.id, status, started, finished, duration, now),
    )
}

/// The times in which jobs of a pipeline ran, retried ones too, by their beginnings.
pub fn spans(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<Vec<(Timestamp, Timestamp)>> {
    Ok(tx.all(
        sql!(
            "select started_at, finished_at from ci_jobs
             where pipeline_id = $1 and started_at is not null and finished_at is not null
             order by started_at"
        ),
        (pipeline_id,),
    )?)
}

const IN_GROUP: &str = concat!(
    "select ",
    Progress::COLUMNS,
    " from ci_jobs where ci_jobs.resource_group_id = $1 and not ci_jobs.retried and "
);

/// Whether a job of a resource group runs, or is about to.
pub fn is_held(tx: &mut Tx<'_>, group_id: i64) -> Result<bool> {
    let holder: Option<i64> = tx.optional(
        sql!(
            "select id from ci_jobs where resource_group_id = $1
                and status in ('preparing', 'pending', 'running', 'canceling') limit 1"
        ),
        (group_id,),
    )?;
    Ok(holder.is_some())
}

/// Which job of a resource group is next: of those that wait for it, or of all to come.
pub fn next_in_group(
    tx: &mut Tx<'_>, group_id: i64, newest: bool, with_upcoming: bool,
) -> Result<Option<Progress>> {
    let statement = match (newest, with_upcoming) {
        (false, false) => {
            sql!(IN_GROUP, "ci_jobs.status = 'waiting_for_resource' order by ci_jobs.id limit 1")
        }
        (true, false) => sql!(
            IN_GROUP,
            "ci_jobs.status = 'waiting_for_resource'
             order by ci_jobs.pipeline_id desc, ci_jobs.id desc limit 1"
        ),
        (false, true) => sql!(
            IN_GROUP,
            "ci_jobs.status in ('waiting_for_resource', 'created', 'scheduled')
             order by ci_jobs.pipeline_id, ci_jobs.stage_index, ci_jobs.id limit 1"
        ),
        (true, true) => sql!(
            IN_GROUP,
            "ci_jobs.status in ('waiting_for_resource', 'created', 'scheduled')
             order by ci_jobs.pipeline_id desc, ci_jobs.stage_index, ci_jobs.id limit 1"
        ),
    };
    Ok(tx.optional(statement, (group_id,))?)
}

/// Jobs that wait for a time that has come.
pub fn due(tx: &mut Tx<'_>, now: Timestamp, most: i64) -> Result<Vec<(i64, Timestamp)>> {
    Ok(tx.all(
        sql!(
            "select id, scheduled_at from ci_jobs
             where status = 'scheduled' and scheduled_at <= $1 order by id limit $2"
        ),
        (now, most),
    )?)
}

/// Jobs of a status that nothing was said of since then: of those that run what their
/// runner said, of others what happened to them.
pub fn silent(tx: &mut Tx<'_>, status: Status, since: Timestamp, most: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select id from ci_jobs
             where status = $1 and kind = 'build'
               and coalesce(contacted_at, queued_at, updated_at) < $2
             order by id limit $3"
        ),
        (status, since, most),
    )?)
}

/// Jobs that were handed out before then, and that their runner never spoke of.
pub fn unheard(tx: &mut Tx<'_>, since: Timestamp, most: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select id from ci_jobs
             where status = 'running' and kind = 'build' and runner_id is not null
               and contacted_at = started_at and started_at < $1
             order by id limit $2"
        ),
        (since, most),
    )?)
}

/// Makes a job wait again that its runner never spoke of; whether it did.
pub fn take_back(tx: &mut Tx<'_>, id: i64) -> Result<bool> {
    let now = tx.now();
    let changed = tx.execute(
        sql!(
            "update ci_jobs set status = 'pending', runner_id = null, token_digest = null,
                started_at = null, contacted_at = null, queued_at = $2, updated_at = $2
             where id = $1 and status = 'running' and contacted_at = started_at"
        ),
        (id, now),
    )?;
    if changed == 1 {
        follow::moved(tx, &[id], Status::Pending)?;
    }
    Ok(changed == 1)
}

/// Notes that a runner said something of a job.
pub fn touch(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.run(sql!("update ci_jobs set contacted_at = $2 where id = $1"), (id, now))
}
