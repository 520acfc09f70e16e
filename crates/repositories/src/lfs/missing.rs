//! Pushes whose pointers lead to nothing: their clones would lack files, so they are
//! refused. Only new objects are looked at, and of these only what may be a pointer.

use super::pointer::{MAX_POINTER, MIN_POINTER, Pointer};
use super::settings::LfsSettings;
use super::store;
use crate::git::{PATIENCE, objects_of};
use crate::receive::objects::Quarantine;
use kernel::app::App;
use kernel::error::{Error, Result};
use std::collections::HashMap;
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
    Ok(!absent(app, project, quarantine, 1).await?.is_empty())
}

/// What new objects lead to and the project does not have, so many at most.
pub(super) async fn absent(
    app: &App, project: i64, quarantine: &Quarantine, most: usize,
) -> Result<Vec<Pointer>> {
    let settings: LfsSettings = app.settings().get(app).await?;
    let mut absent = Vec::new();
    if !quarantine.has_objects() || !settings.enabled {
        return Ok(absent);
    }
    let small = small(app, quarantine).await?;
    for ids in small.chunks(BATCH) {
        let mut named = pointers(app, quarantine, ids).await?;
        let oids: Vec<String> = named.keys().cloned().collect();
        if !oids.is_empty() {
            let there = app.read(move |tx| store::among(tx, project, &oids)).await?;
            there.iter().for_each(|one| drop(named.remove(&one.oid)));
        }
        absent.extend(named.into_values());
        if absent.len() >= most {
            break;
        }
    }
    absent.truncate(most);
    Ok(absent)
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

/// What those of these objects that are pointers lead to, by its digest.
async fn pointers(
    app: &App, quarantine: &Quarantine, ids: &[String],
) -> Result<HashMap<String, Pointer>> {
    let most = ids.len() * (MAX_POINTER as usize + HEADER);
    let asked = ids.join("\n") + "\n";
    let reading = quarantine.alone(app).await?.args(["cat-file", "--batch"]);
    let answered = reading.ask(asked.into_bytes(), most, PATIENCE).await?;
    answered.ended.check("git cat-file")?;
    let mut found = HashMap::new();
    for content in objects_of(&answered.output) {
        let content = content.ok_or_else(|| Error::internal("git tells no object"))?;
        found.extend(Pointer::read(content).map(|pointer| (pointer.oid.clone(), pointer)));
    }
    Ok(found)
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
