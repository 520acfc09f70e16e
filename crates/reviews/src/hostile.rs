//! What holds of everything that reads positions and suggestions, whatever is sent. Each
//! function panics where a promise is broken; the fuzz targets and the tests below feed them.

use crate::positions::{Edits, Position, Sent, Shas};
use crate::suggestions::{apply, by_path, change, fences};
use kernel::http::params::FromParams;
use repositories::formats::object_id::ObjectId;

/// Lines of each text that are asked for.
const SOME: u32 = 20;

/// Positions as they are sent and stored, and what differs of files.
pub fn positions(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(position) = Position::from_json(&text) {
        let again = Position::from_json(&position.to_json());
        assert_eq!(again, Some(position), "what is stored is read again");
    }
    if let Ok(source) = serde_json::from_str(&text) {
        let shas = Shas {
            base: ObjectId::ZERO,
            start: ObjectId::ZERO,
            head: ObjectId::ZERO,
        };
        let _ = Sent::from_params(&source).map(|sent| sent.wanted(shas));
    }
    let Some(edits) = Edits::read(&text) else {
        return;
    };
    for number in (1..SOME).chain([u32::MAX]) {
        let (new, old) = (edits.at_new(number), edits.at_old(number));
        assert_eq!((new.new_line(), old.old_line()), (Some(number), Some(number)));
        let _ = (edits.shows(new), edits.shows(old), edits.find(Some(number), Some(number)));
    }
}

/// The text of a note, and behind a NUL the file that it is about.
pub fn suggestions(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |byte| *byte == 0);
    let body = String::from_utf8_lossy(parts.next().unwrap_or_default());
    let file = parts.next().unwrap_or_default();
    let found = fences(&body);
    let at =
        |line: u32| found.iter().filter_map(move |fence| change::change("a", line, fence, file));
    for one in (0..SOME).flat_map(at) {
        assert!(one.from_line <= one.to_line, "lines go down");
        assert!(one.from_content.ends_with('\n'), "lines have ends");
        assert!(apply(file, &[&one]).is_ok(), "what is there can be replaced");
    }
    let all: Vec<_> = (0..SOME).flat_map(at).collect();
    if let Ok(files) = by_path(&all) {
        assert!(files.values().all(|changes| apply(file, changes).is_ok()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOTE: &[u8] = b"so:\n```suggestion:-1+2\nnew\n```\n\0a\nb\r\nc\nd";
    const SENT: &str = r#"{"base_sha":"1111111111111111111111111111111111111111","start_sha":"1111111111111111111111111111111111111111","head_sha":"1111111111111111111111111111111111111111","old_path":"a","new_path":"a","position_type":"text","old_line":null,"new_line":3,"line_range":null}"#;
    const HUNKS: &str = "@@ -1,3 +1,4 @@\n a\n-b\n+c\n+d\n e\n@@ -9 +10 @@\n-x\n+y\n";

    /// A text with a part of it replaced.
    fn spoiled(text: &[u8], at: usize, by: &[u8]) -> Vec<u8> {
        let (before, after) = text.split_at(at % text.len());
        [before, by, after.get(by.len()..).unwrap_or_default()].concat()
    }

    #[test]
    fn what_is_whole_is_read() {
        assert!(Position::from_json(SENT).is_some());
        positions(SENT.as_bytes());
        positions(HUNKS.as_bytes());
        suggestions(NOTE);
    }

    proptest! {
        #[test]
        fn what_is_spoiled_breaks_nothing(at in any::<usize>(), by in any::<[u8; 3]>()) {
            positions(&spoiled(SENT.as_bytes(), at, &by));
            positions(&spoiled(HUNKS.as_bytes(), at, &by));
            suggestions(&spoiled(NOTE, at, &by));
        }

        #[test]
        fn any_bytes_break_nothing(bytes in any::<Vec<u8>>()) {
            positions(&bytes);
            suggestions(&bytes);
        }
    }
}
