//! Pushes whose pointers lead to nothing: their clones would lack files, so they are
//! refused. Only new objects are looked at, and of these only what may be a pointer.

use super::pointer::{MAX_POINTER, MIN_POINTER, Pointer};
use super::settings::LfsSettings;
use super::store;
use crate::git::{PATIENCE, objects_of};
use crate::receive::objects::Quarantine;
use kernel::app::App;
use kernel::error::{Error, Result};
use std::collections::HashSet;
use tokio::io::{AsyncBufReadExt, BufReader};

/// What its user is told.
pub const MISSING: &str = "LFS objects are missing. Ensure LFS is properly set up or try a manual \
     \"git lfs push --all\".";
/// Objects read by one git.
const BATCH: usize = 10_000;
/// Bytes that git answers to one object beside its content.
const HEADER: usize = 64;

/// Whether a push brings a pointer to what the project does not have.
pub async fn are_some(app: &App, project: i64, quarantine: &Quarantine) -> Result<bool> {
    let settings: LfsSettings = app.settings().get(app).await?;
    if !quarantine.has_objects() || !settings.enabled {
        return Ok(false);
    }
    let small = small(app, quarantine).await?;
    for ids in small.chunks(BATCH) {
        let oids: HashSet<String> = pointers(app, quarantine, ids).await?;
        let oids: Vec<String> = oids.into_iter().collect();
        let count = oids.len();
        let there = match count {
            0 => 0,
            _ => app.read(move |tx| Ok(store::among(tx, project, &oids)?.len())).await?,
        };
        if there < count {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The new objects that have the size of a pointer.
async fn small(app: &App, quarantine: &Quarantine) -> Result<Vec<String>> {
    let listing = quarantine.alone(app).await?.args([
        "cat-file",
        "--batch-all-objects",
        "--unordered",
        "--batch-check=%(objecttype) %(objectsize) %(objectname)",
    ]);
    let mut running = listing.start()?;
    drop(running.stdin());
    let mut small = Vec::new();
    if let Some(stdout) = running.stdout() {
        let mut lines = BufReader::new(stdout).lines();
        while let Some(line) = lines.next_line().await? {
            small.extend(small_blob(&line).map(str::to_owned));
        }
    }
    running.end().await?.check("git cat-file")?;
    Ok(small)
}

fn small_blob(line: &str) -> Option<&str> {
    let (size, id) = line.strip_prefix("blob ")?.split_once(' ')?;
    let size: u64 = size.parse().ok()?;
    (MIN_POINTER..MAX_POINTER).contains(&size).then_some(id)
}

/// What those of these objects that are pointers lead to.
async fn pointers(app: &App, quarantine: &Quarantine, ids: &[String]) -> Result<HashSet<String>> {
    let most = ids.len() * (MAX_POINTER as usize + HEADER);
    let asked = ids.join("\n") + "\n";
    let reading = quarantine.alone(app).await?.args(["cat-file", "--batch"]);
    let answered = reading.ask(asked.into_bytes(), most, PATIENCE).await?;
    answered.ended.check("git cat-file")?;
    let mut oids = HashSet::new();
    for content in objects_of(&answered.output) {
        let content = content.ok_or_else(|| Error::internal("git tells no object"))?;
        oids.extend(Pointer::read(content).map(|pointer| pointer.oid));
    }
    Ok(oids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_small_blobs_may_be_pointers() {
        let id = "a".repeat(40);
        assert_eq!(small_blob(&format!("blob 130 {id}")), Some(id.as_str()));
        assert_eq!(small_blob(&format!("blob 1024 {id}")), None);
        assert_eq!(small_blob(&format!("tree 130 {id}")), None);
    }
}
