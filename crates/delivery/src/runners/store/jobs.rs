//! What runners do with jobs: columns of `ci_jobs` that are theirs, and
//! `ci_trace_chunks`.

use crate::pipelines::model::Job;
use crate::pipelines::status::Status;
use ::store::{FromRow, Tx, sql};
use jiff::{SignedDuration, Timestamp};
use kernel::error::Result;
use std::collections::{HashMap, HashSet};

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

/// Bytes of a log.
pub fn trace_size(tx: &mut Tx<'_>, id: i64) -> Result<i64> {
    let size: Option<i64> = tx.optional(
        sql!(
            "select begins + length(bytes) from ci_trace_chunks
             where job_id = $1 order by begins desc limit 1"
        ),
        (id,),
    )?;
    Ok(size.unwrap_or_default())
}

/// Notes that a runner said something of a job, if that was not just noted.
pub fn heard(tx: &mut Tx<'_>, held: &HeldJob) -> Result<()> {
    let now = tx.now();
    match held.is_to_note(now) {
        true => tx.run(sql!("update ci_jobs set contacted_at = $2 where id = $1"), (held.id, now)),
        false => Ok(()),
    }
}

/// Adds to the end of a log that has this size; false where another piece begins there.
pub fn append(tx: &mut Tx<'_>, id: i64, size: i64, bytes: &[u8]) -> Result<bool> {
    if bytes.is_empty() {
        return Ok(true);
    }
    let added = tx.execute(
        sql!(
            "insert into ci_trace_chunks (job_id, begins, bytes, lines)
             values ($1, $2, $3, $4) on conflict do nothing"
        ),
        (id, size, bytes, lines(bytes)),
    )?;
    Ok(added == 1)
}

/// How many lines end in a piece. Masking it changes none.
fn lines(bytes: &[u8]) -> i64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as i64
}

/// The pieces of a log that have bytes between two places.
pub fn chunks_between(
    tx: &mut Tx<'_>, id: i64, (from, to): (i64, i64),
) -> Result<Vec<(i64, Vec<u8>)>> {
    Ok(tx.all(
        sql!(
            "select begins, bytes from ci_trace_chunks
             where job_id = $1 and begins < $3 and begins >= coalesce((select max(c.begins)
                from ci_trace_chunks c where c.job_id = $1 and c.begins <= $2), 0)
             order by begins"
        ),
        (id, from, to),
    )?)
}

/// How many lines end before the piece that begins there.
pub fn lines_before(tx: &mut Tx<'_>, id: i64, begins: i64) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "select cast(coalesce(sum(lines), 0) as bigint) from ci_trace_chunks
             where job_id = $1 and begins < $2"
        ),
        (id, begins),
    )?)
}

/// Pieces of each log that are looked at for its end, and bytes of one.
const LAST_PIECES: i64 = 8;
const LAST_BYTES: usize = 16_384;

/// The ends of some logs, by the ids of their jobs.
pub fn ends(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<HashMap<i64, Vec<u8>>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(i64, i64, Vec<u8>)> = tx.all(
        sql!(
            "select t.job_id, cast(length(t.bytes) as bigint), substr(t.bytes,
                case when length(t.bytes) > 16384 then length(t.bytes) - 16383 else 1 end)
             from (select c.job_id, c.begins, c.bytes, row_number() over (
                    partition by c.job_id order by c.begins desc) as place
                from ci_trace_chunks c where c.job_id in_list($1)) t
             where t.place <= $2 order by t.job_id, t.begins desc"
        ),
        (ids, LAST_PIECES),
    )?;
    let (mut found, mut cut) = (HashMap::<i64, Vec<u8>>::new(), HashSet::new());
    for (id, length, bytes) in rows {
        if cut.contains(&id) {
            continue;
        }
        if length > LAST_BYTES as i64 {
            cut.insert(id);
        }
        let end = found.entry(id).or_default();
        *end = [bytes.as_slice(), end].concat();
    }
    Ok(found)
}

/// Some pieces of a log, from the one that has the byte at `from`.
pub fn chunks(tx: &mut Tx<'_>, id: i64, from: i64, most: i64) -> Result<Vec<(i64, Vec<u8>)>> {
    Ok(tx.all(
        sql!(
            "select begins, bytes from ci_trace_chunks
             where job_id = $1 and begins >= coalesce((select max(c.begins)
                from ci_trace_chunks c where c.job_id = $1 and c.begins <= $2), 0)
             order by begins limit $3"
        ),
        (id, from, most),
    )?)
}

/// Takes the log of a job away.
pub fn erase_trace(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from ci_trace_chunks where job_id = $1"), (id,))?;
    Ok(())
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
    let rows: Vec<(i64, i64)> = tx.all(
        sql!(
            "select j.runner_id, count(*) from (select ci_jobs.runner_id, row_number() over (
                    partition by ci_jobs.runner_id order by ci_jobs.id desc) as place
                from ci_jobs where ci_jobs.runner_id in_list($1)
                  and (not $2 or ci_jobs.status in ('running', 'canceling'))) j
             where j.place <= $3 group by j.runner_id"
        ),
        (ids, running, COUNTED),
    )?;
    Ok(rows.into_iter().collect())
}

/// Writes a piece of a log anew, of the same length.
pub fn replace_chunk(tx: &mut Tx<'_>, id: i64, begins: i64, bytes: &[u8]) -> Result<()> {
    tx.run(
        sql!("update ci_trace_chunks set bytes = $3 where job_id = $1 and begins = $2"),
        (id, begins, bytes),
    )
}

/// Notes the address that a job found out of its environment.
pub fn set_environment_url(tx: &mut Tx<'_>, id: i64, url: &str) -> Result<()> {
    tx.run(sql!("update ci_jobs set environment_url = $2 where id = $1"), (id, url))
}
