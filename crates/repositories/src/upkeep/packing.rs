//! Packs made of packs: git writes them apart, and they become blobs.

use crate::cache::{LocalCopy, Workbench};
use crate::git::Git;
use crate::store::packs::NewPack;
use kernel::app::App;
use kernel::error::Result;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long git may take for a pack.
const PATIENCE: Duration = Duration::from_secs(4 * 3600);
/// Bytes of the digests that it answers with.
const ANSWER: usize = 64 * 1024;

/// Has git make a pack of what it is told, in this storage; none where that is nothing.
pub(super) async fn pack(
    app: &App, copy: &LocalCopy, storage: &str, of: &[&str], told: String,
) -> Result<Option<NewPack>> {
    let bench = Workbench::new(app, "pack").await?;
    let base = bench.folder().join("pack");
    let packing = app
        .kept::<Git>()
        .at(app, copy.folder())
        .await?
        .args(["pack-objects", "--quiet", "--non-empty", "--delta-base-offset"])
        .args(of)
        .args([&base]);
    let answered = packing.ask(told.into_bytes(), ANSWER, PATIENCE).await?;
    answered.ended.check("git pack-objects")?;
    let name = String::from_utf8_lossy(&answered.output).trim().to_owned();
    match name.is_empty() {
        true => Ok(None),
        false => stored(app, storage, &base, name).await.map(Some),
    }
}

async fn stored(app: &App, storage: &str, base: &Path, name: String) -> Result<NewPack> {
    let file = |ending: &str| PathBuf::from(format!("{}-{name}.{ending}", base.display()));
    let storage = app.blobs().storage(storage)?;
    let pack = storage.put_file(&file("pack")).await?;
    let index = storage.put_file(&file("idx")).await?;
    Ok(NewPack { name, pack, index })
}
