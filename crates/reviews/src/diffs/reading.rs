//! Asks git what differs, and remembers what it said lately.

use super::limits::{DiffLimits, few, whole};
use code::caching::by_bytes;
use kernel::app::App;
use kernel::error::Result;
use moka::sync::Cache;
use repositories::diffs::{self, Asked, Diffs, FileDiff, Limits};
use repositories::formats::object_id::ObjectId;
use std::sync::Arc;
use std::time::Duration;

/// Bytes of all that is remembered.
const ALL: u64 = 64 * 1024 * 1024;
/// Bytes of a file beside its texts.
const ENTRY: usize = 256;
/// Files of which so many parts in a hundred are alike are one that was renamed.
const ALIKE: u8 = 30;
/// How long is waited for all of it.
const PATIENCE: Duration = Duration::from_secs(30);

/// Two commits of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pair {
    pub repository: i64,
    pub old: ObjectId,
    pub new: ObjectId,
}

/// How much is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extent {
    /// What a merge request may have; the rest is left out.
    Limited,
    /// All that a server can hold; the text of what is behind that is collapsed.
    Whole,
    /// Which files differ, as many as a server can hold, without their texts.
    Names,
}

/// How two commits are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reading {
    pub extent: Extent,
    /// Lines that only differ in how much white space is where there is some are the same.
    pub ignores_space: bool,
}

impl Reading {
    /// Line by line, to this extent.
    pub fn of(extent: Extent) -> Reading {
        Reading { extent, ignores_space: false }
    }
}

type Key = (Pair, Reading, DiffLimits);

/// What was read lately.
struct Recent(Cache<Key, Arc<Diffs>>);

impl Default for Recent {
    fn default() -> Recent {
        Recent(by_bytes(ALL, size))
    }
}

fn size(_: &Key, diffs: &Arc<Diffs>) -> usize {
    let of_file =
        |file: &FileDiff| file.text.len() + file.old_path.len() + file.new_path.len() + ENTRY;
    diffs.files.iter().map(of_file).sum()
}

/// What differs between two commits of a repository, in git's order.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn read(app: &App, pair: Pair, reading: Reading) -> Result<Arc<Diffs>> {
    if pair.old == pair.new {
        return Ok(Arc::default());
    }
    let limits: DiffLimits = app.settings().get(app).await?;
    let (key, recent) = ((pair, reading, limits), app.kept::<Recent>());
    if let Some(found) = recent.0.get(&key) {
        return Ok(found);
    }
    let asked = match reading.extent {
        Extent::Limited => Asked { limits: limits.hard(), stops_when_full: true, ..usual() },
        Extent::Whole => Asked { limits: whole(), ..usual() },
        Extent::Names => Asked { limits: whole(), names_only: true, ..usual() },
    };
    let asked = Asked { ignores_space: reading.ignores_space, ..asked };
    let found = Arc::new(ask(app, pair, &asked).await?);
    recent.0.insert(key, found.clone());
    Ok(found)
}

/// The same of what is at some paths alone; a file that was renamed came or went then.
///
/// # Errors
///
/// As [`read`].
pub async fn read_paths(app: &App, pair: Pair, paths: Vec<String>) -> Result<Arc<Diffs>> {
    if pair.old == pair.new || paths.is_empty() {
        return Ok(Arc::default());
    }
    let limits = Limits { file_bytes: 16 * 1024 * 1024, ..whole() };
    let asked = Asked { limits, paths, ..usual() };
    ask(app, pair, &asked).await.map(Arc::new)
}

/// What pages read of some files by themselves.
#[derive(Debug, Clone, Default)]
pub struct SomeFiles {
    /// Their paths on both sides.
    pub paths: Vec<String>,
    pub ignores_space: bool,
    /// Equal lines around each change, if not the usual number.
    pub context: Option<u32>,
}

/// What differs of some files, longer ones among them than all together may be.
///
/// # Errors
///
/// As [`read`].
pub async fn read_some(app: &App, pair: Pair, some: SomeFiles) -> Result<Diffs> {
    if pair.old == pair.new || some.paths.is_empty() {
        return Ok(Diffs::default());
    }
    let asked = Asked {
        limits: few(),
        paths: some.paths,
        ignores_space: some.ignores_space,
        context: some.context,
        ..usual()
    };
    ask(app, pair, &asked).await
}

fn usual() -> Asked {
    Asked {
        renames: Some(ALIKE),
        patience: Some(PATIENCE),
        ..Asked::default()
    }
}

async fn ask(app: &App, pair: Pair, asked: &Asked) -> Result<Diffs> {
    diffs::compare(app, pair.repository, Some(pair.old), pair.new, asked).await
}
