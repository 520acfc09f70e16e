//! What differs between two commits, as the program git tells it, within bounds.
//!
//! ```ignore
//! // What a commit changed beside its first parent, or beside nothing:
//! let diffs = diffs::of_commit(&app, repository.id, &commit, Limits::default()).await?;
//! // What is in one tree (or commit) and not in another; `None` is nothing at all:
//! let diffs = diffs::between(&app, repository.id, Some(old), new, Limits::default()).await?;
//! // The same without changes of white space, or of some files alone:
//! let asked = Asked { ignores_space: true, ..Asked::default() };
//! let diffs = diffs::compare(&app, repository.id, Some(old), new, &asked).await?;
//! // As merge requests ask: files of which a third is alike were renamed, and what is
//! // behind the bounds is left out.
//! let asked = Asked { renames: Some(30), stops_when_full: true, ..Asked::default() };
//! // Lines between the trees of many commits and their parents, by one process:
//! let stats = diffs::stats(&app, repository.id, &[(Some(parent.tree), commit.tree)]).await?;
//! ```

mod parse;

use crate::cache::{self, Having};
use crate::formats::object_id::ObjectId;
use crate::git::{Git, PATIENCE};
use crate::objects::Commit;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::programs::Invocation;
pub(crate) use parse::Parser;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::time::{Instant, timeout, timeout_at};

/// The tree without anything, which git knows without having it.
pub const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
/// Most bytes that are read of what git tells.
const MOST_READ: usize = 256 * 1024 * 1024;
/// Bytes read at once.
const CHUNK: usize = 64 * 1024;
/// Files that came and went, beyond which those that are alike are not looked for: each
/// is compared with each.
const MOST_RENAMES: &str = "-l1000";

/// How much is kept of what differs.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Files; those behind them are left out, and there is an overflow.
    pub files: usize,
    /// Lines of all files; the text of further ones is collapsed.
    pub lines: usize,
    /// Bytes of all files; the text of further ones is collapsed.
    pub bytes: usize,
    /// Bytes of one file: a larger one is too large.
    pub file_bytes: usize,
    /// Bytes of one file: the text of a larger one is collapsed.
    pub open_bytes: usize,
    /// Files whose text is kept; that of further ones is collapsed.
    pub open_files: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            files: 1000,
            lines: 50_000,
            bytes: 5 * 1024 * 1024,
            file_bytes: 200 * 1024,
            open_bytes: usize::MAX,
            open_files: usize::MAX,
        }
    }
}

/// What is asked of two trees.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    pub limits: Limits,
    /// Lines that only differ in how much white space is where there is some are the same.
    pub ignores_space: bool,
    /// Only what is at these very paths; without any, everything.
    pub paths: Vec<String>,
    /// Files that are alike by so many in a hundred are one that was renamed; without a
    /// number, by half.
    pub renames: Option<u8>,
    /// Files behind the bounds on lines and bytes are left out, and there is an overflow;
    /// else they are collapsed.
    pub stops_when_full: bool,
    /// After so long, what was read by then is all, and there is an overflow.
    pub patience: Option<Duration>,
    /// Equal lines around each change; without a number, three.
    pub context: Option<u32>,
    /// Nothing is read but which files differ: no texts, and no numbers of lines.
    pub names_only: bool,
}

/// Lines that came and went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    pub additions: u64,
    pub deletions: u64,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Added,
    Deleted,
    Renamed,
    /// Its content or mode.
    Changed,
}

/// What differs of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    pub old_path: String,
    pub new_path: String,
    /// Six digits; zeros where there is no file.
    pub old_mode: String,
    pub new_mode: String,
    pub old_id: ObjectId,
    pub new_id: ObjectId,
    pub change: Change,
    pub is_binary: bool,
    /// Hunks from their `@@` on; empty if it is collapsed, too large, or the same text.
    pub text: String,
    /// Others took the room.
    pub is_collapsed: bool,
    /// It alone has more than a file may.
    pub is_too_large: bool,
    pub stats: Stats,
}

/// What differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Diffs {
    pub files: Vec<FileDiff>,
    /// There are more files, or more bytes than are read.
    pub overflow: bool,
}

impl Diffs {
    /// Lines of all files that are there.
    pub fn stats(&self) -> Stats {
        self.files.iter().fold(Stats::default(), |sum, file| Stats {
            additions: sum.additions + file.stats.additions,
            deletions: sum.deletions + file.stats.deletions,
        })
    }
}

