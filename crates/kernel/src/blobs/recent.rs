//! Small blobs that were read lately, whole and in memory.
//!
//! Registries serve the same few archives again and again. One buffer that
//! all their readers share stays in the processor's caches, and spares each
//! opening the file and copying it. A key names its content, so an entry is
//! never wrong; entries end all the same, since a damaged file may be healed,
//! and a blob removed, by another process.

use std::time::Duration;

use bytes::Bytes;
use moka::sync::Cache;

/// Bytes of the largest blob that is kept here.
pub(super) const LARGEST: u64 = 2 * 1024 * 1024;
/// Bytes of all of them together.
const ALL: u64 = 32 * 1024 * 1024;
/// Bytes that an entry takes beside its content.
const ENTRY: usize = 512;
/// How long one is kept.
const LIFE: Duration = Duration::from_secs(5 * 60);

/// The blobs, by key. Cheap to clone.
#[derive(Clone)]
pub(super) struct Recent(Cache<String, Bytes>);

impl Recent {
    pub(super) fn new() -> Recent {
        let size = |_: &String, bytes: &Bytes| {
            u32::try_from(bytes.len().saturating_add(ENTRY)).unwrap_or(u32::MAX)
        };
        let cache = Cache::builder().max_capacity(ALL).weigher(size);
        Recent(cache.time_to_live(LIFE).build())
    }

    pub(super) fn get(&self, key: &str) -> Option<Bytes> {
        self.0.get(key)
    }

    pub(super) fn keep(&self, key: &str, bytes: Bytes) {
        self.0.insert(key.to_owned(), bytes);
    }

    pub(super) fn forget(&self, key: &str) {
        self.0.invalidate(key);
    }
}
