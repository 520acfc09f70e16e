//! What holds of every name, version and archive of Python, whatever its
//! bytes.
//!
//! [`check`] panics where a promise is broken. The fuzz target feeds it; the
//! test below does so with made-up bytes in every run.

use super::metadata::{self, Fields};
use super::names::{self, Kind};
use crate::keys::pypi::{self as version, normalized};
use kernel::error::Error;
use std::io::Cursor;

/// Reads the bytes as an upload would.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    names_are_safe_in_addresses(&text);
    versions_are_written_one_way(&text);
    texts_are_cut(bytes);
    for kind in [Kind::Wheel, Kind::Sources, Kind::ZippedSources] {
        if let Err(error) = metadata::read(Cursor::new(bytes), kind) {
            assert!(matches!(error, Error::BadRequest(_)), "{error}");
        }
    }
}

fn names_are_safe_in_addresses(text: &str) {
    if text.len() < 200 && names::check(text).is_ok() {
        let key = normalized(text);
        assert_eq!(normalized(&key), key);
        assert!(names::kind_of(&format!("{text}-1.0.tar.gz"), &key, "1").is_ok());
    }
    if names::kind_of(text, "a", "1").is_ok() {
        let usable = |b: u8| b.is_ascii_alphanumeric() || b"._+-!".contains(&b);
        assert!(text.bytes().all(usable) && !text.starts_with('.'), "{text}");
    }
}

fn versions_are_written_one_way(text: &str) {
    let Some(once) = version::normal(text) else {
        return;
    };
    assert_eq!(version::normal(&once).as_ref(), Some(&once));
    assert_eq!(version::key(&once), version::key(text));
}

fn texts_are_cut(bytes: &[u8]) {
    let shown = Fields::parse(bytes).metadata(|_| None);
    let long = shown.requires_python.unwrap_or_default();
    assert!(long.chars().count() <= 255 && !long.contains('\0'));
    assert!(shown.description.unwrap_or_default().chars().count() <= 4000);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn promises_hold(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            super::check(&bytes);
        }

        #[test]
        fn promises_hold_of_what_looks_right(
            text in "(a|A\\.b|1)[-_.]?1?(\\.0|-1|\\.dev)?(-py3-none-any\\.whl|\\.tar\\.gz|: .{0,9})?"
        ) {
            super::check(text.as_bytes());
        }
    }
}
