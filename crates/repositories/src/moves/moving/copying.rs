//! Packs are copied, file by file, and read back from where they went. What is there for
//! another repository, or was put there of late, is read alone.

use super::plan::Part;
use super::{Halt, Moving, started};
use crate::moves::containers::word;
use crate::moves::store::packs::{self, MovingPack};
use kernel::blobs::sha256_of;
use kernel::error::Result;
use std::collections::HashMap;
use std::sync::atomic::Ordering;

/// What was read back: keys where it went to, and the digests found there.
#[derive(Default, Clone)]
pub(super) struct Copies(HashMap<String, String>);

impl Copies {
    /// The digest that was found behind a key.
    pub fn digest(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// Notes what was found behind a key.
    pub fn note(&mut self, key: String, digest: String) {
        self.0.insert(key, digest);
    }

    /// Whether a pack lies in a storage, or has copies there that were read back.
    pub fn has(&self, pack: &MovingPack, storage: &str) -> bool {
        let is_copied =
            |(pack, index): (&str, &str)| self.0.contains_key(pack) && self.0.contains_key(index);
        pack.lies_in(storage) || pack.keys_in(storage).is_some_and(is_copied)
    }
}

impl Moving<'_> {
    /// Copies the packs of a repository that are not there yet.
    pub(super) async fn copy(&mut self, part: &Part) -> Result<(), Halt> {
        let missing: Vec<MovingPack> = part.missing(&self.to, &self.copies).cloned().collect();
        for pack in missing {
            let copies = match self.found(&pack).await? {
                Some(found) => found,
                None => self.copied(part, &pack).await?,
            };
            for (key, digest) in copies {
                self.copies.note(key, digest);
            }
            self.note(None).await?;
        }
        Ok(())
    }

    /// The keys that the files of a pack have where they go to.
    pub(super) fn keys(&self, pack: &MovingPack) -> Result<(String, String)> {
        let key = |key| self.app.blobs().key_in(key, &self.to);
        Ok((key(&pack.pack_key)?, key(&pack.index_key)?))
    }

    /// Copies that are there for another repository, if they are good: from now on for this
    /// one, too.
    async fn found(&self, pack: &MovingPack) -> Result<Option<[(String, String); 2]>, Halt> {
        let (keys, id) = (self.keys(pack)?, pack.id);
        let named = keys.clone();
        let is_named = self
            .app
            .write(move |tx| packs::name_known(tx, id, (&named.0, &named.1)))
            .await?;
        if !is_named {
            return Ok(None);
        }
        let mut found = Vec::new();
        for key in [keys.0, keys.1] {
            // One that cannot be read is copied.
            match self.while_noting(self.app.blobs().digest(&key)).await {
                Ok(digest) if digest == sha256_of(&key) => found.push((key, digest)),
                Err(Halt::Ended) => return Err(Halt::Ended),
                Ok(_) | Err(Halt::Failed(_)) => return Ok(None),
            }
        }
        self.done.fetch_add(pack.size(), Ordering::Relaxed);
        Ok(found.try_into().ok())
    }

    /// Copies both files of a pack, and has its row name the copies.
    async fn copied(&self, part: &Part, pack: &MovingPack) -> Result<[(String, String); 2], Halt> {
        let copies = [
            self.copied_file(part, &pack.pack_key).await?,
            self.copied_file(part, &pack.index_key).await?,
        ];
        let (id, pack) = (self.id, pack.clone());
        let keys = copies.each_ref().map(|(key, _)| key.clone());
        let named = self.app.write(move |tx| {
            let goes_on = started(tx, id)?.is_some();
            if goes_on {
                packs::name_new(tx, &pack, (&keys[0], &keys[1]))?;
            }
            Ok(goes_on)
        });
        match named.await? {
            true => Ok(copies),
            false => Err(Halt::Ended),
        }
    }

    async fn copied_file(&self, part: &Part, key: &str) -> Result<(String, String), Halt> {
        let told = |more: u64| {
            let more = i64::try_from(more).unwrap_or(i64::MAX);
            self.done.fetch_add(more, Ordering::Relaxed);
        };
        let copied = self.while_noting(self.app.blobs().copy_to(key, &self.to, &told)).await?;
        match copied.is_good() {
            true => Ok((copied.key, copied.sha256)),
            false => Err(differs(part, &sha256_of(key), &copied.sha256)),
        }
    }
}

/// What is told of a copy that is not what was copied.
fn differs(part: &Part, old: &str, new: &str) -> Halt {
    let word = word(&part.repository);
    Halt::Failed(format!("Failed to verify {word} repository checksum from {old} to {new}"))
}
