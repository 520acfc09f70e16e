//! The queue as administrators see it: what waits, what failed, and what becomes of it.

use super::{Job, Registry};
use crate::error::Result;
use crate::time::Timestamp;
use store::{FromRow, Tx, sql};

/// A job as administrators see it.
#[derive(Debug, Clone, FromRow)]
pub struct Listed {
    /// Its id.
    pub id: i64,
    /// Its kind.
    pub name: String,
    /// queued, running or failed.
    pub state: String,
    /// Attempts so far.
    pub attempts: i64,
    /// When it is or was due.
    pub run_at: Timestamp,
    /// Steps done.
    pub progress_done: Option<i64>,
    /// Steps in all.
    pub progress_total: Option<i64>,
    /// Why the last attempt failed.
    pub last_error: Option<String>,
    /// When it was enqueued.
    pub created_at: Timestamp,
}

/// Jobs by state.
#[derive(Debug, Clone, Copy)]
pub struct Counts {
    /// Waiting.
    pub queued: u64,
    /// Under way.
    pub running: u64,
    /// Dead letters.
    pub failed: u64,
}

/// How many jobs there are of each state.
pub fn counts(tx: &mut Tx<'_>) -> Result<Counts> {
    let rows: Vec<(String, i64)> =
        tx.all(sql!("select state, count(*) from jobs group by state"), ())?;
    let of = |state: &str| {
        let row = rows.iter().find(|(name, _)| name == state);
        row.map_or(0, |(_, count)| count.unsigned_abs())
    };
    Ok(Counts {
        queued: of("queued"),
        running: of("running"),
        failed: of("failed"),
    })
}

/// One page of jobs, failed ones first, then by due time; with a state, of
/// that state only.
pub fn list(tx: &mut Tx<'_>, state: &str, limit: i64, offset: i64) -> Result<Vec<Listed>> {
    Ok(tx.all(
        sql!(
            "select id, name, state, attempts, run_at, progress_done, progress_total, last_error,
                created_at
              from jobs where state = $3 or $3 = ''
              order by case state when 'failed' then 0 when 'running' then 1 else 2 end,
                run_at, id limit $1 offset $2"
        ),
        (limit, offset, state),
    )?)
}

/// The kind of a job, if it exists.
pub fn name(tx: &mut Tx<'_>, id: i64) -> Result<Option<String>> {
    Ok(tx.optional(sql!("select name from jobs where id = $1"), (id,))?)
}

/// Makes a dead letter or a waiting job due now; false when it runs or is gone.
pub fn retry(tx: &mut Tx<'_>, registry: &Registry, id: i64) -> Result<bool> {
    let now = tx.now();
    let changed = tx.execute(
        sql!(
            "update jobs set state = 'queued', attempts = 0, run_at = $2, updated_at = $2
              where id = $1 and state <> 'running'"
        ),
        (id, now),
    )?;
    let bell = registry.bell.clone();
    tx.after_commit(move || bell.notify_one());
    Ok(changed > 0)
}

/// Forgets the dead letters of a kind that is begun again by itself: what failed last
/// is all there is to know of it.
pub fn forget_failed(tx: &mut Tx<'_>, name: &str) -> Result<()> {
    tx.execute(sql!("delete from jobs where name = $1 and state = 'failed'"), (name,))?;
    Ok(())
}

/// Forgets a dead letter or a waiting job; false when it runs or is gone.
pub fn discard(tx: &mut Tx<'_>, id: i64) -> Result<bool> {
    Ok(tx.execute(sql!("delete from jobs where id = $1 and state <> 'running'"), (id,))? > 0)
}

/// Enqueues a job to run as soon as the transaction commits, also where one of its key is
/// queued for later.
pub fn hasten<J: Job>(tx: &mut Tx<'_>, registry: &Registry, job: &J) -> Result<()> {
    let now = tx.now();
    if let Some(key) = job.dedupe_key() {
        tx.execute(
            sql!(
                "update jobs set run_at = $3
                  where name = $1 and dedupe_key = $2 and state = 'queued' and run_at > $3"
            ),
            (J::NAME, key, now),
        )?;
    }
    super::enqueue(tx, registry, job)
}
