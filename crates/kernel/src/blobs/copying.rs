//! Copies from one storage to another, which are believed once they were read back from
//! where they went.

use std::fs::File;
use std::io::{ErrorKind, Read, copy};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use futures_util::{StreamExt, TryStreamExt};
use sha2::{Digest, Sha256};

use super::spool::Spool;
use super::{Blobs, bare, blocking, failed, location, sha256_of};
use crate::error::{Error, Result};
use object_store::ObjectStoreExt;

/// Bytes of a file that are copied at once: between two such pieces a copy can be given up.
const PIECE: u64 = 16 * 1024 * 1024;
/// Bytes read back at once.
const READ: usize = 1024 * 1024;

/// Is told how many bytes more are there.
pub type Told<'t> = &'t (dyn Fn(u64) + Send + Sync);

/// A blob in another storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// Where to get it.
    pub key: String,
    /// SHA-256 of its bytes as they were read back.
    pub sha256: String,
}

impl Copied {
    /// Whether these are the bytes that the key says.
    pub fn is_good(&self) -> bool {
        sha256_of(&self.key) == self.sha256
    }
}

impl Blobs {
    /// The key that a blob has in a storage, or would have.
    ///
    /// # Errors
    ///
    /// As [`Blobs::storage`].
    pub fn key_in(&self, key: &str, storage: &str) -> Result<String> {
        Ok(self.storage(storage)?.storages.named(bare(key).to_owned()))
    }

    /// Copies a blob to a storage and reads it back from there; what was put there of late
    /// is read alone. It is durable, and so young that no sweep takes it before a row names
    /// it. Bytes that are not good replace none that are.
    pub async fn copy_to(&self, key: &str, storage: &str, told: Told<'_>) -> Result<Copied> {
        let (from, to) = (self.holder(key)?, self.storage(storage)?);
        let (there, place) = (self.key_in(key, storage)?, location(key)?);
        let size = from.store.head(&place).await.map_err(failed)?.size;
        if to.is_fresh(&place, size).await? {
            let copied = Copied { sha256: self.digest(&there).await?, key: there.clone() };
            if copied.is_good() {
                told(size);
                return Ok(copied);
            }
        }
        let copied = match (from.root(), &to.apart) {
            (Some(root), Some(lock)) => {
                let file = root.join(place.as_ref());
                to.count("in", size);
                to.take_file(file, lock, there, told).await?
            }
            _ => {
                let (_, bytes) = from.read(key, None, false).await?;
                let counted = bytes.inspect_ok(|bytes| told(bytes.len() as u64));
                let is_good = |sha256: &str| match sha256_of(key) == sha256 {
                    true => Ok(()),
                    false => Err(Error::internal(format!("the blob {key} is damaged"))),
                };
                to.put_if(counted.boxed(), None, |stored| is_good(&stored.sha256)).await?;
                Copied { sha256: self.digest(&there).await?, key: there }
            }
        };
        from.count("out", size);
        to.recent.forget(&copied.key);
        Ok(copied)
    }

    /// Copies a file of another storage of files: by the system, without a look at its
    /// bytes but the one when they are read back, which is done beside the copying.
    async fn take_file(
        &self, from: PathBuf, lock: &Arc<PathBuf>, key: String, told: Told<'_>,
    ) -> Result<Copied> {
        let path = Spool::place(&self.spool);
        let (spool, source, file, back) = blocking(move || {
            let source = File::open(from)?;
            let (spool, file) = Spool::create(path)?;
            let back = spool.open()?;
            Ok((spool, source, file, back))
        })
        .await?;
        let (there, pieces) = channel();
        let copying = copy_pieces(source, file, move |count| {
            told(count);
            // Who reads them back has failed where nobody listens, and says why.
            let _ = there.send(count);
        });
        let reading = blocking(move || Ok(digest_of(back, &pieces)?));
        let ((), sha256) = tokio::try_join!(copying, reading)?;
        let copied = Copied { key, sha256 };
        if copied.is_good() {
            self.publish(lock, &spool, &copied.key).await?;
        }
        Ok(copied)
    }
}

/// Copies piece by piece, tells of each, and makes all of it durable.
async fn copy_pieces(mut source: File, mut file: File, told: impl Fn(u64) + Send) -> Result<()> {
    loop {
        let copied;
        (copied, source, file) = blocking(move || {
            let copied = copy(&mut source.by_ref().take(PIECE), &mut file)?;
            Ok((copied, source, file))
        })
        .await?;
        if copied == 0 {
            break;
        }
        told(copied);
    }
    drop(told);
    blocking(move || Ok(file.sync_all()?)).await
}

