//! Texts that a server rendered lately, as they were shown.
//!
//! What becomes of a text depends on nothing but the parts it is told by, so an
//! entry is never wrong.

use super::bounds::turn;
use crate::app::App;
use crate::error::Result;
use moka::sync::Cache;
use sha2::{Digest, Sha256};
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use store::Tx;

/// Bytes of the longest text that is remembered, and of all of them together.
const LONGEST: usize = 1024 * 1024;
const ALL: u64 = 16 * 1024 * 1024;
/// Bytes that an entry takes beside its text.
const ENTRY: usize = 256;

/// The texts that a server rendered lately; plugged into its store.
#[derive(Clone)]
pub struct RecentTexts(Cache<[u8; 32], Arc<str>>);

impl Default for RecentTexts {
    fn default() -> RecentTexts {
        let size = |_: &[u8; 32], text: &Arc<str>| {
            u32::try_from(text.len().saturating_add(ENTRY)).unwrap_or(u32::MAX)
        };
        RecentTexts(Cache::builder().max_capacity(ALL).weigher(size).build())
    }
}

impl fmt::Debug for RecentTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecentTexts")
    }
}

impl RecentTexts {
    /// What `render` made of these parts before, or makes of them now. They must be
    /// all that it looks at.
    pub fn html(&self, parts: &[&str], render: impl FnOnce() -> String) -> Arc<str> {
        let mut key = Sha256::new();
        for part in parts {
            key.update(part.len().to_le_bytes());
            key.update(part);
        }
        let key: [u8; 32] = key.finalize().into();
        if let Some(known) = self.0.get(&key) {
            return known;
        }
        if !may_render() {
            return Arc::default();
        }
        let made: Arc<str> = render().into();
        if made.len() <= LONGEST {
            self.0.insert(key, made.clone());
        }
        made
    }
}

/// Reads what a page with texts shows: at once where all of them were rendered
/// lately, else at its turn, once more.
pub async fn read<T, F>(app: &App, work: F) -> Result<T>
where
    F: Fn(&mut Tx<'_>) -> Result<T> + Send + Sync + 'static,
    T: Send + 'static,
{
    let work = Arc::new(work);
    let first = work.clone();
    let known = app.read(move |tx| known_only(|| first(tx)).transpose()).await?;
    match known {
        Some(view) => Ok(view),
        None => {
            let _turn = turn().await?;
            app.read(move |tx| work(tx)).await
        }
    }
}

/// What may become of texts that are not known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unknown {
    Rendered,
    LeftOut,
    /// One of them was.
    WasLeftOut,
}

thread_local! {
    static UNKNOWN: Cell<Unknown> = const { Cell::new(Unknown::Rendered) };
}

fn may_render() -> bool {
    let may = UNKNOWN.get() == Unknown::Rendered;
    if !may {
        UNKNOWN.set(Unknown::WasLeftOut);
    }
    may
}

/// Does work without rendering a text; nothing, if it met one that is not known.
fn known_only<T>(work: impl FnOnce() -> T) -> Option<T> {
    /// Also after a panic: the thread goes on to other work.
    struct Rendered;
    impl Drop for Rendered {
        fn drop(&mut self) {
            UNKNOWN.set(Unknown::Rendered);
        }
    }
    let _rendered = Rendered;
    UNKNOWN.set(Unknown::LeftOut);
    let made = work();
    (UNKNOWN.get() == Unknown::LeftOut).then_some(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_rendered_once_and_told_from_others_by_each_part() {
        let recent = RecentTexts::default();
        let show = |parts: &[&str], html: &str| recent.html(parts, || html.to_owned()).to_string();
        assert_eq!(show(&["one text", "id"], "first"), "first");
        assert_eq!(show(&["one text", "id"], "second"), "first");
        assert_eq!(show(&["one text", "other"], "third"), "third");
        assert_eq!(show(&["one texti", "d"], "fourth"), "fourth");
        let long = "x".repeat(LONGEST + 1);
        assert_eq!(show(&["long"], &long), long);
        assert_eq!(show(&["long"], "again"), "again");
    }

    #[test]
    fn without_a_turn_only_what_is_known_is_shown() {
        let recent = RecentTexts::default();
        let show = |text: &str| recent.html(&[text], || format!("<p>{text}")).to_string();
        assert_eq!(known_only(|| show("a")), None);
        assert_eq!(show("a"), "<p>a");
        assert_eq!(known_only(|| show("a")), Some("<p>a".to_owned()));
        assert_eq!(known_only(|| show("a") + &show("b")), None);
        let panicked = std::panic::catch_unwind(|| known_only(|| panic!("while reading")));
        assert!(panicked.is_err());
        assert_eq!(show("b"), "<p>b");
    }
}
