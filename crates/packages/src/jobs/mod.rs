//! Removing what was deleted: rows first, then blobs nothing names any more.

mod cleanup;

use crate::store::files;
pub use crate::store::files::{hand_over, sizes};
use crate::tasks::{
    ApplyRule, CleanProject, Cleanup, DropVersions, Purge, PurgeFile, PurgeSome, ReleaseBlobs,
};
use kernel::app::App;
use kernel::blobs_sweep;
use kernel::error::{BestEffort, Result};
use kernel::jobs::{Failure, Job, RegistryBuilder, Run, enqueue_at};
use store::Tx;

/// Rows one transaction removes.
const BATCH: i64 = 500;
/// How often forgotten blobs are looked for, in seconds.
const RELEASE_EVERY: i64 = 6 * 60 * 60;

pub fn register(registry: &mut RegistryBuilder) {
    registry.add::<Purge>();
    registry.add::<PurgeFile>();
    registry.add::<DropVersions>();
    registry.add_periodic::<ReleaseBlobs>(RELEASE_EVERY);
    registry.add_periodic::<Cleanup>(cleanup::EVERY);
    registry.add::<CleanProject>();
    registry.add::<ApplyRule>();
    registry.add::<PurgeSome>();
}

impl Job for Purge {
    const NAME: &'static str = "packages.purge";

    async fn run(self, run: Run) -> Result<(), Failure> {
        purge(&run.app, self.package).await
    }
}

impl Job for PurgeSome {
    const NAME: &'static str = "packages.purge_some";

    async fn run(self, run: Run) -> Result<(), Failure> {
        for package in self.packages {
            purge(&run.app, package).await?;
        }
        Ok(())
    }
}

async fn purge(app: &App, package: i64) -> Result<(), Failure> {
    loop {
        let work = app.write(move |tx| {
            let keys = files::remove_some(tx, package, BATCH)?;
            Ok((keys.len(), files::release(tx, &keys)?))
        });
        let (removed, gone) = work.await?;
        forget(app, gone).await;
        if (removed as i64) < BATCH {
            break;
        }
    }
    app.write(move |tx| files::remove_package(tx, package)).await?;
    Ok(())
}

impl Job for PurgeFile {
    const NAME: &'static str = "packages.purge_file";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let file = self.file;
        let gone = run
            .app
            .write(move |tx| {
                let keys = files::remove_destroyed(tx, file)?;
                files::release(tx, &keys)
            })
            .await?;
        forget(&run.app, gone).await;
        Ok(())
    }
}

impl Job for ReleaseBlobs {
    const NAME: &'static str = "packages.release_blobs";

    fn dedupe_key(&self) -> Option<String> {
        Some("one".into())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let mut after = String::new();
        loop {
            let from = after.clone();
            let keys = run.app.read(move |tx| files::unreferenced(tx, &from, BATCH)).await?;
            let Some(last) = keys.last() else {
                return Ok(());
            };
            after.clone_from(last);
            let gone = run.app.write(move |tx| files::release(tx, &keys)).await?;
            forget(&run.app, gone).await;
        }
    }
}

/// What a deleted project holds of packages.
pub const CONTENTS: spaces::hooks::Contents = spaces::hooks::Contents {
    count: files::packages_in,
    remove: files::remove_from_project,
};

/// Follows the destruction of a project: its rows go with it, their blobs
/// are released soon after.
pub fn project_destroying(tx: &mut Tx<'_>, _project_id: i64) -> Result<()> {
    release_soon(tx)
}

/// Has blobs released whose files somebody removed just now.
pub fn release_soon(tx: &mut Tx<'_>) -> Result<()> {
    let soon = tx.now() + jiff::SignedDuration::from_secs(60);
    enqueue_at(tx, &ReleaseBlobs {}, soon)
}

/// Removes the bytes of blobs whose rows are gone, unless they are young; the
/// sweep of the blob store takes those later.
async fn forget(app: &App, keys: Vec<String>) {
    blobs_sweep::remove_unused(app, keys).await.best_effort("remove unused blobs");
}
