//! Whether repositories are whole, for `tenon check`: git itself looks.

use crate::cache::{self, Having};
use crate::git::Git;
use crate::moves;
use crate::store;
use kernel::app::App;
use kernel::error::{Error, Result};
use std::time::Duration;

/// Repositories read at once.
const BATCH: i64 = 500;
/// How long git may take for one.
const PATIENCE: Duration = Duration::from_secs(4 * 3600);
/// Most of what git says of one that is read.
const MOST: usize = 1024 * 1024;
/// Sentences about one repository.
const TOLD: usize = 10;

/// Has git look through every repository (`git fsck`), with every object read if
/// `contents` is set, else with its refs alone; what is wrong, a sentence each.
/// `progress` is told how many of how many are done.
pub async fn run(
    app: &App, contents: bool, mut progress: impl FnMut(u64, u64) + Send,
) -> Result<Vec<String>> {
    let total = app.read(store::count).await? as u64;
    progress(0, total);
    let (mut problems, mut done, mut after) = (app.read(moves::check::problems).await?, 0, 0);
    loop {
        let ids = app.read(move |tx| store::ids_after(tx, after, BATCH)).await?;
        let Some(last) = ids.last() else {
            return Ok(problems);
        };
        after = *last;
        for id in ids {
            problems.extend(check(app, id, contents).await?);
            done += 1;
            progress(done, total);
        }
    }
}

async fn check(app: &App, repository: i64, contents: bool) -> Result<Vec<String>> {
    let copy = match cache::copy(app, repository, Having::ObjectsAndRefs).await {
        // It was deleted beside this.
        Err(Error::NotFound(_)) => return Ok(Vec::new()),
        // What its packs lack is told of their blobs already.
        Err(Error::Internal(cause)) => {
            return Ok(vec![format!("repository {repository} cannot be read: {cause}")]);
        }
        copy => copy?,
    };
    let depth = if contents { "--full" } else { "--connectivity-only" };
    let looked = app
        .kept::<Git>()
        .at(app, copy.folder())
        .await?
        .args(["fsck", depth, "--no-dangling", "--no-progress", "--no-reflogs"])
        .ask(Vec::new(), MOST, PATIENCE)
        .await?;
    if looked.ended.succeeded {
        return Ok(Vec::new());
    }
    let said = [String::from_utf8_lossy(&looked.output).as_ref(), &looked.ended.said].concat();
    let lines = said.lines().filter(|line| !line.is_empty());
    Ok(lines
        .take(TOLD)
        .map(|line| format!("repository {repository}: {line}"))
        .collect())
}
