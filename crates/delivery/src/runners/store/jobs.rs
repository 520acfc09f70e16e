//! What runners do with jobs: columns of `ci_jobs` that are theirs.

use crate::pipelines::model::Job;
use crate::pipelines::status::Status;
use ::store::{FromRow, Tx, sql};
use jiff::{SignedDuration, Timestamp};
use kernel::error::Result;
use std::collections::HashMap;

/// A job as far as it decides on what its runner may say of it: read for each piece of
/// each log, so it is no more than that.
#[derive(Debug, Clone, FromRow)]
#[columns("ci_jobs")]
pub struct HeldJob {
    pub id: i64,
    pub status: Status,
    pub erased_at: Option<Timestamp>,
    pub started_at: Option<Timestamp>,
    pub contacted_at: Option<Timestamp>,
    pub runner_token_digest: Option<Vec<u8>>,
    pub sealed_masks: Option<String>,
    #[column("projects.deletion_scheduled_at")]
    pub project_deleted_at: Option<Timestamp>,
}

/// How long what a runner says of a job is not written down again.
const NOTED: SignedDuration = SignedDuration::from_secs(20);

impl HeldJob {
    /// Whether it is time to note that its runner said something of it.
    fn is_to_note(&self, now: Timestamp) -> bool {
        let noted = self.contacted_at.filter(|at| Some(*at) != self.started_at);
        noted.is_none_or(|at| at + NOTED < now)
    }
}

pub fn held(tx: &mut Tx<'_>, id: i64) -> Result<Option<HeldJob>> {
    let statement = sql!(
        "select ",
        HeldJob::COLUMNS,
        " from ci_jobs join projects on projects.id = ci_jobs.project_id where ci_jobs.id = $1"
    );
    Ok(tx.optional(statement, (id,))?)
}

/// Notes who has a job, and the token that they know it by.
pub fn note_taken(tx: &mut Tx<'_>, id: i64, digest: Vec<u8>, system_id: &str) -> Result<()> {
    tx.run(
        sql!("update ci_jobs set runner_token_digest = $2, system_id = $3 where id = $1"),
        (id, digest, system_id),
    )
}

/// Notes what its log must not show, and how long it may take.
pub fn note_given(
    tx: &mut Tx<'_>, id: i64, sealed_masks: Option<String>, timeout: i64,
) -> Result<()> {
    tx.run(
        sql!("update ci_jobs set sealed_masks = $2, effective_timeout = $3 where id = $1"),
        (id, sealed_masks, timeout),
    )
}

/// The job that runs and has this token: its id, project and user.
pub fn of_token(tx: &mut Tx<'_>, digest: Vec<u8>) -> Result<Option<(i64, i64, Option<i64>)>> {
    Ok(tx.optional(
        sql!(
            "select ci_jobs.id, ci_jobs.project_id, ci_jobs.user_id from ci_jobs
             join projects on projects.id = ci_jobs.project_id
             where ci_jobs.token_digest = $1 and ci_jobs.status in ('running', 'canceling')
               and projects.deletion_scheduled_at is null"
        ),
        (digest,),
    )?)
}

/// Notes that a runner said something of a job, if that was not just noted.
pub fn heard(tx: &mut Tx<'_>, held: &HeldJob) -> Result<()> {
    let now = tx.now();
    match held.is_to_note(now) {
        true => tx.run(sql!("update ci_jobs set contacted_at = $2 where id = $1"), (held.id, now)),
        false => Ok(()),
    }
}

/// Jobs that a runner ran or runs, the newest first.
pub fn of_runner(tx: &mut Tx<'_>, runner_id: i64, limit: i64, offset: i64) -> Result<Vec<Job>> {
    Ok(tx.all(
        sql!(
            "select ",
            Job::COLUMNS,
            " from ci_jobs where ci_jobs.runner_id = $1 order by ci_jobs.id desc
             limit $2 offset $3"
        ),
        (runner_id, limit, offset),
    )?)
}

/// Jobs of one runner that are counted.
const COUNTED: i64 = 1_001;

/// How many jobs runners had, or have now; those without any are left out.
pub fn count_of_runners(
    tx: &mut Tx<'_>, ids: Vec<i64>, running: bool,
) -> Result<HashMap<i64, i64>> {
    Ok(tx.pairs(
        sql!(
            "select j.runner_id, count(*) from (select ci_jobs.runner_id, row_number() over (
                    partition by ci_jobs.runner_id order by ci_jobs.id desc) as place
                from ci_jobs where ci_jobs.runner_id in_list($1)
                  and (not $2 or ci_jobs.status in ('running', 'canceling'))) j
             where j.place <= $3 group by j.runner_id"
        ),
        (ids, running, COUNTED),
    )?)
}

/// Notes the address that a job found out of its environment.
pub fn set_environment_url(tx: &mut Tx<'_>, id: i64, url: &str) -> Result<()> {
    tx.run(sql!("update ci_jobs set environment_url = $2 where id = $1"), (id, url))
}
