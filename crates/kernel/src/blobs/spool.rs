//! The file an upload is written to while its digests are computed.

use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::{GRACE_SECONDS, Stored, blocking};
use crate::error::{Error, Result};
use crate::secrets::random_bytes;

/// Bytes hashed and written at once on a blocking thread. At most two such
/// batches of one upload are in memory.
const BATCH: usize = 1024 * 1024;

/// Age from which a file of the spool that nobody has locked is a leftover.
const ABANDONED: Duration = Duration::from_secs(60);

/// A temporary file that is gone when dropped, unless it was moved away.
pub(super) struct Spool {
    path: PathBuf,
    /// Locked, so that the sweep of another process leaves the file alone.
    _locked: File,
}

impl Spool {
    /// Reads `body` to its end into a new file in `directory`, flushed to disk
    /// if `durable`. More than `limit` bytes are refused while they arrive.
    pub(super) async fn fill(
        directory: &Path, body: &mut (impl Stream<Item = Result<Bytes>> + Unpin + Send),
        limit: Option<u64>, durable: bool,
    ) -> Result<(Spool, Stored)> {
        let path = Spool::place(directory);
        let (spool, file) = blocking(move || Spool::create(path)).await?;
        let mut sink = Sink::over(file);
        let mut received = 0;
        loop {
            let (batch, ended) = next_batch(body).await?;
            received += batch.iter().map(|bytes| bytes.len() as u64).sum::<u64>();
            if limit.is_some_and(|limit| received > limit) {
                return Err(Error::TooLarge);
            }
            sink = blocking(move || sink.write(&batch)).await?;
            if ended {
                return Ok((spool, blocking(move || sink.finish(durable)).await?));
            }
        }
    }

    /// Where a new one goes.
    pub(super) fn place(directory: &Path) -> PathBuf {
        directory.join(hex::encode(random_bytes::<16>()))
    }

    /// An empty one, and its file to write to.
    pub(super) fn create(path: PathBuf) -> Result<(Spool, File)> {
        let file = File::create_new(&path)?;
        // Free in an instant where a sweep is just looking at it.
        lockable(file.lock())?;
        let spool = Spool { path, _locked: file.try_clone()? };
        Ok((spool, file))
    }

    /// The file's name within its directory.
    pub(super) fn name(&self) -> String {
        self.path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    }

    /// Opens the file for reading from its start, on a blocking thread.
    pub(super) fn open(&self) -> std::io::Result<File> {
        File::open(&self.path)
    }

    /// Opens the file for reading from its start.
    pub(super) async fn read(&self) -> Result<tokio::fs::File> {
        Ok(tokio::fs::File::open(&self.path).await?)
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        // Absent once published; a failure leaves a file for the sweep at start.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Some file systems know no locks: there nothing is kept apart.
pub(super) fn lockable(done: std::io::Result<()>) -> std::io::Result<()> {
    match done {
        Err(error) if error.kind() == std::io::ErrorKind::Unsupported => Ok(()),
        done => done,
    }
}

/// Another process may sweep at the same time.
fn absent_is_fine(removed: std::io::Result<()>) -> std::io::Result<()> {
    match removed {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Removes what a crash left in the spool. An upload under way, of whatever
/// process, holds a lock on its file; a very young one may be about to.
pub(super) fn sweep(spool: &Path) -> Result<()> {
    for entry in std::fs::read_dir(spool)? {
        let path = entry?.path();
        // Gone meanwhile: its upload has ended.
        let Ok(file) = File::open(&path) else {
            continue;
        };
        let age = file.metadata()?.modified()?.elapsed().unwrap_or_default();
        let is_left = match file.try_lock() {
            Ok(()) => age > ABANDONED,
            Err(TryLockError::WouldBlock) => false,
            Err(TryLockError::Error(_)) => age.as_secs() > GRACE_SECONDS as u64,
        };
        if is_left {
            absent_is_fine(std::fs::remove_file(path))?;
        }
    }
    Ok(())
}

/// Collects about one batch; true when the body has ended.
async fn next_batch(
    body: &mut (impl Stream<Item = Result<Bytes>> + Unpin + Send),
) -> Result<(Vec<Bytes>, bool)> {
    let mut batch = Vec::new();
    let mut length = 0;
    while length < BATCH {
        match body.next().await {
            Some(bytes) => {
                let bytes = bytes?;
                length += bytes.len();
                batch.push(bytes);
            }
            None => return Ok((batch, true)),
        }
    }
    Ok((batch, false))
}

/// The open file and the digests of what it holds so far.
struct Sink {
    file: File,
    size: u64,
    md5: Md5,
    sha1: Sha1,
    sha256: Sha256,
    sha512: Sha512,
}

impl Sink {
    fn over(file: File) -> Sink {
        Sink {
            file,
            size: 0,
            md5: Md5::new(),
            sha1: Sha1::new(),
            sha256: Sha256::new(),
            sha512: Sha512::new(),
        }
    }

    fn write(mut self, batch: &[Bytes]) -> Result<Sink> {
        for bytes in batch {
            self.file.write_all(bytes)?;
            self.size += bytes.len() as u64;
            self.md5.update(bytes);
            self.sha1.update(bytes);
            self.sha256.update(bytes);
            self.sha512.update(bytes);
        }
        Ok(self)
    }

    fn finish(self, durable: bool) -> Result<Stored> {
        if durable {
            self.file.sync_all()?;
        }
        let sha256 = hex::encode(self.sha256.finalize());
        Ok(Stored {
            key: super::key_of(&sha256),
            size: self.size,
            md5: hex::encode(self.md5.finalize()),
            sha1: hex::encode(self.sha1.finalize()),
            sha256,
            sha512: hex::encode(self.sha512.finalize()),
        })
    }
}
