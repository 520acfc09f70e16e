//! How a file that has arrived whole gets to its place.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use object_store::path::Path as Location;
use object_store::{MultipartUpload, ObjectStoreExt};
use tokio::io::AsyncReadExt;

use super::spool::Spool;
use super::{Blobs, GRACE_SECONDS, Stored, TEMPORARY, failed, location, locked};
use crate::error::{BestEffort, Result};
use crate::time::Timestamp;

/// An object put again while younger than this is not uploaded again. Half of
/// [`GRACE_SECONDS`], so a row has the other half to appear.
const FRESH_SECONDS: i64 = GRACE_SECONDS / 2;
/// Bytes of one part of an upload to S3, which takes at most 10,000 parts.
pub(super) const PART: usize = 8 * 1024 * 1024;

impl Blobs {
    /// Moves the finished file to its place. A blob already there is replaced
    /// by its equal, which makes it young and heals a damaged one.
    pub(super) async fn publish(
        &self, lock: &Arc<PathBuf>, spool: &Spool, key: &str,
    ) -> Result<()> {
        let from = Location::from_iter([TEMPORARY, &spool.name()]);
        let _shared = locked(lock, File::lock_shared).await?;
        self.store.rename(&from, &location(key)?).await.map_err(failed)
    }

    /// Sends the finished file straight to its key. The detour over a local
    /// file is taken because the key is known only at the end: a server-side
    /// copy is limited to 5 GiB, leaves temporary objects after a crash, and
    /// is not offered by every compatible server.
    pub(super) async fn upload(&self, spool: &Spool, stored: &Stored) -> Result<()> {
        let location = location(&stored.key)?;
        if self.is_fresh(&location, stored.size).await? {
            return Ok(());
        }
        let mut file = spool.read().await?;
        let first = read_part(&mut file, BytesMut::new()).await?;
        if first.len() < PART {
            self.store.put(&location, first.into()).await.map_err(failed)?;
            return Ok(());
        }
        let mut upload = self.store.put_multipart(&location).await.map_err(failed)?;
        let sent = send_parts(upload.as_mut(), first, &mut file).await;
        if sent.is_err() {
            upload.abort().await.best_effort("abort an upload to object storage");
        }
        sent
    }

    /// Whether it is there and so young that no sweep takes it before a row names it.
    pub(super) async fn is_fresh(&self, location: &Location, size: u64) -> Result<bool> {
        match self.store.head(location).await {
            Ok(meta) => {
                let age = Timestamp::now().as_second() - meta.last_modified.timestamp();
                Ok(meta.size == size && age < FRESH_SECONDS)
            }
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }
}

/// Fills a part from where the file stands; it is shorter only at its end.
async fn read_part(file: &mut tokio::fs::File, mut part: BytesMut) -> Result<Bytes> {
    part.clear();
    part.reserve(PART);
    let mut rest = file.take(PART as u64);
    // Asked for more than its part, the buffer would grow.
    while rest.limit() > 0 && rest.read_buf(&mut part).await? > 0 {}
    Ok(part.freeze())
}

/// Sends a file part by part. One buffer serves them all: allocators keep what
/// threads free, each for itself, and new buffers would add up.
async fn send_parts(
    upload: &mut dyn MultipartUpload, first: Bytes, file: &mut tokio::fs::File,
) -> Result<()> {
    let mut part = first;
    while !part.is_empty() {
        upload.put_part(part.clone().into()).await.map_err(failed)?;
        let buffer = part.try_into_mut().unwrap_or_default();
        part = read_part(file, buffer).await?;
    }
    upload.complete().await.map_err(failed)?;
    Ok(())
}
