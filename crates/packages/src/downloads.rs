//! Counters of downloads, which cost at most one write a minute per package
//! and node (contract 1.4).
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
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::RwLock;

/// Shortest time between two writes of a package's counters.
const COUNT_EVERY: Duration = Duration::from_secs(60);

/// A package of a server; several servers share a process in tests.
type Key = (PathBuf, i64);

/// Downloads not yet written.
#[derive(Default)]
struct Pending {
    /// By file and day.
    counts: HashMap<(i64, String), i64>,
    last_at: Timestamp,
}

/// An entry exists while a task is about to write it.
static PENDING: LazyLock<Mutex<HashMap<Key, Pending>>> = LazyLock::new(Mutex::default);

/// Held for reading by whoever has taken counts and not yet written them.
static WRITING: RwLock<()> = RwLock::const_new(());

/// Counts one download: the first at once, those within the next minute
/// together at its end.
pub fn count(app: &App, file: &PackageFile) {
    let now = app.now();
    let one = Pending {
        counts: HashMap::from([((file.id, date_of(now).to_string()), 1)]),
        last_at: now,
    };
    let key = (app.config().data_dir.clone(), file.package_id);
    if add(key.clone(), one) {
        tokio::spawn(write_regularly(app.clone(), key));
    }
}

/// Writes all that this server has counted and not written.
pub async fn flush(app: &App) {
    let _alone = WRITING.write().await;
    let counted: Vec<(Key, Pending)> = pending()
        .extract_if(|(server, _), _| *server == app.config().data_dir)
        .collect();
    for ((_, package_id), counted) in counted {
        write(app, package_id, &counted)
            .await
            .best_effort("count package downloads");
    }
}

async fn write_regularly(app: App, key: Key) {
    loop {
        let writing = WRITING.read().await;
        let Some(counted) = take(&key) else { return };
        if let Err(error) = write(&app, key.1, &counted).await {
            tracing::warn!(%error, "package downloads are counted later");
            add(key.clone(), counted);
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

/// Adds to what is pending; whether nothing was.
fn add(key: Key, more: Pending) -> bool {
    let mut pending = pending();
    let is_new = !pending.contains_key(&key);
    let entry = pending.entry(key).or_default();
    for (of, count) in more.counts {
        *entry.counts.entry(of).or_default() += count;
    }
    entry.last_at = entry.last_at.max(more.last_at);
    is_new
}

/// What is to be written; forgets the package when there is nothing.
fn take(key: &Key) -> Option<Pending> {
    let mut pending = pending();
    let entry = pending.get_mut(key)?;
    if entry.counts.is_empty() {
        pending.remove(key);
        return None;
    }
    Some(std::mem::take(entry))
}

fn pending() -> MutexGuard<'static, HashMap<Key, Pending>> {
    PENDING
        .lock()
        .expect("nothing that holds the lock can panic")
}
