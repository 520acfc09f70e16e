//! Takes away bytes that no row names: what aborted uploads and deleted rows
//! left behind. While a backup runs nothing is taken: it reads its rows first,
//! and then the blobs they named.

use crate::app::App;
use crate::blobs::GRACE_SECONDS;
use crate::error::{Error, Result};
use crate::jobs::{Failure, Job, RegistryBuilder, Run};
use crate::settings::{self, Setting};
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
        run.app.blobs().sweep_spool().await?;
        sweep(&run.app).await?;
        Ok(())
    }
}

/// Does it once; how many were removed.
pub async fn sweep(app: &App) -> Result<u64> {
    let before = grace_ago(app);
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
            removed += remove_unused(app, std::mem::take(&mut old)).await?;
        }
        if ended {
            return Ok(removed);
        }
    }
}

/// Removes those of some blobs that no row names; how many. Young ones stay:
/// an upload of the same bytes may be about to name them. The age is asked
/// again by the removal itself, so bytes put since the rows were read stay.
pub async fn remove_unused(app: &App, keys: Vec<String>) -> Result<u64> {
    let asked = keys.clone();
    let (named, kept): (HashSet<String>, bool) = app
        .read(move |tx| {
            let named: Vec<String> =
                tx.all(sql!("select key from blobs where key in_list($1)"), (asked,))?;
            let kept: KeptUntil = settings::read(tx)?;
            Ok::<_, Error>((named.into_iter().collect(), kept.second > tx.now().as_second()))
        })
        .await?;
    if kept {
        return Ok(0);
    }
    let before = grace_ago(app);
    let mut removed = 0;
    for key in keys.iter().filter(|key| !named.contains(*key)) {
        if app.blobs().delete_older(key, before).await? {
            removed += 1;
        }
    }
    Ok(removed)
}

fn grace_ago(app: &App) -> crate::time::Timestamp {
    app.now() - jiff::SignedDuration::from_secs(GRACE_SECONDS)
}

/// Until when no blob is removed, in seconds since 1970.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct KeptUntil {
    second: i64,
}

impl Setting for KeptUntil {
    const KEY: &'static str = "blobs_kept_until";
}

/// Keeps all blobs for so many seconds from now; 0 ends that. A blob that was
/// named by a row when this is answered can be read until then.
pub async fn keep_for(app: &App, seconds: i64) -> Result<()> {
    let settings = app.settings().clone();
    app.write(move |tx| {
        let second = tx.now().as_second().saturating_add(seconds);
        settings.set(tx, &KeptUntil { second })
    })
    .await
}