/// What a commit changed beside its first parent.
pub async fn of_commit(
    app: &App, repository: i64, commit: &Commit, limits: Limits,
) -> Result<Diffs> {
    between(app, repository, commit.parents.first().copied(), commit.id, limits).await
}

/// What is in one commit or tree and not in another, which may be none.
pub async fn between(
    app: &App, repository: i64, old: Option<ObjectId>, new: ObjectId, limits: Limits,
) -> Result<Diffs> {
    compare(app, repository, old, new, &Asked { limits, ..Asked::default() }).await
}

/// The same, with more that is asked.
pub async fn compare(
    app: &App, repository: i64, old: Option<ObjectId>, new: ObjectId, asked: &Asked,
) -> Result<Diffs> {
    let _seat = app.kept::<Git>().seat().await?;
    let copy = cache::copy(app, repository, Having::Objects).await?;
    let git = app
        .kept::<Git>()
        .at(app, copy.folder())
        .await?
        .env("GIT_LITERAL_PATHSPECS", "1");
    let space: &[&str] = if asked.ignores_space {
        &["--ignore-space-change"]
    } else {
        &[]
    };
    let renames = asked.renames.map(|alike| format!("--find-renames={alike}%"));
    let context = asked.context.map(|lines| format!("--unified={lines}"));
    let git = comparing(git)
        .args(["--raw", "--full-index", "--no-color", MOST_RENAMES])
        .args((!asked.names_only).then_some("--patch"))
        .args(space.to_vec())
        .args(renames)
        .args(context)
        .args(["--end-of-options".to_owned(), named(old), new.to_string(), "--".to_owned()])
        .args(asked.paths.clone());
    let mut parser = Parser::new(asked.limits, asked.ignores_space);
    if asked.stops_when_full {
        parser.stop_when_full();
    }
    match timeout(PATIENCE, read(git, parser, asked.patience)).await {
        Ok(read) => read,
        Err(_) => Err(Error::Unavailable("This takes too long.".into())),
    }
}

/// Lines that came and went in each of some pairs of trees.
pub async fn stats(
    app: &App, repository: i64, pairs: &[(Option<ObjectId>, ObjectId)],
) -> Result<Vec<Stats>> {
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let heads: Vec<String> =
        pairs.iter().map(|(old, new)| format!("{} {new}", named(*old))).collect();
    let _seat = app.kept::<Git>().seat().await?;
    let copy = cache::copy(app, repository, Having::Objects).await?;
    let asked = comparing(app.kept::<Git>().at(app, copy.folder()).await?);
    let input = heads.join("\n") + "\n";
    let most = heads.len() * 512;
    let asked = asked.args(["--shortstat", "--stdin"]);
    let answered = asked.ask(input.into_bytes(), most, PATIENCE).await?;
    answered.ended.check("git diff-tree")?;
    let found = parse::shortstats(&String::from_utf8_lossy(&answered.output));
    let stats = heads.iter().map(|head| found.get(head).copied().unwrap_or_default());
    Ok(stats.collect())
}

fn named(id: Option<ObjectId>) -> String {
    id.map_or_else(|| EMPTY_TREE.to_owned(), |id| id.to_string())
}

/// Begins to compare trees: nothing that a repository says starts other programs.
fn comparing(git: Invocation) -> Invocation {
    git.args(["-c", "core.quotePath=false", "-c", "core.bigFileThreshold=16m"])
        .args(["diff-tree", "-r", "-M", "--no-textconv", "--no-ext-diff"])
}

async fn read(asked: Invocation, mut parser: Parser, patience: Option<Duration>) -> Result<Diffs> {
    // Time out of reach is as good as none.
    let until = Instant::now() + patience.unwrap_or(PATIENCE * 2);
    let mut running = asked.start()?;
    let mut stdout = running.stdout().ok_or_else(|| Error::internal("git has no output"))?;
    let (mut chunk, mut bytes) = (vec![0; CHUNK], 0);
    loop {
        // Dropped, it ends.
        let Ok(length) = timeout_at(until, stdout.read(&mut chunk)).await else {
            return Ok(cut(parser));
        };
        let length = length?;
        bytes += length;
        if length == 0 {
            running.end().await?.check("git diff-tree")?;
            return Ok(parser.end());
        }
        if !parser.take(&chunk[..length]) || bytes > MOST_READ {
            return Ok(cut(parser));
        }
    }
}

/// What was read until now, of more.
fn cut(parser: Parser) -> Diffs {
    Diffs { overflow: true, ..parser.end() }
}
