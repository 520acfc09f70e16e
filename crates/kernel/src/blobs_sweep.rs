//! Takes away bytes that no row names: what aborted uploads and deleted rows
//! left behind.

use crate::app::App;
use crate::blobs::GRACE_SECONDS;
use crate::error::{Error, Result};
use crate::jobs::{Failure, Job, RegistryBuilder, Run};
use futures_util::TryStreamExt;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use store::sql;

/// How often orphans are looked for, in seconds.
const EVERY: i64 = 24 * 60 * 60;
/// Keys looked up at once.
const BATCH: usize = 500;

/// Makes the job known.
pub fn jobs(registry: &mut RegistryBuilder) {
    registry.add_periodic::<Sweep>(EVERY);
}

/// Removes blobs older than a day that no row names.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Sweep {}

impl Job for Sweep {
    const NAME: &'static str = "blobs.sweep";

    fn dedupe_key(&self) -> Option<String> {
        Some("one".into())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        sweep(&run.app).await?;
        Ok(())
    }
}

/// Does it once; how many were removed. A row is looked for before the age is
/// asked again by the removal itself, so bytes put meanwhile stay.
pub async fn sweep(app: &App) -> Result<u64> {
    let before = app.now() - jiff::SignedDuration::from_secs(GRACE_SECONDS);
    let mut list = app.blobs().list();
    let mut old = Vec::new();
    let mut removed = 0;
    loop {
        let next = list.try_next().await?;
        let ended = next.is_none();
        if let Some((key, _, at)) = next
            && at < before
        {
            old.push(key);
        }
        if old.len() >= BATCH || (ended && !old.is_empty()) {
            removed += remove(app, std::mem::take(&mut old), before).await?;
        }
        if ended {
            return Ok(removed);
        }
    }
}

async fn remove(app: &App, keys: Vec<String>, before: crate::time::Timestamp) -> Result<u64> {
    let asked = keys.clone();
    let named: HashSet<String> = app
        .read(move |tx| {
            let named: Vec<String> = tx.all(
                sql!("select key from blobs where key in_list($1)"),
                (asked,),
            )?;
            Ok::<_, Error>(named.into_iter().collect())
        })
        .await?;
    let mut removed = 0;
    for key in keys.iter().filter(|key| !named.contains(*key)) {
        if app.blobs().delete_older(key, before).await? {
            removed += 1;
        }
    }
    Ok(removed)
}
