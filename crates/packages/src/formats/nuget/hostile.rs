//! What holds of every name, version, description, symbol file and question
//! of NuGet, whatever its bytes.
//!
//! [`check`] panics where a promise is broken. The fuzz target feeds it; the
//! tests below do so with made-up bytes in every run.

use super::nuspec::{self, Nuspec};
use super::odata::filter;
use super::{file_name, pdb};
use crate::keys::nuget::{self as version, Number};
use kernel::error::{Error, Result};
use std::io::Cursor;

/// Reads the bytes as uploads and questions would.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    versions_are_written_one_way(&text);
    descriptions_are_refused_or_kept(bytes);
    let _ = refusal(filter::condition(&text));
    let _ = refusal(filter::order(&text));
    filter::quoted(&text);
    if let Some(found) = refusal(pdb::identify("a.pdb", Cursor::new(bytes))) {
        assert_eq!((found.signature.len(), found.checksum.len()), (40, 64));
    }
    let _ = refusal(nuspec::read(Cursor::new(bytes)));
}

fn versions_are_written_one_way(text: &str) {
    let key = version::key(text);
    let Some(number) = Number::parse(text) else {
        return;
    };
    assert_eq!(version::key(&key), key);
    assert_eq!(Number::parse(&key), Some(number));
}

fn descriptions_are_refused_or_kept(bytes: &[u8]) {
    let Some(nuspec) = refusal(Nuspec::parse(bytes)) else {
        return;
    };
    let kept = nuspec.kept().expect("texts make JSON");
    assert_eq!(Nuspec::of_kept(Some(&kept)), nuspec);
    let file = file_name(&nuspec.id, &nuspec.version, "nupkg");
    let usable = |b: u8| b.is_ascii_alphanumeric() || b"-+._".contains(&b);
    assert!(file.bytes().all(usable), "{file}");
    assert!(!kept.contains('\0'));
}

/// What was read; what was not is refused with a reason.
fn refusal<T>(read: Result<T>) -> Option<T> {
    match read {
        Ok(read) => Some(read),
        Err(Error::BadRequest(_)) => None,
        Err(error) => panic!("{error}"),
    }
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
            inner in "(<[/!?]?(id|version|x|group|dependency)( id='[a|:]')?/?>|a|1\\.0|&[a-z#0-9]{1,3};|\\PC|<!\\[CDATA\\[|\\]\\]>|--)*"
        ) {
            super::check(inner.as_bytes());
            let whole = format!(
                "<package><metadata><id>a.B</id><version>1.0-X+y</version>\
                 <dependencies>{inner}</dependencies></metadata></package>"
            );
            super::check(whole.as_bytes());
        }

        #[test]
        fn promises_hold_of_questions(
            text in "(Id|Version|tolower|concat|not |datetime| eq | and | or |\\(|\\)|,|'a''?'?|null|-?[0-9]{1,20}| desc)*"
        ) {
            super::check(text.as_bytes());
        }
    }
}
