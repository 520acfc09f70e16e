//! What git notes of a history beside it (git-commit-graph), so that walks through many
//! commits, and through those of one path, need not read each of them.

use super::{Copies, LocalCopy, Named};
use crate::git::Git;
use kernel::app::App;
use kernel::error::{BestEffort, Result};
use std::time::Duration;

/// Bytes that have to come before it is worth writing: some thousand commits.
pub(super) const WORTH: i64 = 1024 * 1024;
/// How long git may take for it.
const PATIENCE: Duration = Duration::from_secs(600);
/// Most that it says.
const SAID: usize = 64 * 1024;

/// Writes it after a copy grew, beside the request.
pub(super) fn write(app: &App, grown: Named) {
    let app = app.clone();
    tokio::spawn(async move {
        let known = app.kept::<Copies>().of(grown);
        // Who writes already has most of it.
        let Ok(_alone) = known.graph.try_lock() else {
            return;
        };
        let used = known.used.clone().read_owned().await;
        let copy = LocalCopy::of(&app, grown, used);
        write_in(&app, &copy).await.best_effort("note the history of a repository");
    });
}

async fn write_in(app: &App, copy: &LocalCopy) -> Result<()> {
    // Of a server that was killed: nobody else writes here.
    let left = copy.folder().join("objects/info/commit-graph.lock");
    let _ = tokio::fs::remove_file(left).await;
    let seat = app.kept::<Git>().seat().await?;
    let writing = app.kept::<Git>().at(app, copy.folder()).await?;
    let written = writing
        .args(["commit-graph", "write", "--changed-paths", "--no-progress"])
        .ask(Vec::new(), SAID, PATIENCE)
        .await?;
    drop(seat);
    written.ended.check("git commit-graph")
}
