//! What upstream answered lately, by import: what did not change since need not be sent
//! again, and costs nothing of what may be asked.

use bytes::Bytes;
use code::caching::by_bytes;
use http::header::{self, HeaderValue};
use kernel::outbound::Answer;
use moka::sync::Cache;
use sha2::{Digest, Sha256};
use url::Url;

/// Bytes of all that is remembered, and of one answer.
const ALL: u64 = 16 * 1024 * 1024;
const ONE: usize = 1024 * 1024;

/// An import, and the digest of an address.
type Key = (i64, [u8; 32]);

/// An answer, and what upstream knows it by.
#[derive(Clone)]
pub struct Known {
    pub tag: HeaderValue,
    pub body: Bytes,
    pub link: String,
}

pub struct Answers(Cache<Key, Known>);

impl Default for Answers {
    fn default() -> Answers {
        Answers(by_bytes(ALL, |_: &Key, known: &Known| known.body.len() + known.link.len()))
    }
}

impl Answers {
    pub fn of(&self, import: i64, url: &Url) -> Option<Known> {
        self.0.get(&key(import, url))
    }

    /// Remembers an answer that upstream knows by a tag.
    pub fn remember(&self, import: i64, url: &Url, answer: &Answer, link: &str) {
        let Some(tag) = answer.headers.get(header::ETAG) else {
            return;
        };
        if answer.body.len() <= ONE {
            let (tag, body) = (tag.clone(), answer.body.clone());
            self.0.insert(key(import, url), Known { tag, body, link: link.to_owned() });
        }
    }
}

fn key(import: i64, url: &Url) -> Key {
    (import, Sha256::digest(url.as_str()).into())
}
