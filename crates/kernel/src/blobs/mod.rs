//! Bytes of any size, kept once per content, on local disk or in S3.
//!
//! A blob's key is its SHA-256 (`sha256/ab/cdef…`), so equal uploads share one
//! object. [`Blobs::put`] runs before the row that refers to the key is
//! written; a blob without a row is an orphan. Every put makes the blob young
//! again, and clean-up takes only orphans older than [`GRACE_SECONDS`] through
//! [`Blobs::delete_older`], so it cannot take bytes a new row is about to name.

mod copying;
mod opening;
mod placing;
mod reading;
mod recent;
#[cfg(test)]
mod s3_tests;
mod spool;
mod storages;
#[cfg(test)]
mod tests;
mod writing;

use std::fs::File;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use object_store::path::Path as Location;
use object_store::{GetOptions, GetResult, GetResultPayload, ObjectStore, ObjectStoreExt};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::telemetry::Metrics;
use crate::time::Timestamp;
pub use copying::Copied;
use recent::Recent;
use spool::{Spool, lockable, sweep};
use storages::Storages;
pub use storages::{DEFAULT_STORAGE, storage_of};

/// How long a blob without a row is left alone after it was last put.
pub const GRACE_SECONDS: i64 = 24 * 60 * 60;
/// Folder of unfinished uploads below the root on local disk.
const TEMPORARY: &str = "tmp";
/// Folder of all blobs.
const ROOT: &str = "sha256";

/// The bytes of a blob as they are read.
pub type ByteStream = BoxStream<'static, Result<Bytes>>;

/// What was stored; digests in lower-case hex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Where to get it.
    pub key: String,
    /// Bytes.
    pub size: u64,
    /// MD5, for protocols that still name it.
    pub md5: String,
    /// SHA-1, for protocols that still name it.
    pub sha1: String,
    /// SHA-256: the identity.
    pub sha256: String,
    /// SHA-512.
    pub sha512: String,
}

/// Bytes that have arrived whole and are not kept yet; gone when dropped.
pub struct Received {
    spool: Spool,
    stored: Stored,
}

impl Received {
    /// Size and digests.
    pub fn stored(&self) -> &Stored {
        &self.stored
    }

    /// The bytes, from their start. Reading blocks: not for async workers.
    pub fn open(&self) -> Result<File> {
        Ok(self.spool.open()?)
    }
}

/// The blob store. Cheap to clone.
#[derive(Clone)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    /// Where uploads are written before they are published.
    spool: Arc<PathBuf>,
    /// Where blobs are files: what keeps publishing, which is a rename out of
    /// the spool, and [`Blobs::delete_older`] apart, also between processes.
    apart: Option<Arc<PathBuf>>,
    /// What was read lately.
    recent: Recent,
    /// Where moved bytes are counted.
    metrics: Option<Metrics>,
    /// Places besides this one.
    storages: Storages,
    /// Where blobs are in S3: the bucket and what their names begin with.
    bucket: Option<Arc<str>>,
}

impl Blobs {
    fn over(store: Arc<dyn ObjectStore>, spool: PathBuf, lock: Option<PathBuf>) -> Blobs {
        Blobs {
            store,
            spool: Arc::new(spool),
            apart: lock.map(Arc::new),
            recent: Recent::new(),
            metrics: None,
            storages: Storages::default(),
            bucket: None,
        }
    }

    /// Counts the bytes that go in and out from now on.
    pub fn counted(self, metrics: Metrics) -> Blobs {
        let storages = self.storages.counted(&metrics);
        Blobs { metrics: Some(metrics), storages, ..self }
    }

    fn count(&self, direction: &str, bytes: u64) {
        if let Some(metrics) = &self.metrics {
            metrics.blob_bytes(direction, bytes);
        }
    }

    /// Stores `body`, computing all digests in one pass, and returns once it
    /// is durable. More than `limit` bytes are [`Error::TooLarge`]; an error
    /// in the body, or dropping the future, leaves nothing behind.
    pub async fn put(
        &self, body: impl Stream<Item = Result<Bytes>> + Unpin + Send, limit: Option<u64>,
    ) -> Result<Stored> {
        self.put_if(body, limit, |_| Ok(())).await
    }

    /// Like [`Blobs::put`], for bytes that `check` may still refuse once their
    /// size and digests are known; nothing of refused ones is stored.
    pub async fn put_if(
        &self, body: impl Stream<Item = Result<Bytes>> + Unpin + Send, limit: Option<u64>,
        check: impl FnOnce(&Stored) -> Result<()> + Send,
    ) -> Result<Stored> {
        let received = self.receive(body, limit).await?;
        check(received.stored())?;
        self.keep(received).await
    }

