//! Objects as the library gitoxide reads them out of this node's copy: commits, tags,
//! trees and small files. What is large, or compares files, is left to the program git.
//!
//! ```ignore
//! let commit = objects::read(&app, &repository, move |objects| objects.commit(id)).await?;
//! ```

mod changes;
mod commit;
mod divergence;
mod history;
mod revision;
mod signed;
mod tree;

pub(crate) use tree::read as read_tree;

pub use changes::FolderChanges;
pub use commit::{Commit, Person, Tag};
pub use divergence::Divergence;
pub use history::{Order, Walk};
pub use revision::{Revision, named, named_in_each, revision};
pub use signed::Signed;
pub use tree::{Entry, EntryKind, Path, RawEntry, WrongPath};

use crate::cache::{self, LocalCopy};
use crate::formats::object_id::ObjectId;
use crate::model::Repository;
use kernel::app::App;
use kernel::error::{Error, Result};
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Most bytes of a commit, tag or folder that is read: a folder of 100,000 files has 5 MB.
const LARGEST: u64 = 32 * 1024 * 1024;
/// How long a request waits until others have read.
const WAIT: Duration = Duration::from_secs(30);

/// How many read at once: each may take a core and some memory.
struct Seats(Arc<Semaphore>);

impl Default for Seats {
    fn default() -> Seats {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Seats(Arc::new(Semaphore::new((cores * 4).max(8))))
    }
}

/// The objects of a repository, on a thread that may wait for the disk.
pub struct Objects {
    git: gix::Repository,
    /// Something was looked for and not found.
    missed: Cell<bool>,
}

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Commit,
    Tag,
    Tree,
    Blob,
}

/// A file's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    pub id: ObjectId,
    /// Bytes.
    pub size: u64,
    /// All of them, unless they are more than were asked for.
    pub content: Option<Vec<u8>>,
}

/// Reads objects of a repository, as it was when the row was read or newer. The work is
/// done again if the copy was deleted meanwhile.
///
/// # Errors
///
/// `Unavailable` if too many read at once, else those of the work.
pub async fn read<T: Send + 'static>(
    app: &App, repository: &Repository,
    work: impl Fn(&Objects) -> Result<T> + Send + Sync + 'static,
) -> Result<T> {
    let work = Arc::new(work);
    let (copy, git) = cache::opened(app, repository).await?;
    let (copy, missed, done) = run(app, copy, git, work.clone()).await?;
    drop(copy);
    if !missed {
        return done;
    }
    match cache::reopened(app, repository).await? {
        // Nothing had been deleted: it is not there.
        None => done,
        Some((copy, git)) => run(app, copy, git, work).await?.2,
    }
}

/// Works on a thread of its own; also whether something was not found.
async fn run<T: Send + 'static>(
    app: &App, copy: LocalCopy, git: gix::ThreadSafeRepository,
    work: Arc<impl Fn(&Objects) -> Result<T> + Send + Sync + 'static>,
) -> Result<(LocalCopy, bool, Result<T>)> {
    let seats = app.kept::<Seats>().0.clone();
    let Ok(seat) = timeout(WAIT, seats.acquire_owned()).await else {
        return Err(Error::Unavailable("Too many are busy with repositories.".into()));
    };
    let seat = seat.map_err(Error::internal)?;
    let worked = tokio::task::spawn_blocking(move || {
        let objects = Objects { git: git.to_thread_local(), missed: Cell::new(false) };
        let done = work(&objects);
        drop(seat);
        (copy, objects.missed.get(), done)
    });
    worked.await.map_err(Error::internal)
}

impl Objects {
    /// What an object is, and its bytes; none if it is not here.
    pub fn header(&self, id: ObjectId) -> Result<Option<(Kind, u64)>> {
        let header = self.noted(self.git.try_find_header(gix::ObjectId::from(id)))?;
        Ok(header.map(|header| (kind(header.kind()), header.size())))
    }

    /// A file, with its content if it has at most so many bytes.
    pub fn blob(&self, id: ObjectId, most: u64) -> Result<Option<Blob>> {
        let Some((Kind::Blob, size)) = self.header(id)? else {
            return Ok(None);
        };
        let content = match size <= most {
            true => Some(self.data(id, Kind::Blob)?.ok_or_else(damaged)?),
            false => None,
        };
        Ok(Some(Blob { id, size, content }))
    }

    /// The object whose name begins so, if there is exactly one.
    pub fn beginning(&self, digits: &str) -> Result<Option<ObjectId>> {
        let Ok(prefix) = gix::hash::Prefix::from_hex(digits) else {
            return Ok(None);
        };
        let found = self.noted(self.git.objects.lookup_prefix(prefix, None))?;
        Ok(found.and_then(std::result::Result::ok).map(ObjectId::from))
    }

    /// The bytes of an object of this kind.
    fn data(&self, id: ObjectId, wanted: Kind) -> Result<Option<Vec<u8>>> {
        match self.header(id)? {
            Some((kind, _)) if kind != wanted => return Ok(None),
            Some((_, size)) if wanted != Kind::Blob && size > LARGEST => {
                return Err(Error::BadRequest("The object is too large to be shown.".into()));
            }
            Some(_) => {}
            None => return Ok(None),
        }
        let found = self.noted(self.git.try_find_object(gix::ObjectId::from(id)))?;
        Ok(found.map(|object| object.detach().data))
    }

    /// What was looked for, noting when it was not found.
    fn noted<T>(&self, found: gix::Result<Option<T>>) -> Result<Option<T>> {
        if !matches!(found, Ok(Some(_))) {
            self.missed.set(true);
        }
        found.map_err(of_library)
    }

    /// The same of what cannot fail but for objects that are not here.
    fn whole<T>(&self, found: gix::Result<T>) -> Result<T> {
        if found.is_err() {
            self.missed.set(true);
        }
        found.map_err(of_library)
    }
}

fn kind(kind: gix::objs::Kind) -> Kind {
    match kind {
        gix::objs::Kind::Commit => Kind::Commit,
        gix::objs::Kind::Tag => Kind::Tag,
        gix::objs::Kind::Tree => Kind::Tree,
        gix::objs::Kind::Blob => Kind::Blob,
    }
}

fn of_library(error: gix::Error) -> Error {
    Error::internal(error.to_string())
}

fn damaged() -> Error {
    Error::internal("an object of a repository is damaged")
}

impl From<ObjectId> for gix::ObjectId {
    fn from(id: ObjectId) -> gix::ObjectId {
        gix::ObjectId::Sha1(id.bytes())
    }
}

impl From<gix::ObjectId> for ObjectId {
    fn from(id: gix::ObjectId) -> ObjectId {
        let mut bytes = [0; 20];
        bytes.copy_from_slice(id.as_slice());
        ObjectId::from_bytes(bytes)
    }
}