/// The digest of pieces of these lengths, each of which is there when its length is told.
fn digest_of(mut file: File, pieces: &Receiver<u64>) -> std::io::Result<String> {
    let (mut digest, mut bytes) = (Sha256::new(), vec![0; READ]);
    for length in pieces {
        let mut piece = file.by_ref().take(length);
        let mut left = length;
        while left > 0 {
            match piece.read(&mut bytes)? {
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                count => digest.update(&bytes[..count]),
            }
            left = piece.limit();
        }
    }
    Ok(hex::encode(digest.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::sync::atomic::{AtomicU64, Ordering};

    fn opened(folder: &Path) -> Blobs {
        let at = |name: &str| folder.join(name).display().to_string();
        let blobs = Blobs::open(&at("main")).unwrap();
        blobs.with_storage("fast", &at("fast"), folder).unwrap()
    }

    async fn put(blobs: &Blobs, bytes: &[u8]) -> String {
        let body = futures_util::stream::iter([Ok(bytes::Bytes::copy_from_slice(bytes))]);
        blobs.put(body, None).await.unwrap().key
    }

    async fn copied(blobs: &Blobs, key: &str, to: &str) -> (Result<Copied>, u64) {
        let count = AtomicU64::new(0);
        let told = |more| {
            count.fetch_add(more, Ordering::Relaxed);
        };
        let copied = blobs.copy_to(key, to, &told).await;
        (copied, count.load(Ordering::Relaxed))
    }

    #[tokio::test]
    async fn bytes_go_from_storage_to_storage_and_back() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = opened(folder.path());
        let bytes = vec![7; PIECE as usize + 3];
        let key = put(&blobs, &bytes).await;
        let (there, told) = copied(&blobs, &key, "fast").await;
        let there = there.unwrap();
        assert_eq!((there.key.as_str(), told), (format!("fast:{key}").as_str(), PIECE + 3));
        assert!(there.is_good() && blobs.verify(&there.key).await.unwrap());
        assert!(blobs.verify(&key).await.unwrap(), "the source stays");

        blobs.delete(&key).await.unwrap();
        let (back, told) = copied(&blobs, &there.key, "default").await;
        assert_eq!((back.unwrap().key, told), (key.clone(), PIECE + 3));
        assert!(blobs.verify(&key).await.unwrap());
        assert!(is_empty(&folder.path().join("fast/tmp")), "nothing is left behind");
    }

    fn is_empty(folder: &Path) -> bool {
        std::fs::read_dir(folder).unwrap().next().is_none()
    }

    #[tokio::test]
    async fn what_was_put_of_late_is_read_alone() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = opened(folder.path());
        let key = put(&blobs, b"ore").await;
        let first = copied(&blobs, &key, "fast").await.0.unwrap();
        let file = folder.path().join("fast").join(&key);
        let age = || std::fs::metadata(&file).unwrap().modified().unwrap();
        let before = age();
        assert_eq!(copied(&blobs, &key, "fast").await.0.unwrap(), first);
        assert_eq!(age(), before, "it was not written again");

        std::fs::write(&file, b"0re").unwrap();
        assert!(copied(&blobs, &key, "fast").await.0.unwrap().is_good());
        assert!(blobs.verify(&first.key).await.unwrap(), "it is healed");
    }

    #[tokio::test]
    async fn damaged_bytes_replace_none() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = opened(folder.path());
        let key = put(&blobs, b"ore").await;
        let good = copied(&blobs, &key, "fast").await.0.unwrap();
        let old = std::time::SystemTime::now() - std::time::Duration::from_secs(30 * 3600);
        let there = std::fs::File::options()
            .append(true)
            .open(folder.path().join("fast").join(&key));
        there.unwrap().set_modified(old).unwrap();
        std::fs::write(folder.path().join("main").join(&key), b"0re").unwrap();
        assert!(!copied(&blobs, &key, "fast").await.0.unwrap().is_good());
        assert!(blobs.verify(&good.key).await.unwrap());
        assert!(is_empty(&folder.path().join("fast/tmp")));

        std::fs::remove_file(folder.path().join("main").join(&key)).unwrap();
        assert!(matches!(copied(&blobs, &key, "fast").await.0, Err(Error::NotFound(_))));
    }
}
