//! Small blobs that were read lately, whole and in memory.
//!
//! Registries serve the same few archives again and again. One buffer that
//! all their readers share stays in the processor's caches, and spares each
//! opening the file and copying it. A key names its content, so an entry is
//! never wrong; entries end all the same, since a damaged file may be healed,
//! and a blob removed, by another process.
//!
//! A slow reader keeps its buffer after the entry is gone. So buffers take
//! room until their last reader is done, and when there is none left, blobs
//! are read piece by piece like large ones.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use moka::sync::Cache;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes of the largest blob that is kept here.
pub(super) const LARGEST: u64 = 2 * 1024 * 1024;
/// Bytes of all of them together.
const ALL: u64 = 32 * 1024 * 1024;
/// Bytes that an entry takes beside its content.
const ENTRY: usize = 512;
/// KiB of all buffers that are kept, being filled or still read.
const ROOM: usize = 64 * 1024;
/// How long one is kept.
const LIFE: Duration = Duration::from_secs(5 * 60);

/// The blobs, by key. Cheap to clone.
#[derive(Clone)]
pub(super) struct Recent {
    blobs: Cache<String, Bytes>,
    room: Arc<Semaphore>,
}

/// Room for one buffer.
pub(super) struct Room(
    #[expect(dead_code, reason = "held until it is dropped")] OwnedSemaphorePermit,
);

/// A buffer that gives its room back with its last reader.
struct CachedBlobs {
    bytes: Bytes,
    _room: Room,
}

impl AsRef<[u8]> for CachedBlobs {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Recent {
    pub(super) fn new() -> Recent {
        let size = |_: &String, bytes: &Bytes| {
            u32::try_from(bytes.len().saturating_add(ENTRY)).unwrap_or(u32::MAX)
        };
        let cache = Cache::builder().max_capacity(ALL).weigher(size);
        Recent {
            blobs: cache.time_to_live(LIFE).build(),
            room: Arc::new(Semaphore::new(ROOM)),
        }
    }

    /// Room for a blob of so many bytes; nothing if it is too large or all
    /// room is taken.
    pub(super) fn room(&self, size: u64) -> Option<Room> {
        let size = u32::try_from(size).ok().filter(|_| size <= LARGEST)?;
        let room = self.room.clone();
        let taken = room.try_acquire_many_owned(size.div_ceil(1024).max(1));
        taken.ok().map(Room)
    }

    pub(super) fn get(&self, key: &str) -> Option<Bytes> {
        self.blobs.get(key)
    }

    /// Keeps a blob; its bytes for the first reader.
    pub(super) fn keep(&self, key: &str, bytes: Bytes, room: Room) -> Bytes {
        let held = Bytes::from_owner(CachedBlobs { bytes, _room: room });
        self.blobs.insert(key.to_owned(), held.clone());
        held
    }

    pub(super) fn forget(&self, key: &str) {
        self.blobs.invalidate(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_reader_takes_room_until_it_is_done() {
        let recent = Recent::new();
        assert!(recent.room(LARGEST + 1).is_none());
        let all = ROOM as u64 * 1024 / LARGEST;
        let readers: Vec<Bytes> = (0..all)
            .map(|at| {
                let room = recent.room(LARGEST).unwrap();
                let bytes = Bytes::from(vec![7; LARGEST as usize]);
                recent.keep(&at.to_string(), bytes, room)
            })
            .collect();
        for at in 0..all {
            recent.forget(&at.to_string());
        }
        recent.blobs.run_pending_tasks();
        assert!(recent.room(1).is_none());
        drop(readers);
        recent.blobs.run_pending_tasks();
        assert_eq!(recent.room.available_permits(), ROOM);
    }
}
