//! Named places of bytes besides the blob store itself. The key of a blob there begins
//! with the name: `fast:sha256/ab/cdef…`.

use super::Blobs;
use crate::error::{Error, Result};
use crate::telemetry::Metrics;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The storage that is always there: the blob store.
pub const DEFAULT_STORAGE: &str = "default";

/// Longest name, in bytes.
const LONGEST: usize = 63;

/// The storages there are, and which one this is.
#[derive(Clone, Default)]
pub(super) struct Storages {
    named: Arc<BTreeMap<String, Blobs>>,
    /// The name of this one, unless it is the default.
    own: Option<Arc<str>>,
}

impl Storages {
    /// A key as it is known outside.
    pub(super) fn named(&self, key: String) -> String {
        match &self.own {
            Some(name) => format!("{name}:{key}"),
            None => key,
        }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Blobs> {
        self.named.values()
    }

    pub(super) fn counted(&self, metrics: &Metrics) -> Storages {
        let counted = |(name, blobs): (&String, &Blobs)| {
            (name.clone(), Blobs { metrics: Some(metrics.clone()), ..blobs.clone() })
        };
        let named = Arc::new(self.named.iter().map(counted).collect());
        Storages { named, own: self.own.clone() }
    }
}

/// The name of the storage that a key is of.
pub fn storage_of(key: &str) -> &str {
    key.split_once(':').map_or(DEFAULT_STORAGE, |(name, _)| name)
}

impl Blobs {
    /// Adds a storage. Uploads to S3 pass through `spool`, as
    /// [`Blobs::open_with_spool`] has it.
    ///
    /// # Errors
    ///
    /// A name that is taken or none: 1 to 63 letters, digits, `_` or `-`; or a place that
    /// cannot be used, or is that of another storage.
    pub fn with_storage(mut self, name: &str, url: &str, spool: &Path) -> Result<Blobs> {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if !(1..=LONGEST).contains(&name.len()) || !name.bytes().all(is_letter) {
            return Err(Error::internal(format!(
                "{name:?} is no name of a storage: use up to {LONGEST} letters, digits, _ or -"
            )));
        }
        if self.storage(name).is_ok() {
            return Err(Error::internal(format!("the storage {name} is named twice")));
        }
        let place = Blobs {
            recent: self.recent.clone(),
            storages: Storages { own: Some(name.into()), ..Storages::default() },
            ..Blobs::open_with_spool(url, spool)?
        };
        if self.overlaps(&place) || self.storages.all().any(|other| other.overlaps(&place)) {
            // What one of them removes would be missing in the other.
            return Err(Error::internal(format!(
                "the storage {name} lies where another one does; give it a place of its own"
            )));
        }
        let mut named = (*self.storages.named).clone();
        named.insert(name.to_owned(), place);
        self.storages.named = Arc::new(named);
        Ok(self)
    }

    /// The names of all storages, the default one first.
    pub fn storage_names(&self) -> Vec<String> {
        let others = self.storages.named.keys().cloned();
        [DEFAULT_STORAGE.to_owned()].into_iter().chain(others).collect()
    }

    /// Where what is put is kept in this storage.
    ///
    /// # Errors
    ///
    /// An unknown name is [`Error::Unavailable`]: another node may know it.
    pub fn storage(&self, name: &str) -> Result<&Blobs> {
        match name {
            DEFAULT_STORAGE => Ok(self),
            name => self.storages.named.get(name).ok_or_else(|| {
                tracing::error!("the storage {name} is not configured; name it with --storage");
                Error::Unavailable("The storage of these bytes is unavailable.".into())
            }),
        }
    }

    /// Which place has a blob.
    pub(super) fn holder(&self, key: &str) -> Result<&Blobs> {
        match self.storages.own.as_deref() {
            Some(own) if own == storage_of(key) => Ok(self),
            _ => self.storage(storage_of(key)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::TryStreamExt;

    fn opened(folder: &Path) -> Blobs {
        let at = |name: &str| folder.join(name).display().to_string();
        let blobs = Blobs::open(&at("main")).unwrap();
        blobs.with_storage("fast", &at("fast"), folder).unwrap()
    }

    async fn put(blobs: &Blobs, text: &'static str) -> String {
        let body = futures_util::stream::iter([Ok(bytes::Bytes::from_static(text.as_bytes()))]);
        blobs.put(body, None).await.unwrap().key
    }

    #[tokio::test]
    async fn equal_bytes_lie_in_each_storage_by_themselves() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = opened(folder.path());
        let (here, there) =
            (put(&blobs, "ore").await, put(blobs.storage("fast").unwrap(), "ore").await);
        assert_eq!(there, format!("fast:{here}"));
        assert_eq!((storage_of(&here), storage_of(&there)), ("default", "fast"));
        assert!(blobs.verify(&there).await.unwrap());
        let listed: Vec<String> = blobs.list().map_ok(|(key, ..)| key).try_collect().await.unwrap();
        assert_eq!(listed, [here.clone(), there.clone()]);
        blobs.delete(&here).await.unwrap();
        assert!(!blobs.exists(&here).await.unwrap());
        assert_eq!(&blobs.read_small(&there, 10).await.unwrap()[..], b"ore");
        let path = folder.path().join("placed");
        blobs.place(&there, &path).await.unwrap();
        assert_eq!(std::fs::read(path).unwrap(), b"ore");
    }

    #[test]
    fn places_are_apart() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = opened(folder.path());
        std::os::unix::fs::symlink(folder.path().join("fast"), folder.path().join("link")).unwrap();
        for wrong in ["main", "fast", "link", "main/below"] {
            let url = folder.path().join(wrong).display().to_string();
            let refused = blobs.clone().with_storage("other", &url, folder.path());
            let said = refused.err().map(|error| error.to_string()).unwrap_or_default();
            assert!(said.contains("where another one does"), "{wrong}: {said}");
        }
        let url = folder.path().join("main2").display().to_string();
        assert!(blobs.with_storage("other", &url, folder.path()).is_ok());
    }

    #[test]
    fn names_are_plain_and_single() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = opened(folder.path());
        assert_eq!(blobs.storage_names(), ["default", "fast"]);
        for wrong in ["", "a:b", "a/b", "../x", "default", "fast", &"a".repeat(64)] {
            let url = folder.path().join("other").display().to_string();
            assert!(blobs.clone().with_storage(wrong, &url, folder.path()).is_err(), "{wrong}");
        }
        assert!(blobs.storage("slow").is_err());
        assert!(blobs.holder("slow:sha256/ab/cd").is_err());
    }
}
