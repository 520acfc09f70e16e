//! Which lines of a file a suggestion replaces, and by what.

use super::around::Around;
use super::fences::Fence;

/// Lines of a file, both ends among them, and what shall stand there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub path: String,
    /// The first line, from 1.
    pub from_line: u32,
    /// The last one.
    pub to_line: u32,
    /// Whole lines, the last one with an end, whether it has one or not.
    pub from_content: String,
    /// Likewise; empty where the lines shall go.
    pub to_content: String,
}

/// What a suggestion at a line replaces; none if the file has no such line.
pub fn change(path: &str, line: u32, fence: &Fence, file: &[u8]) -> Option<Change> {
    Around::of(file, line)?.change(path, line, fence)
}

/// The lines of a file, each with its end.
pub(super) fn lines(file: &[u8]) -> impl Iterator<Item = &[u8]> {
    file.split_inclusive(|byte| *byte == b'\n')
}

/// The lines from one to another, both among them.
pub(super) fn part<'l, 'f>(lines: &'l [&'f [u8]], from: u32, to: u32) -> Option<&'l [&'f [u8]]> {
    let first = usize::try_from(from).ok()?.checked_sub(1)?;
    lines.get(first..usize::try_from(to).ok()?).filter(|part| !part.is_empty())
}

/// Lines as they are shown: the last one has an end.
pub(super) fn shown(lines: &[&[u8]]) -> String {
    let mut text = String::from_utf8_lossy(&lines.concat()).into_owned();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(line: u32, (above, below): (u32, u32), content: &str, file: &str) -> Option<Change> {
        let fence = Fence { above, below, content: content.into() };
        change("a.rs", line, &fence, file.as_bytes())
    }

    #[test]
    fn lines_around_the_note_are_replaced() {
        let found = changed(2, (0, 1), "x\n", "a\nb\nc\nd\n").expect("a change");
        assert_eq!((found.from_line, found.to_line), (2, 3));
        assert_eq!((&*found.from_content, &*found.to_content), ("b\nc\n", "x\n"));
        let most = changed(2, (9, 9), "", "a\nb\nc").expect("a change");
        assert_eq!((most.from_line, most.to_line), (1, 3));
        assert_eq!((&*most.from_content, &*most.to_content), ("a\nb\nc\n", ""));
    }

    #[test]
    fn lines_end_as_the_file_has_it() {
        let found = changed(1, (0, 0), "x\ny\n", "a\r\nb\r\n").expect("a change");
        assert_eq!((&*found.from_content, &*found.to_content), ("a\r\n", "x\r\ny\r\n"));
    }

    #[test]
    fn lines_that_are_not_there_are_not_replaced() {
        assert_eq!(changed(0, (0, 0), "x\n", "a\n"), None);
        assert_eq!(changed(2, (5, 0), "x\n", "a\n"), None);
        assert_eq!(changed(1, (0, 0), "x\n", ""), None);
    }
}
