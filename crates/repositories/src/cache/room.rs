//! How much of the disk copies take: those that were not asked for longest go first.

use super::{Copies, Named, root};
use kernel::app::App;
use kernel::error::BestEffort;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

/// Looks after a copy grew whether all of them are within their bounds, beside the
/// request.
pub(super) fn make(app: &App, grown: Named) {
    let app = app.clone();
    tokio::spawn(async move { evict(&app, grown).await });
}

/// A copy and what it takes.
struct Sized {
    named: Named,
    bytes: u64,
    at: i64,
}

async fn evict(app: &App, grown: Named) {
    let folder = root(app);
    forget_older(app, grown).await;
    let Ok(mut found) = tokio::task::spawn_blocking(move || sizes(&folder)).await else {
        return;
    };
    let mut total: u64 = found.iter().map(|(_, bytes)| bytes).sum();
    if total <= app.config().cache_size {
        return;
    }
    let mut oldest: Vec<Sized> = found.drain(..).map(|one| sized(app, one)).collect();
    oldest.sort_by_key(|one| one.at);
    for one in oldest.into_iter().filter(|one| one.named != grown) {
        if total <= app.config().cache_size {
            return;
        }
        if remove(app, one.named).await {
            total = total.saturating_sub(one.bytes);
        }
    }
}

/// Deletes the copies of epochs before.
async fn forget_older(app: &App, grown: Named) {
    let older: Vec<Named> = {
        let known = app.kept::<Copies>();
        let known = known.known.lock().unwrap_or_else(PoisonError::into_inner);
        let is_older = |one: &&Named| one.repository == grown.repository && one.epoch < grown.epoch;
        known.keys().filter(is_older).copied().collect()
    };
    for one in older {
        remove(app, one).await;
    }
}

fn sized(app: &App, (named, bytes): (Named, u64)) -> Sized {
    let known = app.kept::<Copies>();
    let known = known.known.lock().unwrap_or_else(PoisonError::into_inner);
    let at = known.get(&named).map_or(0, |one| one.at.load(Ordering::Relaxed));
    Sized { named, bytes, at }
}

/// Deletes a copy unless somebody uses it.
async fn remove(app: &App, named: Named) -> bool {
    let known = app.kept::<Copies>().of(named);
    let Ok(_alone) = known.used.try_write() else {
        return false;
    };
    *known.refs.lock().await = None;
    known.close();
    let removed = tokio::fs::remove_dir_all(named.folder(app)).await;
    let is_gone = removed.is_ok();
    removed.best_effort("remove the copy of a repository");
    is_gone
}

fn sizes(root: &Path) -> Vec<(Named, u64)> {
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    let numbered = entries.filter_map(|entry| {
        let named = Named::of_folder(entry.file_name().to_str()?)?;
        Some((named, bytes_in(&entry.path())))
    });
    numbered.collect()
}

fn bytes_in(folder: &Path) -> u64 {
    let packs: PathBuf = folder.join("objects").join("pack");
    let entries = std::fs::read_dir(packs).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some(entry.metadata().ok()?.len())).sum()
}
