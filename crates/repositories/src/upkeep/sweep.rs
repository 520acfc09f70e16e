//! Packs that others replaced are kept for a while: a copy may be made of them just now,
//! by a node that has read their rows already. Then their rows go, and their bytes with
//! them.

use crate::cache;
use crate::store::packs;
use kernel::app::App;
use kernel::error::{BestEffort, Result};
use kernel::jobs::{Failure, Job, Run};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;

/// How often that is looked for, in seconds.
pub(super) const EVERY: i64 = 6 * 3600;
/// How long a pack that was replaced is kept, in seconds.
const KEPT: i64 = 24 * 3600;
/// Packs that one transaction removes.
const BATCH: i64 = 500;
/// Age from which the folder of a push is a leftover: none may take so long.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// Removes packs that were replaced long ago, and what ended servers left.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Sweep {}

impl Job for Sweep {
    const NAME: &'static str = "repositories.sweep";

    fn dedupe_key(&self) -> Option<String> {
        Some("one".into())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let app = run.app;
        let before = app.now() - jiff::SignedDuration::from_secs(KEPT);
        while app.write(move |tx| packs::remove_retired(tx, before, BATCH)).await? > 0 {}
        forget_pushes(&app).await;
        Ok(())
    }
}

async fn forget_pushes(app: &App) {
    let folder = cache::root(app).with_file_name("pushes");
    let swept = tokio::task::spawn_blocking(move || sweep(&folder)).await;
    swept.best_effort("remove what is left of pushes");
}

fn sweep(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|data| data.modified()).map(|at| at.elapsed());
        let is_left = matches!(age, Ok(Ok(age)) if age > ABANDONED);
        if is_left {
            std::fs::remove_dir_all(entry.path()).best_effort("remove what is left of a push");
        }
    }
}
