//! What a version of a merge request stores of its two sides.

use super::patch_id;
use super::reading::{Extent, Pair, Reading, read};
use kernel::app::App;
use kernel::error::Result;
use repositories::diffs::Diffs;
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::{self, Commit, Objects, Order, Walk};
use std::collections::BTreeSet;

/// Commits that are read.
pub const MOST_COMMITS: usize = 1_000;
/// Commits that are counted.
const MOST_COUNTED: usize = 100_000;

/// Two sides compared.
#[derive(Debug, Clone)]
pub struct Compared {
    /// The last commit that both have; the start itself where they have none.
    pub base: ObjectId,
    /// Files that differ, as many as are read.
    pub files_count: i64,
    /// More differs than is read: files, lines, bytes or time were over.
    pub is_overflow: bool,
    /// The newest first, at most [`MOST_COMMITS`].
    pub commits: Vec<Commit>,
    /// Of at most 100,000.
    pub commits_count: i64,
    /// Paths of the files that differ, on either side, each once.
    pub paths: Vec<String>,
    /// None where nothing differs.
    pub patch_id: Option<String>,
}

impl Compared {
    /// How many files differ, as clients read it: `12`, `1000+`.
    pub fn real_size(&self) -> String {
        format!("{}{}", self.files_count, if self.is_overflow { "+" } else { "" })
    }
}

/// What leads from one side to the other.
struct Between {
    base: ObjectId,
    commits: Vec<Commit>,
    count: usize,
}

/// Compares where the target branch is with the head of the source; both have to be in the
/// repository.
///
/// # Errors
///
/// `Unavailable` if too many read at once.
pub async fn compare(
    app: &App, repository: &Repository, start: ObjectId, head: ObjectId,
) -> Result<Compared> {
    let found = objects::read(app, repository, move |objects| between(objects, start, head));
    let Between { base, commits, count } = found.await?;
    let pair = Pair { repository: repository.id, old: base, new: head };
    let diffs = read(app, pair, Reading::of(Extent::Limited)).await?;
    Ok(Compared {
        base,
        files_count: number(diffs.files.len()),
        is_overflow: diffs.overflow,
        commits,
        commits_count: number(count),
        paths: paths(&diffs),
        patch_id: patch_id::of(&diffs, head),
    })
}

/// The paths at which two versions change other lines, each from its base to its head.
///
/// # Errors
///
/// As [`compare`].
pub async fn touched(
    app: &App, repository: &Repository, before: (ObjectId, ObjectId), after: (ObjectId, ObjectId),
) -> Result<Vec<String>> {
    let pair = |(old, new)| Pair { repository: repository.id, old, new };
    let reading = Reading::of(Extent::Limited);
    let old = read(app, pair(before), reading).await?;
    let new = read(app, pair(after), reading).await?;
    Ok(patch_id::touched(&old, &new))
}

fn between(objects: &Objects, start: ObjectId, head: ObjectId) -> Result<Between> {
    let base = objects.merge_base(start, head)?.unwrap_or(start);
    let walk = Walk {
        from: vec![head],
        without: vec![start],
        order: Order::Newest,
        ..Walk::default()
    };
    let ids = objects.history(&walk)?.take(MOST_COUNTED).collect::<Result<Vec<_>>>()?;
    let read = ids.get(..MOST_COMMITS).unwrap_or(&ids);
    Ok(Between { base, commits: objects.commits(read)?, count: ids.len() })
}

fn paths(diffs: &Diffs) -> Vec<String> {
    let both = diffs.files.iter().flat_map(|file| [&file.old_path, &file.new_path]);
    let once: BTreeSet<&String> = both.collect();
    once.into_iter().cloned().collect()
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
