//! Queries that clients send by their digest (docs/interface/graphql.md 1), and those
//! that are not on the operator's list.
//!
//! They are kept in memory, by each server for itself: a client whose digest
//! is unknown sends the text with it, which makes it known. Nothing is
//! believed because it was kept: every use is checked like a text.

use super::incoming::Entry;
use crate::allowed;
use crate::validation::{Source, StaticError};
use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Most queries kept; the one that was used least of late makes room. Texts
/// are bounded by the limit of a request.
const MAX_KEPT: usize = 1_000;

/// What `extensions.persistedQuery` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuerySource {
    /// This SHA-256 of the text.
    Known([u8; 32]),
    /// Nothing that can be used, and why.
    Unusable(&'static str),
}

impl QuerySource {
    pub fn read(given: &Json) -> QuerySource {
        if given.get("version") != Some(&Json::from(1)) {
            return QuerySource::Unusable("Unsupported persisted query version");
        }
        let mut digest = [0; 32];
        let hash = given.get("sha256Hash").and_then(Json::as_str);
        match hash.map(|hash| hex::decode_to_slice(hash, &mut digest)) {
            Some(Ok(())) => QuerySource::Known(digest),
            _ => QuerySource::Unusable("sha256Hash must be a SHA-256 in hex"),
        }
    }
}

/// A refusal that clients answer by sending the text.
pub const NOT_FOUND: &str = "PERSISTED_QUERY_NOT_FOUND";
/// A refusal after which clients send no digests.
pub const NOT_SUPPORTED: &str = "PERSISTED_QUERY_NOT_SUPPORTED";

/// Texts on the operator's list by their digests.
pub type Listed = HashMap<String, String>;

pub fn refuse_unlisted(entry: &mut Entry, listed: &Listed) {
    let known = |source: &Source| listed.contains_key(&allowed::digest(&source.query));
    if !entry.source.as_ref().map_or(true, known) {
        let text = "This query is not on the list of queries that this server answers";
        entry.source = Err(vec![StaticError::new("queryNotAllowed", text)]);
    }
}

#[derive(Default)]
pub struct Queries(Mutex<QueryCache>);

#[derive(Default)]
struct QueryCache {
    /// Text and last use.
    by_digest: HashMap<[u8; 32], (Arc<str>, u64)>,
    uses: u64,
}

impl Queries {
    fn get(&self, digest: &[u8; 32]) -> Option<Arc<str>> {
        let mut queries = self.0.lock().ok()?;
        queries.uses += 1;
        let now = queries.uses;
        let (text, used) = queries.by_digest.get_mut(digest)?;
        *used = now;
        Some(text.clone())
    }

    fn put(&self, digest: [u8; 32], text: &str) {
        let Ok(mut queries) = self.0.lock() else {
            return;
        };
        queries.uses += 1;
        let now = queries.uses;
        if queries.by_digest.len() >= MAX_KEPT && !queries.by_digest.contains_key(&digest) {
            let oldest = queries.by_digest.iter().min_by_key(|(_, (_, used))| *used);
            if let Some(oldest) = oldest.map(|(digest, _)| *digest) {
                queries.by_digest.remove(&oldest);
            }
        }
        queries.by_digest.insert(digest, (text.into(), now));
    }

    /// The digest by which an entry's query is to be looked up on the list:
    /// any where only listed ones are answered, else those that are unknown.
    pub fn wanted(&self, entry: &Entry, usable: bool, listed_only: bool) -> Option<String> {
        let source = entry.source.as_ref().ok()?;
        match entry.asks.persisted {
            Some(QuerySource::Known(digest)) if usable && source.query.is_empty() => {
                let unknown = || self.get(&digest).is_none();
                (listed_only || unknown()).then(|| hex::encode(digest))
            }
            _ => listed_only.then(|| allowed::digest(&source.query)),
        }
    }

    /// Puts the text in place of a digest. `usable` says whether this caller
    /// may use digests at all; texts of others are taken as they are.
    pub fn resolve(&self, entry: &mut Entry, usable: bool, listed: &Listed) {
        let (Some(asked), Ok(source)) = (entry.asks.persisted, &mut entry.source) else {
            return;
        };
        let refuse = |code, text: &str| Err(vec![StaticError::new(code, text)]);
        let sent = !source.query.is_empty();
        match asked {
            _ if !usable => {
                entry.asks.persisted = None;
                if !sent {
                    entry.source = refuse(NOT_SUPPORTED, "PersistedQueryNotSupported");
                }
            }
            QuerySource::Unusable(why) => entry.source = refuse("persistedQueryInvalid", why),
            QuerySource::Known(digest) if sent => {
                if Sha256::digest(&source.query).as_slice() != digest {
                    let text = "The query does not have the digest that was sent with it";
                    entry.source = refuse("PERSISTED_QUERY_HASH_MISMATCH", text);
                }
            }
            QuerySource::Known(digest) => {
                match (listed.get(&hex::encode(digest)), self.get(&digest)) {
                    (Some(text), _) => source.query.clone_from(text),
                    (None, Some(text)) => source.query = text.to_string(),
                    (None, None) => entry.source = refuse(NOT_FOUND, "PersistedQueryNotFound"),
                }
            }
        }
    }

    /// Keeps the text of an entry that passed every check.
    pub fn keep(&self, entry: &Entry) {
        if let (Some(QuerySource::Known(digest)), Ok(source)) =
            (entry.asks.persisted, &entry.source)
        {
            self.put(digest, &source.query);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_extension_is_read_strictly() {
        let hash = "ab".repeat(32);
        let read = |version: Json, hash: &str| {
            QuerySource::read(&json!({"version": version, "sha256Hash": hash}))
        };
        assert_eq!(read(json!(1), &hash), QuerySource::Known([0xab; 32]));
        assert_eq!(read(json!(1), &hash.to_uppercase()), QuerySource::Known([0xab; 32]));
        for bad in [
            read(json!(2), &hash),
            read(json!("1"), &hash),
            read(json!(1), &hash[1..]),
            read(json!(1), ""),
            read(json!(1), &"zz".repeat(32)),
            QuerySource::read(&json!(true)),
            QuerySource::read(&json!(null)),
        ] {
            assert!(matches!(bad, QuerySource::Unusable(_)), "{bad:?}");
        }
    }

    #[test]
    fn what_is_used_least_of_late_makes_room() {
        let queries = Queries::default();
        let digest = |n: usize| -> [u8; 32] { Sha256::digest(n.to_string()).into() };
        for n in 0..MAX_KEPT {
            queries.put(digest(n), "{a}");
        }
        assert!(queries.get(&digest(0)).is_some());
        queries.put(digest(MAX_KEPT), "{b}");
        assert!(queries.get(&digest(0)).is_some(), "it was just used");
        assert!(queries.get(&digest(1)).is_none());
        assert_eq!(queries.get(&digest(MAX_KEPT)).as_deref(), Some("{b}"));
        queries.put(digest(MAX_KEPT), "{b}");
        assert!(queries.get(&digest(2)).is_some(), "the same again takes no room");
    }
}
