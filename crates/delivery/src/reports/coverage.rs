//! How much of the code a job tried: found in its log by the expression that its file has,
//! once the job has ended.

use crate::pipelines::store::jobs::{by_id, definition};
use crate::runners::store::traces;
use ::store::{Tx, sql};
use kernel::error::{Error, Result};
use kernel::jobs::{Failure, Job, RegistryBuilder, Run, enqueue_at};
use pipeline_file::coverage::of_log;
use serde::{Deserialize, Serialize};

/// Bytes at the end of a log that are looked through.
const END: i64 = 1024 * 1024;
/// Pieces of a log that are read for it.
const PIECES: i64 = 4_096;

/// Looks for the coverage in the log of a job.
#[derive(Debug, Serialize, Deserialize)]
pub struct FindCoverage {
    pub job: i64,
}

pub fn jobs(registry: &mut RegistryBuilder) {
    registry.add::<FindCoverage>();
}

/// Has it looked for, if the file of the job says how.
pub fn wanted(tx: &mut Tx<'_>, job: i64) -> Result<()> {
    match definition(tx, job)?.and_then(|definition| definition.coverage) {
        Some(_) => {
            let now = tx.now();
            enqueue_at(tx, &FindCoverage { job }, now)
        }
        None => Ok(()),
    }
}

/// The expression and the end of the log.
fn look(tx: &mut Tx<'_>, id: i64) -> Result<Option<(String, Vec<u8>)>> {
    let Some(expression) = definition(tx, id)?.and_then(|definition| definition.coverage) else {
        return Ok(None);
    };
    let size = traces::size(tx, id)?;
    let pieces = traces::some(tx, id, (size - END).max(0), PIECES)?;
    let log = pieces.into_iter().flat_map(|(_, bytes)| bytes).collect();
    Ok(Some((expression, log)))
}

impl Job for FindCoverage {
    const NAME: &'static str = "delivery.find_coverage";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let id = self.job;
        let Some((expression, log)) = run.app.read(move |tx| look(tx, id)).await? else {
            return Ok(());
        };
        let find = move || of_log(&String::from_utf8_lossy(&log), &expression);
        let found = tokio::task::spawn_blocking(find).await.map_err(Error::internal)?;
        let Some(coverage) = found.filter(|percent| percent.is_finite()) else {
            return Ok(());
        };
        let written = run.app.write(move |tx| {
            if by_id(tx, id)?.is_none_or(|job| job.coverage.is_some()) {
                return Ok(());
            }
            tx.run(sql!("update ci_jobs set coverage = $2 where id = $1"), (id, coverage))
        });
        Ok(written.await?)
    }
}
