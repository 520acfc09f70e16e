//! The files of a conflict, as each side has them. The same two heads have the same ones, so
//! they are remembered for a while.

use super::obstacle::Obstacle;
use super::sections::{Section, Text};
use crate::merging::Heads;
use code::caching::by_bytes;
use code::visible::visible;
use kernel::app::App;
use kernel::error::{Error, Result};
use moka::sync::Cache;
use repositories::edits::merges::{Conflicted, ConflictedFile, Merger};
use repositories::formats::object_id::ObjectId;
use repositories::lfs::Pointer;
use repositories::model::Repository;
use sha1::{Digest, Sha1};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Most files that are resolved in a browser, the bytes of all of them, and of one side of
/// each; and most conflicts in them.
pub const MOST_FILES: usize = 100;
const MOST_BYTES: usize = 2 * 1024 * 1024;
const LARGEST: u64 = 200 * 1024;
const MOST_CONFLICTS: usize = 2_000;
/// How long texts are compared.
const WHILE: Duration = Duration::from_secs(5);
/// Bytes of all that is remembered.
const ALL: u64 = 16 * 1024 * 1024;

/// A file in conflict.
#[derive(Debug, Clone)]
pub struct File {
    /// Names it on a page.
    pub key: String,
    pub path: String,
    pub text: Result<Text, Obstacle>,
}

/// What conflicts between two heads.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// The first files, in git's order.
    pub files: Vec<File>,
    /// There is more than is resolved in a browser.
    pub is_too_much: bool,
}

impl Found {
    /// Whether all of it can be resolved in a browser.
    pub fn is_resolvable(&self) -> bool {
        !self.is_too_much && self.files.iter().all(|file| file.text.is_ok())
    }
}

type Key = (i64, ObjectId, ObjectId);

/// What was found lately; nothing of what does not conflict.
struct Recent(Cache<Key, Arc<Found>>);

impl Default for Recent {
    fn default() -> Recent {
        Recent(by_bytes(ALL, size))
    }
}

fn size(_: &Key, found: &Arc<Found>) -> usize {
    let of_text = |text: &Text| text.size() + text.sections.len() * size_of::<Section>();
    let of_file = |file: &File| file.path.len() + file.text.as_ref().map_or(0, of_text);
    found.files.iter().map(of_file).sum()
}

/// What conflicts where the target is merged into the source; none if nothing does. Both
/// heads are in the repository.
///
/// # Errors
///
/// `Unavailable` if git is busy, or takes longer than a minute.
pub async fn find(app: &App, repository: &Repository, heads: Heads) -> Result<Option<Arc<Found>>> {
    let key = (repository.id, heads.source, heads.target);
    let recent = app.kept::<Recent>();
    if let Some(found) = recent.0.get(&key) {
        return Ok(Some(found));
    }
    let merger = Merger::begin(app, repository.id).await?;
    let found = match merger.conflicted(app, [heads.source, heads.target]).await {
        Ok(None) => return Ok(None),
        Ok(Some(conflicted)) => read(app, repository, &merger, conflicted).await?,
        // There are so many that not even their names are heard.
        Err(Error::TooLarge) => Found { files: Vec::new(), is_too_much: true },
        Err(error) => return Err(error),
    };
    let found = Arc::new(found);
    recent.0.insert(key, found.clone());
    Ok(Some(found))
}

async fn read(
    app: &App, repository: &Repository, merger: &Merger, conflicted: Conflicted,
) -> Result<Found> {
    let Conflicted { mut files, has_more, .. } = conflicted;
    if has_more || files.len() > MOST_FILES {
        files.truncate(MOST_FILES);
        let named = files.iter().map(|file| of_file(file, Err(Obstacle::TooMany)));
        return Ok(Found { files: named.collect(), is_too_much: true });
    }
    let mut sides = Vec::new();
    for file in files.iter().filter(|file| Obstacle::of(file).is_none()) {
        sides.extend([file.base, file.ours, file.theirs].into_iter().flatten());
    }
    let ids: Vec<ObjectId> = sides.iter().map(|side| side.id).collect();
    let contents = merger.contents(app, repository, ids, LARGEST).await?;
    let made = tokio::task::spawn_blocking(move || compared(&files, contents));
    made.await.map_err(Error::internal)
}

/// The files with the texts of their sides, which come in the same order.
fn compared(files: &[ConflictedFile], contents: Vec<Option<Vec<u8>>>) -> Found {
    let until = Instant::now() + WHILE;
    let (mut contents, mut read) = (contents.into_iter(), Vec::with_capacity(files.len()));
    for file in files {
        let text = match Obstacle::of(file) {
            Some(obstacle) => Err(obstacle),
            None => {
                let base = file.base.and_then(|_| contents.next());
                let sides = [base, contents.next(), contents.next()];
                text(sides.map(|side| side.unwrap_or_else(|| Some(Vec::new()))), until)
            }
        };
        read.push(of_file(file, text));
    }
    let texts = || read.iter().filter_map(|file| file.text.as_ref().ok());
    let bytes: usize = texts().map(|text| text.ours().len().max(text.theirs().len())).sum();
    let conflicts: usize = texts().map(|text| text.conflicts().count()).sum();
    let is_too_much = bytes > MOST_BYTES || conflicts > MOST_CONFLICTS;
    if is_too_much {
        // Their texts are not shown, either.
        for file in &mut read {
            if file.text.is_ok() {
                file.text = Err(Obstacle::TooMany);
            }
        }
    }
    Found { files: read, is_too_much }
}

/// Compares base, ours and theirs; none of what is too large.
fn text(sides: [Option<Vec<u8>>; 3], until: Instant) -> Result<Text, Obstacle> {
    let is_pointer = |side: &Vec<u8>| Pointer::read(side).is_some();
    if sides.iter().flatten().any(is_pointer) {
        return Err(Obstacle::LargeFile);
    }
    let [base, ours, theirs] = sides.map(|side| {
        let text = String::from_utf8(side.ok_or(Obstacle::TooLarge)?);
        let text = text.map_err(|_| Obstacle::OtherText)?;
        match text.contains('\0') {
            true => Err(Obstacle::Binary),
            false => Ok(text),
        }
    });
    Ok(Text::of(base?, ours?, theirs?, until))
}

fn of_file(file: &ConflictedFile, text: Result<Text, Obstacle>) -> File {
    let path = String::from_utf8_lossy(&file.path).into_owned();
    File { key: hex::encode(Sha1::digest(&file.path)), path, text }
}

impl File {
    /// Its path as it is shown.
    pub fn shown(&self) -> String {
        visible(&self.path).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(sides: [&[u8]; 3]) -> Result<Text, Obstacle> {
        text(sides.map(|side| Some(side.to_vec())), Instant::now() + WHILE)
    }

    #[test]
    fn only_texts_are_compared() {
        assert!(read([b"a\n", b"b\n", b"c\n"]).is_ok());
        assert_eq!(read([b"a", b"\xff", b"c"]), Err(Obstacle::OtherText));
        assert_eq!(read([b"a", b"b\0", b"c"]), Err(Obstacle::Binary));
        let pointer = format!(
            "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 1\n",
            "0".repeat(64)
        );
        assert_eq!(read([b"a", pointer.as_bytes(), b"c"]), Err(Obstacle::LargeFile));
        let large = text([Some(Vec::new()), None, Some(Vec::new())], Instant::now() + WHILE);
        assert_eq!(large, Err(Obstacle::TooLarge));
    }
}
