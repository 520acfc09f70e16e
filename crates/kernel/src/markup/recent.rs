//! Texts that were rendered lately, as they were shown.
//!
//! What becomes of a text depends on nothing but the parts it is told by, so an
//! entry is never wrong and all servers of a process may share it.

use moka::sync::Cache;
use sha2::{Digest, Sha256};
use std::sync::{Arc, LazyLock};

/// Bytes of the longest text that is remembered, and of all of them together.
const LONGEST: usize = 1024 * 1024;
const ALL: u64 = 16 * 1024 * 1024;
/// Bytes that an entry takes beside its text.
const ENTRY: usize = 256;

static TEXTS: LazyLock<Cache<[u8; 32], Arc<str>>> = LazyLock::new(|| {
    let size = |_: &[u8; 32], text: &Arc<str>| {
        u32::try_from(text.len().saturating_add(ENTRY)).unwrap_or(u32::MAX)
    };
    Cache::builder().max_capacity(ALL).weigher(size).build()
});

/// What `render` made of these parts before, or makes of them now. They must be
/// all that it looks at.
pub fn recent(parts: &[&str], render: impl FnOnce() -> String) -> Arc<str> {
    let mut key = Sha256::new();
    for part in parts {
        key.update(part.len().to_le_bytes());
        key.update(part);
    }
    let key: [u8; 32] = key.finalize().into();
    if let Some(known) = TEXTS.get(&key) {
        return known;
    }
    let made: Arc<str> = render().into();
    if made.len() <= LONGEST {
        TEXTS.insert(key, made.clone());
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_rendered_once_and_told_from_others_by_each_part() {
        let show = |parts: &[&str], html: &str| recent(parts, || html.to_owned()).to_string();
        assert_eq!(show(&["one text", "id"], "first"), "first");
        assert_eq!(show(&["one text", "id"], "second"), "first");
        assert_eq!(show(&["one text", "other"], "third"), "third");
        assert_eq!(show(&["one texti", "d"], "fourth"), "fourth");
        let long = "x".repeat(LONGEST + 1);
        assert_eq!(show(&["long"], &long), long);
        assert_eq!(show(&["long"], "again"), "again");
    }
}
