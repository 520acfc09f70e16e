//! How long what was worked out of code is remembered, here and by others.

use http::HeaderValue;
use kernel::error::{Error, Result};
use moka::sync::Cache;
use std::hash::Hash;

/// Bytes that an entry takes beside what it holds.
const ENTRY: usize = 256;

/// What was worked out lately, at most so many bytes of it, where an entry has so many
/// as `size` says.
pub fn by_bytes<K, V>(most: u64, size: fn(&K, &V) -> usize) -> Cache<K, V>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    let size = move |key: &K, value: &V| {
        u32::try_from(size(key, value).saturating_add(ENTRY)).unwrap_or(u32::MAX)
    };
    Cache::builder().max_capacity(most).weigher(size).build()
}

/// Says that an answer is fresh for so many seconds, and who may keep it (`private`, or
/// `public` where everybody may read the code); with 0, for no moment.
pub fn cached(seconds: u32, by: &str) -> Result<HeaderValue> {
    if seconds == 0 {
        let text = format!(
            "max-age=0, {by}, must-revalidate, stale-while-revalidate=0, stale-if-error=0, \
             s-maxage=0"
        );
        return HeaderValue::from_str(&text).map_err(Error::internal);
    }
    let text = format!(
        "max-age={seconds}, {by}, must-revalidate, stale-while-revalidate=60, \
         stale-if-error=300, s-maxage=60"
    );
    HeaderValue::from_str(&text).map_err(Error::internal)
}
