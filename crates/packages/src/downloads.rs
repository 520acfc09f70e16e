//! Counters of downloads, which cost at most one write a minute per package
//! and node (docs/interface/packages.md 1.4).
//!
//! A node adds what it counted to what the rows say, so the sum over all
//! nodes is exact. What is not yet written is written by [`flush`] when the
//! program ends in order; kill -9 loses at most its last minute.

use crate::model::PackageFile;
use crate::store::{files, packages};
use kernel::app::App;
use kernel::error::{BestEffort, Result};
use kernel::time::{Timestamp, date_of};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::RwLock;

/// Shortest time between two writes of a package's counters.
const COUNT_EVERY: Duration = Duration::from_secs(60);

#[derive(Default)]
struct Pending {
    /// By file and day.
    counts: HashMap<(i64, String), i64>,
    last_at: Timestamp,
}

#[derive(Default)]
struct Downloads {
    /// By package. An entry exists while a task is about to write it.
    pending: Mutex<HashMap<i64, Pending>>,
    /// Held for reading by whoever has taken counts and not yet written them.
    writing: RwLock<()>,
}

/// Counts one download: the first at once, those within the next minute
/// together at its end.
pub fn count(app: &App, file: &PackageFile) {
    let now = app.now();
    let one = Pending {
        counts: HashMap::from([((file.id, date_of(now).to_string()), 1)]),
        last_at: now,
    };
    if app.kept::<Downloads>().add(file.package_id, one) {
        tokio::spawn(write_regularly(app.clone(), file.package_id));
    }
}

/// Writes all that this server has counted and not written.
pub async fn flush(app: &App) {
    let downloads = app.kept::<Downloads>();
    let _alone = downloads.writing.write().await;
    let counted = std::mem::take(&mut *downloads.pending());
    for (package_id, counted) in counted {
        write(app, package_id, &counted).await.best_effort("count package downloads");
    }
}

async fn write_regularly(app: App, package_id: i64) {
    let downloads = app.kept::<Downloads>();
    loop {
        let writing = downloads.writing.read().await;
        let Some(counted) = downloads.take(package_id) else {
            return;
        };
        if let Err(error) = write(&app, package_id, &counted).await {
            tracing::warn!(%error, "package downloads are counted later");
            downloads.add(package_id, counted);
        }
        drop(writing);
        tokio::time::sleep(COUNT_EVERY).await;
    }
}

async fn write(app: &App, package_id: i64, counted: &Pending) -> Result<()> {
    let (counts, last_at) = (counted.counts.clone(), counted.last_at);
    app.write(move |tx| {
        for ((file_id, day), count) in &counts {
            if packages::record_downloads(tx, package_id, day, *count, last_at)? {
                files::record_downloads(tx, *file_id, *count, last_at)?;
            }
        }
        Ok(())
    })
    .await
}

impl Downloads {
    /// Adds to what is pending; whether nothing was.
    fn add(&self, package_id: i64, more: Pending) -> bool {
        let mut pending = self.pending();
        let is_new = !pending.contains_key(&package_id);
        let entry = pending.entry(package_id).or_default();
        for (of, count) in more.counts {
            *entry.counts.entry(of).or_default() += count;
        }
        entry.last_at = entry.last_at.max(more.last_at);
        is_new
    }

    /// What is to be written; forgets the package when there is nothing.
    fn take(&self, package_id: i64) -> Option<Pending> {
        let mut pending = self.pending();
        let entry = pending.get_mut(&package_id)?;
        if entry.counts.is_empty() {
            pending.remove(&package_id);
            return None;
        }
        Some(std::mem::take(entry))
    }

    fn pending(&self) -> MutexGuard<'_, HashMap<i64, Pending>> {
        self.pending.lock().expect("nothing that holds the lock can panic")
    }
}
