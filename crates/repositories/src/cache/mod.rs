//! The copies of repositories that this node keeps: bare repositories as git reads
//! them, made of the rows and blobs that everybody shares. They may be deleted at any
//! time, and are made again when they are next asked for.
//!
//! A copy is of an epoch: when objects were removed from a repository, the copy that
//! has them still is left to who uses it, and another is begun. So nothing new is
//! found to fit to what is gone.

mod folder;
mod graph;
mod room;
mod workbench;

use crate::formats::ref_name::RefName;
use crate::model::{Pack, Ref, Repository};
use crate::store::{self, packs, refs};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedRwLockReadGuard, RwLock};
pub(crate) use workbench::Workbench;

/// What is not found where a blob is gone.
const FILE: &str = "File";

/// Folder of the copies.
pub fn root(app: &App) -> PathBuf {
    app.config().cache_dir.join("repositories")
}

/// The copies that this server has used.
#[derive(Default)]
pub struct Copies {
    known: Mutex<HashMap<Named, Arc<Known>>>,
}

/// A repository and the epoch of a copy of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Named {
    repository: i64,
    epoch: i64,
}

impl Named {
    fn folder(self, app: &App) -> PathBuf {
        root(app).join(format!("{}-{}", self.repository, self.epoch))
    }

    fn of_folder(name: &str) -> Option<Named> {
        let (repository, epoch) = name.split_once('-')?;
        Some(Named {
            repository: repository.parse().ok()?,
            epoch: epoch.parse().ok()?,
        })
    }
}

/// What is known of one copy.
#[derive(Default)]
struct Known {
    /// Held while somebody reads the copy; for whoever deletes it alone.
    used: Arc<RwLock<()>>,
    /// Held while it is brought up to date: the generation whose refs it has.
    refs: tokio::sync::Mutex<Option<i64>>,
    /// Held while what git notes of the history is written.
    graph: tokio::sync::Mutex<()>,
    /// The copy as the library has it open, and the generation whose packs it has.
    opened: Mutex<Option<(i64, gix::ThreadSafeRepository)>>,
    /// When it was last asked for, in seconds since 1970.
    at: AtomicI64,
}

impl Known {
    /// The copy if it is open with the packs of this generation.
    fn open_of(&self, generation: i64) -> Option<gix::ThreadSafeRepository> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.as_ref().filter(|(of, _)| *of >= generation).map(|(_, git)| git.clone())
    }

    fn keep_open(&self, generation: i64, git: gix::ThreadSafeRepository) {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        *opened = Some((generation, git));
    }

    fn close(&self) {
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Copies {
    fn of(&self, named: Named) -> Arc<Known> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(named).or_default().clone()
    }
}

/// A copy that stays while this is held.
pub struct LocalCopy {
    folder: PathBuf,
    /// The epoch of its objects.
    pub epoch: i64,
    _used: OwnedRwLockReadGuard<()>,
}

impl LocalCopy {
    fn of(app: &App, named: Named, used: OwnedRwLockReadGuard<()>) -> LocalCopy {
        LocalCopy { folder: named.folder(app), epoch: named.epoch, _used: used }
    }

    /// The bare repository.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// What a copy shall have at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Having {
    Objects,
    ObjectsAndRefs,
}

/// How often a copy is begun again whose packs come to lie elsewhere.
const ATTEMPTS: usize = 3;

/// The copy of a repository, as it is now.
pub async fn copy(app: &App, repository: i64, having: Having) -> Result<LocalCopy> {
    for _ in 1..ATTEMPTS {
        match copy_once(app, repository, having).await {
            // The rows that were read named a file that is gone: they name another one now.
            Err(Error::NotFound(FILE)) => {}
            copied => return copied,
        }
    }
    copy_once(app, repository, having).await
}

