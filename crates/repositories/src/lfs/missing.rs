//! Pushes whose pointers lead to nothing: their clones would lack files, so they are
//! refused. Only new objects are looked at, and of these only what may be a pointer.

use super::pointer::{MAX_POINTER, MIN_POINTER, Pointer};
use super::settings::LfsSettings;
use super::store;
use crate::cache::LocalCopy;
use crate::git::{Git, PATIENCE, objects_of};
use crate::receive::objects::Quarantine;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::programs::Invocation;
use std::collections::{HashMap, HashSet};
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
    let new = Among::New(quarantine);
    let small = small(app, &new, None).await?;
    for ids in small.chunks(BATCH) {
        let named = pointers(app, &new, ids).await?;
        let mut named: HashMap<String, Pointer> =
            named.into_iter().map(|(_, pointer)| (pointer.oid.clone(), pointer)).collect();
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

/// A part of what pointers of a repository lead to that the project does not have.
#[derive(Debug, Default)]
pub(super) struct Lacked {
    pub pointers: Vec<Pointer>,
    /// The object behind which the next part begins; none at the end.
    pub next: Option<String>,
}

/// What a repository leads to and the project does not have: so many at most, of the
/// objects that follow one, in the order of their names.
pub(super) async fn after(
    app: &App, project: i64, copy: &LocalCopy, (after, most): (Option<&str>, usize),
) -> Result<Lacked> {
    let all = Among::All(copy);
    let ids = small(app, &all, Some(after.unwrap_or_default())).await?;
    let named = pointers(app, &all, &ids).await?;
    let oids: Vec<String> = named.iter().map(|(_, pointer)| pointer.oid.clone()).collect();
    let mut known: HashSet<String> = match oids.is_empty() {
        true => HashSet::new(),
        false => {
            let there = app.read(move |tx| store::among(tx, project, &oids)).await?;
            there.into_iter().map(|one| one.oid).collect()
        }
    };
    let mut lacked = Lacked::default();
    for (id, pointer) in named {
        if !known.insert(pointer.oid.clone()) {
            continue;
        }
        lacked.pointers.push(pointer);
        if lacked.pointers.len() >= most {
            lacked.next = Some(id);
            return Ok(lacked);
        }
    }
    lacked.next = ids.into_iter().nth(BATCH - 1);
    Ok(lacked)
}

/// Where pointers are looked for.
enum Among<'a> {
    /// In the objects of a push.
    New(&'a Quarantine),
    /// In all objects of a repository.
    All(&'a LocalCopy),
}

impl Among<'_> {
    async fn git(&self, app: &App) -> Result<Invocation> {
        match self {
            Among::New(quarantine) => quarantine.alone(app).await,
            Among::All(copy) => app.kept::<Git>().at(app, copy.folder()).await,
        }
    }
}

/// The objects that have the size of a pointer: all, or the next ones behind one by name.
async fn small(app: &App, among: &Among<'_>, after: Option<&str>) -> Result<Vec<String>> {
    let order = if after.is_none() { Some("--unordered") } else { None };
    let listing = among.git(app).await?.args(["cat-file", "--batch-all-objects"]).args(order);
    let mut running = listing
        .args(["--batch-check=%(objecttype) %(objectsize) %(objectname)"])
        .start()?;
    drop(running.stdin());
    let mut small = Vec::new();
    if let Some(stdout) = running.stdout() {
        let mut lines = BufReader::new(stdout).lines();
        while let Some(line) = lines.next_line().await? {
            let is_next = |id: &&str| after.is_none_or(|after| *id > after);
            small.extend(small_blob(&line).filter(is_next).map(str::to_owned));
            if after.is_some() && small.len() >= BATCH {
                // What git would tell next is for another time.
                return Ok(small);
            }
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

/// Those of these objects that are pointers.
async fn pointers(app: &App, among: &Among<'_>, ids: &[String]) -> Result<Vec<(String, Pointer)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let most = ids.len() * (MAX_POINTER as usize + HEADER);
    let asked = ids.join("\n") + "\n";
    let reading = among.git(app).await?.args(["cat-file", "--batch"]);
    let answered = reading.ask(asked.into_bytes(), most, PATIENCE).await?;
    answered.ended.check("git cat-file")?;
    let mut found = Vec::new();
    for (id, content) in ids.iter().zip(objects_of(&answered.output)) {
        let content = content.ok_or_else(|| Error::internal("git tells no object"))?;
        found.extend(Pointer::read(content).map(|pointer| (id.clone(), pointer)));
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