    /// Reads `body` to its end without storing it, for who has to look into
    /// the bytes before they may be kept. More than `limit` bytes are
    /// [`Error::TooLarge`]; dropping what was received leaves nothing behind.
    pub async fn receive(
        &self, mut body: impl Stream<Item = Result<Bytes>> + Unpin + Send, limit: Option<u64>,
    ) -> Result<Received> {
        let durable = self.apart.is_some();
        let (spool, stored) = Spool::fill(&self.spool, &mut body, limit, durable).await?;
        Ok(Received { spool, stored })
    }

    /// Stores what was received and returns once it is durable.
    pub async fn keep(&self, received: Received) -> Result<Stored> {
        let Received { spool, mut stored } = received;
        match &self.apart {
            Some(lock) => self.publish(lock, &spool, &stored.key).await?,
            None => self.upload(&spool, &stored).await?,
        }
        stored.key = self.storages.named(stored.key);
        // What was there may have been damaged.
        self.recent.forget(&stored.key);
        self.count("in", stored.size);
        Ok(stored)
    }

    /// The whole size and the bytes of a blob, or of `range` within it (its end
    /// is clamped to the size). A start at or past the end is
    /// [`Error::RangeNotSatisfiable`], an absent blob [`Error::NotFound`].
    pub async fn get(&self, key: &str, range: Option<Range<u64>>) -> Result<(u64, ByteStream)> {
        let (total, bytes) = match self.recent.get(key) {
            Some(bytes) => within(bytes, range)?,
            None => self.read(key, range, true).await?,
        };
        let counter = self.clone();
        let bytes = bytes.inspect_ok(move |bytes| counter.count("out", bytes.len() as u64));
        Ok((total, bytes.boxed()))
    }

    /// Reads a blob where it is stored; of a small whole one the bytes may be
    /// kept for others.
    async fn read(
        &self, key: &str, range: Option<Range<u64>>, keep: bool,
    ) -> Result<(u64, ByteStream)> {
        let (place, location) = (self.holder(key)?, location(key)?);
        let is_whole = range.is_none();
        let mut options = GetOptions::new();
        if let Some(range) = range {
            let total = place.store.head(&location).await.map_err(failed)?.size;
            if range.start >= total || range.end <= range.start {
                return Err(Error::RangeNotSatisfiable(total));
            }
            options = options.with_range(Some(range.start..range.end.min(total)));
        }
        let found = place.store.get_opts(&location, options).await.map_err(failed)?;
        let total = found.meta.size;
        let wanted = keep && is_whole;
        let Some(room) = wanted.then(|| self.recent.room(total)).flatten() else {
            return Ok((total, stream_of(found)));
        };
        let bytes = whole(stream_of(found), total as usize).await?;
        within(self.recent.keep(key, bytes, room), None)
    }

    /// Removes a blob; an absent one is fine. Only for blobs no row can come
    /// to name, such as in tests: everything else is [`Blobs::delete_older`].
    pub async fn delete(&self, key: &str) -> Result<()> {
        let deleted = self.holder(key)?.store.delete(&location(key)?).await;
        self.recent.forget(key);
        absent_is_fine(deleted)
    }

    /// Removes a blob unless it was put at or after `before`; true if it is
    /// gone. Clean-up calls it for a blob no row names, with a `before` that is
    /// [`GRACE_SECONDS`] ago.
    ///
    /// On local disk a put at the same time is safe, also of another node that
    /// shares the disk: either it comes first and
    /// the blob is young, or it comes second and stores the blob anew. On S3,
    /// which has no portable conditional delete, the age is read immediately
    /// before; a put skips the upload only of a blob younger than half the
    /// grace, so the two meet only when an upload of the same bytes ends
    /// between these two requests.
    pub async fn delete_older(&self, key: &str, before: Timestamp) -> Result<bool> {
        let (place, location) = (self.holder(key)?, location(key)?);
        let _alone = match &place.apart {
            Some(lock) => Some(locked(lock, File::lock).await?),
            None => None,
        };
        match place.store.head(&location).await {
            Ok(meta) if modified(&meta) >= before => Ok(false),
            Ok(_) => {
                let deleted = place.store.delete(&location).await;
                self.recent.forget(key);
                absent_is_fine(deleted).map(|()| true)
            }
            Err(error) => absent_is_fine(Err::<(), _>(error)).map(|()| true),
        }
    }

    /// Whether the blob is there.
    pub async fn exists(&self, key: &str) -> Result<bool> {
        match self.holder(key)?.store.head(&location(key)?).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }

