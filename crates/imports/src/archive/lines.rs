//! The lists of a file that was taken apart, some lines at a time.

use super::format::List;
use super::store::{self, FileRow, Member};
use crate::model::{Kind, Object};
use crate::run::{Lost, Page, Stage, Trouble};
use bytes::{Bytes, BytesMut};
use futures_util::TryStreamExt;
use kernel::app::App;
use kernel::error::Result;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Bytes that are read for a page, and of the longest line.
const PIECE: u64 = 1024 * 1024;
const LONGEST: u64 = 32 * 1024 * 1024;
/// The largest number that an issue or the like may have.
const MOST_NUMBER: i64 = 1_000_000_000;

/// Some lines of a list.
pub struct Lines {
    /// Each with where it stands.
    pub lines: Vec<(String, Vec<u8>)>,
    /// Where the next ones begin.
    pub next: Option<String>,
}

/// The next lines of a list, from where the ones before said, at most so many.
pub async fn read(
    app: &App, row: &FileRow, list: List, cursor: Option<&str>, most: usize,
) -> Result<Lines, Trouble> {
    let (name, offset) = place(cursor);
    let (file, from) = (row.id, name.to_owned());
    let parts = app.read(move |tx| store::parts(tx, file, list, &from, 2)).await?;
    let mut parts = parts.into_iter();
    let Some(part) = parts.next() else {
        return Ok(Lines { lines: Vec::new(), next: None });
    };
    let offset = if part.name == name { offset } else { 0 };
    let size = part.size.unsigned_abs();
    if offset >= size {
        let next = parts.next().map(|part| cursor_at(&part, 0));
        return Ok(Lines { lines: Vec::new(), next });
    }
    let (lines, end) = some(app, &part, offset, most).await?;
    let next = match end < size {
        true => Some(cursor_at(&part, end)),
        false => parts.next().map(|part| cursor_at(&part, 0)),
    };
    Ok(Lines { lines, next })
}

fn cursor_at(part: &Member, offset: u64) -> String {
    format!("{}:{offset}", part.name)
}

fn place(cursor: Option<&str>) -> (&str, u64) {
    let (name, offset) = cursor.and_then(|it| it.rsplit_once(':')).unwrap_or(("", "0"));
    (name, offset.parse().unwrap_or_default())
}

/// The lines of a part from somewhere on, and where they end.
async fn some(
    app: &App, part: &Member, offset: u64, most: usize,
) -> Result<(Vec<(String, Vec<u8>)>, u64), Trouble> {
    let size = part.size.unsigned_abs();
    let mut length = PIECE;
    loop {
        let end = size.min(offset.saturating_add(length));
        let bytes = range(app, part, offset..end).await?;
        let (found, taken) = cut(&bytes, end == size, most);
        if taken > 0 || end == size {
            let mut at = offset;
            let mut lines = Vec::with_capacity(found.len());
            for line in found {
                let key = cursor_at(part, at);
                at += line.len() as u64 + 1;
                if !line.is_empty() {
                    lines.push((key, line.to_vec()));
                }
            }
            return Ok((lines, offset + taken as u64));
        }
        if length >= LONGEST {
            return Err(Trouble::Refused(format!("A line of {} is too long.", part.name)));
        }
        length = LONGEST;
    }
}

/// Whole lines from the beginning, and how many bytes they are.
fn cut(bytes: &[u8], is_end: bool, most: usize) -> (Vec<&[u8]>, usize) {
    let (mut lines, mut taken) = (Vec::new(), 0);
    while lines.len() < most && taken < bytes.len() {
        let rest = &bytes[taken..];
        match rest.iter().position(|byte| *byte == b'\n') {
            Some(at) => {
                lines.push(&rest[..at]);
                taken += at + 1;
            }
            None if is_end => {
                lines.push(rest);
                taken = bytes.len();
            }
            None => break,
        }
    }
    (lines, taken)
}

async fn range(app: &App, part: &Member, range: std::ops::Range<u64>) -> Result<Bytes, Trouble> {
    let (_, mut bytes) = app.blobs().get(&part.blob_key, Some(range)).await?;
    let mut whole = BytesMut::new();
    while let Some(bytes) = bytes.try_next().await? {
        whole.extend_from_slice(&bytes);
    }
    Ok(whole.freeze())
}