async fn copy_once(app: &App, repository: i64, having: Having) -> Result<LocalCopy> {
    let (now, packs) = app
        .read(move |tx| {
            let now = store::by_id(tx, repository)?.found("Repository")?;
            Ok((now, packs::in_use(tx, repository)?))
        })
        .await?;
    let named = Named { repository, epoch: now.epoch };
    let known = app.kept::<Copies>().of(named);
    let used = known.used.clone().read_owned().await;
    known.at.store(app.now().as_second(), Ordering::Relaxed);
    let mut copied = known.refs.lock().await;
    let folder = named.folder(app);
    let added = folder::fill(app.blobs(), &folder, &packs).await?;
    let is_new = copied.is_some_and(|generation| generation >= now.generation);
    if having == Having::ObjectsAndRefs && !(is_new && folder::has_refs(&folder)) {
        *copied = Some(write_refs(app, repository, &folder).await?);
    }
    if added > 0 {
        room::make(app, named);
    }
    if added >= graph::WORTH {
        graph::write(app, named);
    }
    Ok(LocalCopy::of(app, named, used))
}

/// The copy of a repository, open to be read, with all objects that the row tells of.
pub async fn opened(
    app: &App, repository: &Repository,
) -> Result<(LocalCopy, gix::ThreadSafeRepository)> {
    let named = Named { repository: repository.id, epoch: repository.epoch };
    let known = app.kept::<Copies>().of(named);
    let used = known.used.clone().read_owned().await;
    known.at.store(app.now().as_second(), Ordering::Relaxed);
    let open = known.open_of(repository.generation);
    match open {
        Some(git) => Ok((LocalCopy::of(app, named, used), git)),
        None => {
            drop(used);
            open_new(app, repository.id).await
        }
    }
}

/// Opens a copy once more if some of it was deleted while it was read; none if not.
pub async fn reopened(
    app: &App, repository: &Repository,
) -> Result<Option<(LocalCopy, gix::ThreadSafeRepository)>> {
    let folder = Named { repository: repository.id, epoch: repository.epoch }.folder(app);
    let id = repository.id;
    let (now, packs) = app
        .read(move |tx| Ok((store::by_id(tx, id)?.found("Repository")?, packs::in_use(tx, id)?)))
        .await?;
    if now.epoch == repository.epoch && folder::is_whole(&folder, &packs).await? {
        return Ok(None);
    }
    open_new(app, id).await.map(Some)
}

/// Opens a copy as it is now. One that was deleted while it was opened is made again.
async fn open_new(app: &App, repository: i64) -> Result<(LocalCopy, gix::ThreadSafeRepository)> {
    for _ in 1..ATTEMPTS {
        match open_once(app, repository).await {
            Err(Error::Internal(cause)) => {
                tracing::warn!(error = %cause, repository, "a copy of a repository was not whole");
            }
            opened => return opened,
        }
    }
    open_once(app, repository).await
}

async fn open_once(app: &App, repository: i64) -> Result<(LocalCopy, gix::ThreadSafeRepository)> {
    let generation = {
        let now = app.read(move |tx| store::by_id(tx, repository)?.found("Repository")).await?;
        now.generation
    };
    let copy = copy(app, repository, Having::Objects).await?;
    let folder = copy.folder().to_owned();
    let git = blocking(move || {
        let options =
            gix::open::Options::isolated().open_path_as_is(true).with(gix::sec::Trust::Full);
        options.open(folder).map_err(|error| std::io::Error::other(error.to_string()))
    });
    let git = git.await?;
    let known = app.kept::<Copies>().of(Named { repository, epoch: copy.epoch });
    known.keep_open(generation, git.clone());
    Ok((copy, git))
}

/// Gives a folder of its own these packs, and these refs if any are said, as git reads them.
pub(crate) async fn build(
    app: &App, folder: &Path, packs: &[Pack], refs: Option<(&RefName, &[Ref])>,
) -> Result<()> {
    folder::fill(app.blobs(), folder, packs).await?;
    match refs {
        Some((head, refs)) => folder::write_refs(folder, head.as_str(), refs).await,
        None => Ok(()),
    }
}

/// Gives a copy the refs as they are now; their generation.
async fn write_refs(app: &App, repository: i64, folder: &Path) -> Result<i64> {
    let (now, refs) = app
        .read(move |tx| {
            let now = store::by_id(tx, repository)?.found("Repository")?;
            Ok((now, refs::all(tx, repository)?))
        })
        .await?;
    folder::write_refs(folder, now.head.as_str(), &refs).await?;
    Ok(now.generation)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await.map_err(Error::internal)?;
    done.map_err(Error::of_storage)
}