    /// Every blob, of all storages: key, bytes, and when it was last put.
    pub fn list(&self) -> BoxStream<'static, Result<(String, u64, Timestamp)>> {
        let others = self.storages.all().map(Blobs::list_here).collect::<Vec<_>>();
        stream::iter([self.list_here()]).chain(stream::iter(others)).flatten().boxed()
    }

    fn list_here(&self) -> BoxStream<'static, Result<(String, u64, Timestamp)>> {
        let (found, storages) =
            (self.store.list(Some(&Location::from(ROOT))), self.storages.clone());
        found
            .map_ok(move |meta| {
                (storages.named(meta.location.to_string()), meta.size, modified(&meta))
            })
            .map_err(failed)
            .boxed()
    }

    /// A whole blob of at most `cap` bytes; a larger one is [`Error::TooLarge`].
    pub async fn read_small(&self, key: &str, cap: usize) -> Result<Bytes> {
        let (total, bytes) = self.get(key, None).await?;
        if total > cap as u64 {
            return Err(Error::TooLarge);
        }
        whole(bytes, total as usize).await
    }

    /// Removes what uploads of ended processes left; opening does so too.
    pub async fn sweep_spool(&self) -> Result<()> {
        for place in [self].into_iter().chain(self.storages.all()) {
            let spool = place.spool.clone();
            blocking(move || sweep(&spool)).await?;
        }
        Ok(())
    }

    /// Reads a whole blob and says whether its bytes still match its key.
    pub async fn verify(&self, key: &str) -> Result<bool> {
        Ok(self.digest(key).await? == sha256_of(key))
    }

    /// Reads a whole blob where it is stored; the SHA-256 of its bytes.
    pub async fn digest(&self, key: &str) -> Result<String> {
        let (_, mut bytes) = self.read(key, None, false).await?;
        let mut digest = Sha256::new();
        while let Some(bytes) = bytes.try_next().await? {
            digest = blocking(move || Ok(digest.chain_update(&bytes))).await?;
        }
        Ok(hex::encode(digest.finalize()))
    }
}

/// The SHA-256 that a key says, in whatever storage it is.
pub fn sha256_of(key: &str) -> String {
    let bare = bare(key);
    bare.strip_prefix(ROOT).unwrap_or(bare).replace('/', "")
}

/// Where the blob with this SHA-256 (64 hex digits) is kept.
pub fn key_of(sha256: &str) -> String {
    format!("{ROOT}/{}/{}", &sha256[..2], &sha256[2..])
}

/// A key without the name of its storage.
fn bare(key: &str) -> &str {
    key.split_once(':').map_or(key, |(_, bare)| bare)
}

/// Accepts only keys [`key_of`] makes, so no key reaches another file.
fn location(key: &str) -> Result<Location> {
    let key = bare(key);
    let digest = key.strip_prefix("sha256/").and_then(|rest| rest.split_once('/'));
    let is_hex = |text: &str| text.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
    match digest {
        Some((a, b)) if a.len() == 2 && b.len() == 62 && is_hex(a) && is_hex(b) => {
            Ok(Location::from(key))
        }
        _ => Err(Error::internal(format!("{key:?} is no blob key"))),
    }
}

/// All bytes of a stream that is known to be small.
async fn whole(mut bytes: ByteStream, size: usize) -> Result<Bytes> {
    let mut whole = BytesMut::with_capacity(size);
    while let Some(bytes) = bytes.try_next().await? {
        whole.extend_from_slice(&bytes);
    }
    Ok(whole.freeze())
}

/// The size of a blob that is in memory, and its bytes or those of `range`.
fn within(whole: Bytes, range: Option<Range<u64>>) -> Result<(u64, ByteStream)> {
    let total = whole.len() as u64;
    let bytes = match range {
        None => whole,
        Some(range) if range.start < total.min(range.end) => {
            whole.slice(range.start as usize..range.end.min(total) as usize)
        }
        Some(_) => return Err(Error::RangeNotSatisfiable(total)),
    };
    Ok((total, stream::iter([Ok(bytes)]).boxed()))
}

fn stream_of(found: GetResult) -> ByteStream {
    match found.payload {
        GetResultPayload::Stream(bytes) => bytes.map_err(failed).boxed(),
        GetResultPayload::File(file, _) => reading::stream(file, found.range),
    }
}

/// Opens the file and locks it until it is dropped.
async fn locked(path: &Arc<PathBuf>, lock: fn(&File) -> std::io::Result<()>) -> Result<File> {
    let path = path.clone();
    blocking(move || {
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .read(true)
            .open(path.as_path())?;
        lockable(lock(&file))?;
        Ok(file)
    })
    .await
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)?
}

fn modified(meta: &object_store::ObjectMeta) -> Timestamp {
    Timestamp::from_microsecond(meta.last_modified.timestamp_micros()).unwrap_or(Timestamp::MAX)
}

fn absent_is_fine(done: object_store::Result<impl Sized>) -> Result<()> {
    match done {
        Ok(_) | Err(object_store::Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(failed(error)),
    }
}

fn failed(error: impl Into<object_store::Error>) -> Error {
    match error.into() {
        object_store::Error::NotFound { .. } => Error::NotFound("File"),
        error => Error::of_storage(error),
    }
}
