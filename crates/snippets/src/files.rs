//! The files of a snippet as its repository holds them.

use crate::access::THING;
use crate::model::{MOST_FILES, Snippet};
use ::store::Tx;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use repositories::model::Repository;
use repositories::objects::{self, Blob, Commit, EntryKind, Objects, Path};

/// What its branch is called by who means the usual one of old.
const OLD_BRANCH: &str = "master";
/// Its branch, whatever that is called.
const HEAD: &str = "HEAD";

/// A file.
#[derive(Debug, Clone)]
pub struct File {
    pub path: Path,
    pub kind: EntryKind,
    /// With its content, if it has at most so many bytes as were asked for.
    pub blob: Blob,
}

/// The repository of a snippet, for who reads its files.
pub async fn repository(app: &App, snippet: &Snippet) -> Result<Repository> {
    let id = snippet.id;
    let found = app.read(move |tx: &mut Tx<'_>| repositories::store::of_snippet(tx, id)).await?;
    found.found(THING)
}

/// The commit that a text stands for.
pub async fn commit(app: &App, repository: &Repository, text: &str) -> Result<Option<Commit>> {
    let named = match objects::revision(app, repository, text).await? {
        None if text == OLD_BRANCH => objects::revision(app, repository, HEAD).await?,
        named => named,
    };
    match named {
        Some(named) => {
            objects::read(app, repository, move |objects| objects.commit_at(&named)).await
        }
        None => Ok(None),
    }
}

/// A file of a commit that a text stands for.
///
/// # Errors
///
/// `NotFound` of a `Reference`, or of a `File`.
pub async fn file(
    app: &App, repository: &Repository, (text, path): (&str, &str), most: u64,
) -> Result<File> {
    let commit = commit(app, repository, text).await?.found("Reference")?;
    let path = Path::read(path).map_err(|_| Error::NotFound("File"))?;
    let read = move |objects: &Objects| open(objects, &commit, &path, most);
    objects::read(app, repository, read).await?.found("File")
}

/// A file of its branch.
pub async fn current(app: &App, repository: &Repository, path: &str, most: u64) -> Result<File> {
    file(app, repository, (HEAD, path), most).await
}

/// All files that it has now, each with its content if that has at most so many bytes.
pub async fn all(
    app: &App, repository: &Repository, snippet: &Snippet, most: u64,
) -> Result<Vec<File>> {
    let commit = commit(app, repository, HEAD).await?.found("Reference")?;
    let paths: Vec<Path> = snippet
        .files()
        .iter()
        .filter_map(|path| Path::read(path).ok())
        .take(MOST_FILES)
        .collect();
    let read = move |objects: &Objects| {
        let mut files = Vec::new();
        for path in &paths {
            files.extend(open(objects, &commit, path, most)?);
        }
        Ok(files)
    };
    objects::read(app, repository, read).await
}

fn open(objects: &Objects, commit: &Commit, path: &Path, most: u64) -> Result<Option<File>> {
    let entry = match objects.entry(commit.tree, path)? {
        Some(entry) if entry.kind != EntryKind::Folder => entry,
        _ => return Ok(None),
    };
    let blob = objects.blob(entry.id, most)?;
    Ok(blob.map(|blob| File { path: path.clone(), kind: entry.kind, blob }))
}
