//! Blobs as files, for programs that read files.

use super::{Blobs, Stored, blocking, location, reading};
use crate::error::{Error, Result};
use crate::secrets::random_bytes;
use futures_util::TryStreamExt;
use std::path::{Path, PathBuf};
use tokio::io::AsyncWriteExt;

impl Blobs {
    /// Makes the bytes of a blob a file, whole or not at all: a link where blobs are files
    /// of the same disk, else a copy. The file may not be written to.
    pub async fn place(&self, key: &str, path: &Path) -> Result<()> {
        if let Some(root) = self.holder(key)?.root() {
            let (from, to) = (root.join(location(key)?.as_ref()), path.to_owned());
            if blocking(move || Ok(link(&from, &to))).await?? {
                return Ok(());
            }
        }
        self.copy_out(key, path).await
    }

    /// Stores the bytes of a file, which stays as it is.
    pub async fn put_file(&self, path: &Path) -> Result<Stored> {
        let path = path.to_owned();
        let opened = blocking(move || {
            let file = std::fs::File::open(path)?;
            let size = file.metadata()?.len();
            Ok((file, size))
        });
        let (file, size) = opened.await?;
        self.put(reading::stream(file, 0..size), None).await
    }

    /// Where blobs are files.
    pub(super) fn root(&self) -> Option<PathBuf> {
        self.apart.as_ref()?.parent().map(Path::to_owned)
    }

    async fn copy_out(&self, key: &str, path: &Path) -> Result<()> {
        let part = path.with_extension(format!("part-{}", hex::encode(random_bytes::<8>())));
        let copied = self.write_out(key, &part).await;
        let placed = match copied {
            Ok(()) => tokio::fs::rename(&part, path).await.map_err(Error::of_storage),
            Err(error) => Err(error),
        };
        if placed.is_err() {
            // Absent where it could not even be made.
            let _ = tokio::fs::remove_file(&part).await;
        }
        placed
    }

    async fn write_out(&self, key: &str, part: &Path) -> Result<()> {
        let (_, mut bytes) = self.read(key, None, false).await?;
        let mut file = tokio::fs::File::create_new(part).await.map_err(Error::of_storage)?;
        while let Some(bytes) = bytes.try_next().await? {
            file.write_all(&bytes).await.map_err(Error::of_storage)?;
        }
        file.flush().await.map_err(Error::of_storage)
    }
}

/// Whether there could be a link, or there is the file already; an absent blob is
/// [`Error::NotFound`].
fn link(from: &Path, to: &Path) -> Result<bool> {
    match std::fs::hard_link(from, to) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !from.exists() => {
            Err(Error::NotFound("File"))
        }
        Err(_) => Ok(false),
    }
}
