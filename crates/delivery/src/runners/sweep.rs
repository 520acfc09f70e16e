//! Files of jobs whose time is over go.

use super::store::artifacts;
use ::store::{Tx, sql};
use kernel::error::Result;
use kernel::jobs::{Failure, Job, RegistryBuilder, Run};
use serde::{Deserialize, Serialize};
use spaces::hooks::Contents;

/// Seconds between two looks, and files that one transaction takes.
const BETWEEN: i64 = 900;
const BATCH: i64 = 500;

/// Takes away files of jobs whose time is over.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ExpireArtifacts {}

pub fn jobs(registry: &mut RegistryBuilder) {
    registry.add_periodic::<ExpireArtifacts>(BETWEEN);
}

impl Job for ExpireArtifacts {
    const NAME: &'static str = "delivery.expire_artifacts";

    fn dedupe_key(&self) -> Option<String> {
        Some("one".into())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        loop {
            let gone = run.app.write(|tx| {
                let gone = artifacts::delete_expired(tx, BATCH)?;
                if gone > 0 {
                    spaces::hooks::blobs_unnamed(tx)?;
                }
                Ok(gone)
            });
            if gone.await? < BATCH.unsigned_abs() {
                return Ok(());
            }
        }
    }
}

/// Files of the jobs of a project that is deleted.
pub const CONTENTS: Contents = Contents { count, remove };

fn count(tx: &mut Tx<'_>, project_id: i64) -> Result<i64> {
    Ok(tx.one(sql!("select count(*) from ci_artifacts where project_id = $1"), (project_id,))?)
}

fn remove(tx: &mut Tx<'_>, project_id: i64, most: i64) -> Result<i64> {
    let gone = artifacts::delete_of_project(tx, project_id, most)?;
    if gone > 0 {
        spaces::hooks::blobs_unnamed(tx)?;
    }
    Ok(i64::try_from(gone).unwrap_or(i64::MAX))
}

/// Runners that were of this project alone go with it.
pub fn project_destroying(tx: &mut Tx<'_>, project_id: i64) -> Result<()> {
    super::store::delete_of_project(tx, project_id)
}
