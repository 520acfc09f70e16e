//! The files that stand in the way of a merge, for pages that name them: the same two heads
//! have the same conflicts, so they are remembered.

use super::Heads;
use super::trees::{self, Check};
use code::caching::by_bytes;
use kernel::app::App;
use kernel::error::{Error, Result};
use moka::sync::Cache;
use repositories::edits::merges::{Conflict, Conflicts};
use repositories::model::Repository;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Bytes of all that is remembered.
const ALL: u64 = 4 * 1024 * 1024;
/// How long a page waits for them.
const PATIENCE: Duration = Duration::from_secs(5);

type Key = (i64, Heads);

/// What was found lately.
struct Recent(Cache<Key, Arc<Conflicts>>);

impl Default for Recent {
    fn default() -> Recent {
        Recent(by_bytes(ALL, size))
    }
}

fn size(_: &Key, conflicts: &Arc<Conflicts>) -> usize {
    conflicts.files.iter().map(|file: &Conflict| file.path.len() + 32).sum()
}

/// The conflicts between two heads that are in a repository; none if they are not found
/// quickly.
///
/// # Errors
///
/// `NotFound` if one of the heads is not in the repository.
pub async fn quickly(
    app: &App, repository: &Repository, heads: Heads,
) -> Result<Option<Arc<Conflicts>>> {
    let (key, recent) = ((repository.id, heads), app.kept::<Recent>());
    if let Some(found) = recent.0.get(&key) {
        return Ok(Some(found));
    }
    let found = match timeout(PATIENCE, trees::check(app, repository, heads)).await {
        Err(_) | Ok(Err(Error::Unavailable(_))) => return Ok(None),
        Ok(found) => found?,
    };
    let found = match found {
        Check::Conflicts(conflicts) => Arc::new(conflicts),
        Check::Mergeable(_) | Check::NothingToMerge => Arc::default(),
    };
    recent.0.insert(key, found.clone());
    Ok(Some(found))
}