/// The page of objects of a stage.
pub async fn page(
    app: &App, row: &FileRow, (stage, list): (Stage, List), cursor: Option<&str>,
) -> Result<Page, Trouble> {
    let Lines { lines, next } = read(app, row, list, cursor, Page::MOST).await?;
    let mut page = Page { next, ..Page::default() };
    for (key, line) in lines {
        match object(&line, list) {
            Ok(object) => page.objects.push(object),
            Err(reason) => page.lost.push(lost(stage.kind(), key, reason)),
        }
    }
    Ok(page)
}

fn lost(kind: Kind, key: String, reason: String) -> Lost {
    Lost { kind, key, reason }
}

fn object(line: &[u8], list: List) -> std::result::Result<Object, String> {
    let object: Object = thing(line)?;
    if List::of(&object) != Some(list) {
        return Err(format!("It does not belong to {list}."));
    }
    let number = match &object {
        Object::Issue(issue) => issue.number,
        Object::MergeRequest(request) => request.number,
        Object::Milestone(milestone) => milestone.number,
        _ => 1,
    };
    match (1..=MOST_NUMBER).contains(&number) {
        true => Ok(object),
        false => Err(format!("It has the number {number}.")),
    }
}

/// Reads a line. Zero characters, which no database keeps, are left out.
pub fn thing<T: DeserializeOwned>(line: &[u8]) -> std::result::Result<T, String> {
    let wrong = |error: serde_json::Error| format!("It cannot be read: {error}");
    let has_zero = line.windows(6).any(|six| six == b"\\u0000");
    if !has_zero {
        return serde_json::from_slice(line).map_err(wrong);
    }
    let mut value: Value = serde_json::from_slice(line).map_err(wrong)?;
    without_zeroes(&mut value);
    serde_json::from_value(value).map_err(wrong)
}

fn without_zeroes(value: &mut Value) {
    match value {
        Value::String(text) => text.retain(|c| c != '\0'),
        Value::Array(all) => all.iter_mut().for_each(without_zeroes),
        Value::Object(all) => all.values_mut().for_each(without_zeroes),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_where_they_end() {
        let text = |lines: &[&[u8]]| -> Vec<String> {
            lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect()
        };
        let (lines, taken) = cut(b"a\nbc\nd", false, 10);
        assert_eq!((text(&lines), taken), (vec!["a".into(), "bc".into()], 5));
        let (lines, taken) = cut(b"a\nbc\nd", true, 10);
        assert_eq!((text(&lines), taken), (vec!["a".into(), "bc".into(), "d".into()], 6));
        let (lines, taken) = cut(b"a\nbc\nd", true, 1);
        assert_eq!((text(&lines), taken), (vec!["a".to_owned()], 2));
        assert_eq!(cut(b"abc", false, 10).1, 0);
    }

    #[test]
    fn objects_are_read_in_their_list_alone() {
        let label = br##"{"type": "label", "name": "a\u0000b", "color": "#aabbcc"}"##;
        let Ok(Object::Label(read)) = object(label, List::Labels) else {
            panic!("it is a label");
        };
        assert_eq!(read.name, "ab");
        assert!(object(label, List::Issues).is_err());
        let milestone = |number: i64| {
            let at = "2031-01-01T00:00:00Z";
            serde_json::json!({
                "type": "milestone", "number": number, "title": "1.0", "created_at": at,
                "updated_at": at,
            })
            .to_string()
        };
        assert!(object(milestone(7).as_bytes(), List::Milestones).is_ok());
        for number in [0, -1, i64::MAX] {
            assert!(object(milestone(number).as_bytes(), List::Milestones).is_err());
        }
        for line in [&b"{"[..], b"[]", b"null", b"{\"type\":\"other\"}", b"\xff"] {
            assert!(object(line, List::Labels).is_err());
        }
    }

    #[test]
    fn a_cursor_leads_back() {
        assert_eq!(place(None), ("", 0));
        assert_eq!(place(Some("issues-000001.ndjson:17")), ("issues-000001.ndjson", 17));
        assert_eq!(place(Some("nonsense")), ("", 0));
    }
}
