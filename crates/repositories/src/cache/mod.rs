//! The copies of repositories that this node keeps: bare repositories as git reads
//! them, made of the rows and blobs that everybody shares. They may be deleted at any
//! time, and are made again when they are next asked for.

mod folder;
mod room;

use crate::model::{Pack, Ref};
use crate::store::{self, packs, refs};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedRwLockReadGuard, RwLock};

/// Folder of the copies.
pub fn root(app: &App) -> PathBuf {
    app.config().cache_dir.join("repositories")
}

/// The copies that this server has used.
#[derive(Default)]
pub struct Copies {
    known: Mutex<HashMap<i64, Arc<Known>>>,
}

/// What is known of one copy.
#[derive(Default)]
struct Known {
    /// Held while somebody reads the copy; for whoever deletes it alone.
    used: Arc<RwLock<()>>,
    /// Held while it is brought up to date: the generation whose refs it has.
    refs: tokio::sync::Mutex<Option<i64>>,
    /// When it was last asked for, in seconds since 1970.
    at: AtomicI64,
}

impl Copies {
    fn of(&self, repository: i64) -> Arc<Known> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(repository).or_default().clone()
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

/// What the database says of a repository.
struct Shared {
    generation: i64,
    epoch: i64,
    head: String,
    packs: Vec<Pack>,
    refs: Option<Vec<Ref>>,
}

/// The copy of a repository, as it is now.
pub async fn copy(app: &App, repository: i64, having: Having) -> Result<LocalCopy> {
    let known = app.kept::<Copies>().of(repository);
    let used = known.used.clone().read_owned().await;
    known.at.store(app.now().as_second(), Ordering::Relaxed);
    let mut copied = known.refs.lock().await;
    let folder = root(app).join(repository.to_string());
    let has_refs = copied.filter(|_| folder::has_refs(&folder));
    let shared = app.read(move |tx| shared(tx, repository, having, has_refs)).await?;
    let added = folder::fill(app.blobs(), &folder, &shared.packs).await?;
    if let Some(refs) = &shared.refs {
        folder::write_refs(&folder, &shared.head, refs).await?;
        *copied = Some(shared.generation);
    }
    if added > 0 {
        room::make(app, repository);
    }
    Ok(LocalCopy { folder, epoch: shared.epoch, _used: used })
}

fn shared(
    tx: &mut ::store::Tx<'_>,
    id: i64,
    having: Having,
    has_refs: Option<i64>,
) -> Result<Shared> {
    let repository = store::by_id(tx, id)?.found("Repository")?;
    let is_stale = having == Having::ObjectsAndRefs && has_refs != Some(repository.generation);
    let refs = is_stale.then(|| refs::all(tx, id)).transpose()?;
    Ok(Shared {
        generation: repository.generation,
        epoch: repository.epoch,
        head: repository.head.to_string(),
        packs: packs::in_use(tx, id)?,
        refs,
    })
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await.map_err(Error::internal)?;
    done.map_err(Error::of_storage)
}
