//! Makes the new text of files. Pure.

use super::change::{Change, lines, part, shown};
use super::refusal::Refusal;
use std::collections::BTreeMap;

/// Changes by the paths of their files, in the order of their lines.
///
/// # Errors
///
/// [`Refusal::Overlap`] if two of them replace the same line.
pub fn by_path(changes: &[Change]) -> Result<BTreeMap<&str, Vec<&Change>>, Refusal> {
    let mut files: BTreeMap<&str, Vec<&Change>> = BTreeMap::new();
    for change in changes {
        files.entry(change.path.as_str()).or_default().push(change);
    }
    for changes in files.values_mut() {
        sort(changes)?;
    }
    Ok(files)
}

fn sort(changes: &mut [&Change]) -> Result<(), Refusal> {
    changes.sort_by_key(|change| change.from_line);
    let mut last = 0;
    for change in changes {
        if change.from_line <= last {
            return Err(Refusal::Overlap);
        }
        last = change.to_line;
    }
    Ok(())
}

/// A file with lines of it replaced. Everything else stays byte for byte, also that the last
/// line has no end.
///
/// # Errors
///
/// [`Refusal::Overlap`] if two changes replace the same line, [`Refusal::Outdated`] if what
/// stands there is not what was to be replaced.
pub fn apply(file: &[u8], changes: &[&Change]) -> Result<Vec<u8>, Refusal> {
    let mut changes = changes.to_vec();
    sort(&mut changes)?;
    let lines: Vec<&[u8]> = lines(file).collect();
    let mut made = Vec::with_capacity(file.len());
    let mut next = 1;
    for change in changes {
        let replaced = part(&lines, change.from_line, change.to_line);
        let replaced = replaced.filter(|lines| shown(lines) == change.from_content);
        let replaced = replaced.ok_or_else(|| change.outdated())?;
        if let Some(before) = part(&lines, next, change.from_line.saturating_sub(1)) {
            made.extend_from_slice(&before.concat());
        }
        let is_open = replaced.last().is_some_and(|last| !last.ends_with(b"\n"));
        let text = match is_open {
            true => without_end(&change.to_content),
            false => &change.to_content,
        };
        made.extend_from_slice(text.as_bytes());
        next = change.to_line.saturating_add(1);
    }
    let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    if let Some(rest) = part(&lines, next, count) {
        made.extend_from_slice(&rest.concat());
    }
    Ok(made)
}

fn without_end(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suggestions::change::change;
    use crate::suggestions::fences::Fence;
    use proptest::prelude::*;

    fn at(file: &str, line: u32, below: u32, content: &str) -> Change {
        let fence = Fence { above: 0, below, content: content.into() };
        change("a.rs", line, &fence, file.as_bytes()).expect("the line is there")
    }

    fn applied(file: &str, changes: &[Change]) -> Result<String, Refusal> {
        let changes: Vec<&Change> = changes.iter().collect();
        let made = apply(file.as_bytes(), &changes)?;
        Ok(String::from_utf8(made).expect("text"))
    }

    #[test]
    fn lines_are_replaced_and_others_stay() {
        let file = "a\nb\nc\nd";
        let two = [at(file, 4, 0, "D\n"), at(file, 1, 1, "x\ny\nz\n")];
        assert_eq!(applied(file, &two), Ok("x\ny\nz\nc\nD".into()));
        assert_eq!(applied(file, &[at(file, 2, 1, "")]), Ok("a\nd".into()));
        assert_eq!(applied(file, &[]), Ok(file.into()));
        let windows = "a\r\nb\r\n";
        assert_eq!(applied(windows, &[at(windows, 1, 0, "x\ny\n")]), Ok("x\r\ny\r\nb\r\n".into()));
    }

    #[test]
    fn what_overlaps_or_changed_is_refused() {
        let file = "a\nb\nc\n";
        let both = [at(file, 1, 1, "x\n"), at(file, 2, 0, "y\n")];
        assert_eq!(applied(file, &both), Err(Refusal::Overlap));
        assert_eq!(by_path(&both), Err(Refusal::Overlap));
        let elsewhere = Change { path: "b.rs".into(), ..both[1].clone() };
        let files = [both[0].clone(), elsewhere];
        assert_eq!(by_path(&files).map(|files| files.len()), Ok(2));
        let one = [at(file, 2, 0, "x\n")];
        assert_eq!(applied("a\nB\nc\n", &one), Err(Refusal::Outdated { is_one: true }));
        let many = [at(file, 2, 1, "x\n")];
        assert_eq!(applied("a\nb\n", &many), Err(Refusal::Outdated { is_one: false }));
    }

    #[test]
    fn bytes_that_are_no_text_stay() {
        let file = b"\xff\nb\n\xfe";
        let fence = Fence { above: 0, below: 0, content: "x\n".into() };
        let found = change("a", 2, &fence, file).expect("the line is there");
        assert_eq!(apply(file, &[&found]).as_deref(), Ok(&b"\xff\nx\n\xfe"[..]));
    }

    proptest! {
        /// The same as replacing in a list of lines.
        #[test]
        fn lines_are_replaced_where_they_stand(
            lines in proptest::collection::vec("[a-c]{0,2}", 1..12),
            picks in proptest::collection::vec(any::<Option<u8>>(), 12),
        ) {
            let file = lines.join("\n") + "\n";
            let count = file.lines().count();
            let (mut changes, mut expected) = (Vec::new(), String::new());
            for (at, pick) in (0..count).zip(&picks) {
                match pick {
                    Some(text) => {
                        let text = format!("new {text}\n");
                        changes.push(super::tests::at(&file, at as u32 + 1, 0, &text));
                        expected.push_str(&text);
                    }
                    None => {
                        expected.push_str(file.lines().nth(at).unwrap_or_default());
                        expected.push('\n');
                    }
                }
            }
            changes.reverse();
            prop_assert_eq!(applied(&file, &changes), Ok(expected));
        }
    }
}
