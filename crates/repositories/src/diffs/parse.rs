//! Reads what `git diff-tree -p --raw` tells: a line for each file, an empty line, and
//! what differs of each in the same order.

use super::{Change, Diffs, FileDiff, Limits, Stats};
use crate::formats::object_id::ObjectId;
use std::collections::HashMap;

/// Longest beginning of a line that is looked at where the line is not kept.
const LONGEST_HEAD: usize = 64 * 1024;
const NO_MODE: &str = "000000";

/// Reads bytes as they come.
pub(crate) struct Parser {
    limits: Limits,
    /// A file of which only white space differs is no difference.
    ignores_space: bool,
    diffs: Diffs,
    /// How the lines of each file begin, and whether there were any.
    heads: Vec<(Vec<u8>, bool)>,
    line: Vec<u8>,
    /// Of this line there is more than is kept.
    is_cut: bool,
    /// The lines of files were read.
    in_patches: bool,
    /// Which file is read, and its text as it grows.
    at: Option<usize>,
    text: Vec<u8>,
    in_hunks: bool,
    /// Lines and bytes of this file.
    of_file: (usize, usize),
    /// Lines and bytes of all files whose text is kept.
    lines: usize,
    bytes: usize,
    /// Files behind those that took the room are left out.
    stops: bool,
    /// The room is taken.
    is_full: bool,
}

impl Parser {
    pub(crate) fn new(limits: Limits, ignores_space: bool) -> Parser {
        Parser {
            limits,
            ignores_space,
            diffs: Diffs::default(),
            heads: Vec::new(),
            line: Vec::new(),
            is_cut: false,
            in_patches: false,
            at: None,
            text: Vec::new(),
            in_hunks: false,
            of_file: (0, 0),
            lines: 0,
            bytes: 0,
            stops: false,
            is_full: false,
        }
    }

    /// The file that does not fit is collapsed and the last one; those behind it, which
    /// would be collapsed too, are left out.
    pub(crate) fn stop_when_full(&mut self) {
        self.stops = true;
    }

    /// Takes some bytes; false if no more are wanted.
    pub(crate) fn take(&mut self, mut bytes: &[u8]) -> bool {
        let longest = self.limits.file_bytes.max(LONGEST_HEAD);
        while !bytes.is_empty() {
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            let room = longest.saturating_sub(self.line.len());
            self.is_cut |= part.len() > room;
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            let Some(end) = end else {
                return true;
            };
            bytes = &bytes[end + 1..];
            let line = std::mem::take(&mut self.line);
            let goes_on = self.line(&line);
            self.is_cut = false;
            if !goes_on {
                return false;
            }
        }
        true
    }

    /// All that was read.
    pub(crate) fn end(mut self) -> Diffs {
        self.end_file();
        if self.ignores_space && self.in_patches {
            let mut heads = self.heads.iter();
            self.diffs.files.retain(|file| {
                let is_told = heads.next().is_none_or(|(_, is_told)| *is_told);
                is_told || file.change != Change::Changed || file.old_mode != file.new_mode
            });
        }
        self.diffs
    }

    fn line(&mut self, line: &[u8]) -> bool {
        match self.in_patches {
            false if line.is_empty() => self.in_patches = true,
            false => self.raw(line),
            // No line of a hunk begins so.
            true if line.starts_with(b"diff --git ") => return self.begin_file(line),
            true => self.patch(line),
        }
        true
    }

    fn raw(&mut self, line: &[u8]) {
        if self.diffs.files.len() >= self.limits.files {
            self.diffs.overflow = true;
        } else if let Some((files, head)) = raw(line) {
            self.heads.extend(files.iter().map(|_| (head.clone(), false)));
            self.diffs.files.extend(files);
        }
    }

    /// Goes on to the file that a line names, if it is one that is wanted. Files without
    /// lines are passed over.
    fn begin_file(&mut self, line: &[u8]) -> bool {
        self.end_file();
        let next = self.at.map_or(0, |at| at + 1);
        let rest = self.heads.iter().skip(next);
        let ahead = rest.enumerate().find(|(_, (head, _))| head == line);
        let at = next + ahead.map_or(0, |(ahead, _)| ahead);
        self.at = Some(at);
        self.in_hunks = false;
        if self.is_full {
            self.diffs.files.truncate(at);
            self.diffs.overflow = true;
            return false;
        }
        if let Some((_, is_told)) = self.heads.get_mut(at) {
            *is_told = true;
        }
        let Some(file) = self.diffs.files.get_mut(at) else {
            return false;
        };
        file.is_collapsed |= at >= self.limits.open_files;
        true
    }

    fn end_file(&mut self) {
        let text = std::mem::take(&mut self.text);
        let (lines, bytes) = std::mem::take(&mut self.of_file);
        let Some(file) = self.at.and_then(|at| self.diffs.files.get_mut(at)) else {
            return;
        };
        if !(file.is_too_large || file.is_collapsed) {
            (self.lines, self.bytes) = (self.lines + lines, self.bytes + bytes);
            file.text = String::from_utf8_lossy(&text).into_owned();
        }
    }

    fn patch(&mut self, line: &[u8]) {
        let Some(file) = self.at.and_then(|at| self.diffs.files.get_mut(at)) else {
            return;
        };
        let is_binary = !self.in_hunks && line.starts_with(b"Binary files ");
        file.is_binary |= is_binary;
        self.in_hunks |= line.starts_with(b"@@ ");
        if !(self.in_hunks || is_binary) {
            return;
        }
        match line.first() {
            Some(b'+') => file.stats.additions += 1,
            Some(b'-') => file.stats.deletions += 1,
            _ => {}
        }
        let (lines, bytes) = (self.of_file.0 + 1, self.of_file.1 + line.len() + 1);
        self.of_file = (lines, bytes);
        file.is_too_large |= self.is_cut || bytes > self.limits.file_bytes;
        let is_beyond =
            self.lines + lines > self.limits.lines || self.bytes + bytes > self.limits.bytes;
        file.is_collapsed |= bytes > self.limits.open_bytes || is_beyond;
        // A file that is too large by itself takes no room.
        self.is_full |= self.stops && is_beyond && !file.is_too_large;
        match file.is_too_large || file.is_collapsed {
            true => self.text.clear(),
            false => {
                self.text.extend_from_slice(line);
                self.text.push(b'\n');
            }
        }
    }
}

/// Reads `:100644 100644 ID ID M<tab>PATH`; what became another kind of thing is told as
/// two: one that went, and one that came. With it how their lines will begin.
fn raw(line: &[u8]) -> Option<(Vec<FileDiff>, Vec<u8>)> {
    let (head, paths) = split(line.strip_prefix(b":")?, b'\t')?;
    let head = std::str::from_utf8(head).ok()?;
    let [old_mode, new_mode, old_id, new_id, status] =
        head.split(' ').collect::<Vec<_>>().try_into().ok()?;
    let (old_path, new_path) = split(paths, b'\t').unwrap_or((paths, paths));
    let begins = [b"diff --git ", &side("a", old_path)[..], b" ", &side("b", new_path)].concat();
    let file = FileDiff {
        old_path: path(old_path),
        new_path: path(new_path),
        old_mode: old_mode.to_owned(),
        new_mode: new_mode.to_owned(),
        old_id: old_id.parse().ok()?,
        new_id: new_id.parse().ok()?,
        change: match status.as_bytes().first()? {
            b'A' => Change::Added,
            b'D' => Change::Deleted,
            b'R' => Change::Renamed,
            _ => Change::Changed,
        },
        is_binary: false,
        text: String::new(),
        is_collapsed: false,
        is_too_large: false,
        stats: Stats::default(),
    };
    if !status.starts_with('T') {
        return Some((vec![file], begins));
    }
    let gone = FileDiff {
        new_mode: NO_MODE.into(),
        new_id: ObjectId::ZERO,
        change: Change::Deleted,
        ..file.clone()
    };
    let come = FileDiff {
        old_mode: NO_MODE.into(),
        old_id: ObjectId::ZERO,
        change: Change::Added,
        ..file
    };
    Some((vec![gone, come], begins))
}

/// A path as it is written behind the name of its side.
fn side(name: &str, written: &[u8]) -> Vec<u8> {
    match written.strip_prefix(b"\"") {
        Some(quoted) => [b"\"", name.as_bytes(), b"/", quoted].concat(),
        None => [name.as_bytes(), b"/", written].concat(),
    }
}

fn split(bytes: &[u8], by: u8) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|byte| *byte == by)?;
    Some((&bytes[..at], &bytes[at + 1..]))
}

/// A path as git writes it: in quotes, as in C, if there is something odd in it.
fn path(written: &[u8]) -> String {
    let quoted = written.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    let bytes = match quoted {
        Some(quoted) => unquoted(quoted),
        None => written.to_vec(),
    };
    String::from_utf8_lossy(&bytes).into_owned()
}

fn unquoted(quoted: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(quoted.len());
    let mut rest = quoted.iter().copied();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'a') => bytes.push(7),
            Some(b'b') => bytes.push(8),
            Some(b't') => bytes.push(b'\t'),
            Some(b'n') => bytes.push(b'\n'),
            Some(b'v') => bytes.push(11),
            Some(b'f') => bytes.push(12),
            Some(b'r') => bytes.push(b'\r'),
            Some(first @ b'0'..=b'7') => {
                let digits = [Some(first), rest.next(), rest.next()].into_iter().flatten();
                let octal =
                    |sum: u8, digit: u8| sum.wrapping_mul(8).wrapping_add(digit.wrapping_sub(b'0'));
                bytes.push(digits.fold(0, octal));
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    bytes
}

/// Reads such sums behind the names of the two trees they are of.
pub(super) fn shortstats(text: &str) -> HashMap<String, Stats> {
    let mut found = HashMap::new();
    let mut head = "";
    for line in text.lines() {
        match line.starts_with(' ') {
            true => {
                found.insert(head.to_owned(), shortstat(line));
            }
            false => head = line,
        }
    }
    found
}

/// Reads ` 3 files changed, 2 insertions(+), 1 deletion(-)`.
fn shortstat(text: &str) -> Stats {
    let number = |word: &str| {
        let part = text.split(',').find(|part| part.contains(word))?;
        part.split_whitespace().next()?.parse().ok()
    };
    Stats {
        additions: number("insertion").unwrap_or_default(),
        deletions: number("deletion").unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "1111111111111111111111111111111111111111";
    const TWO: &str = "2222222222222222222222222222222222222222";

    fn told() -> String {
        format!(
            ":100644 100755 {ONE} {TWO} M\ta.txt\n\
             :100644 100644 {ONE} {ONE} R100\told\t\"new\\n\\303\\251\"\n\
             :100644 120000 {ONE} {TWO} T\tlink\n\n\
             diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n\
             --- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n-one\n+two\n+--- three\n\
             diff --git a/old b/x\nsimilarity index 100%\n\
             diff --git a/link b/link\n@@ -1 +0,0 @@\n-x\n\
             diff --git a/link b/link\n@@ -0,0 +1 @@\n+y\n\\ No newline at end of file\n"
        )
    }

    fn parsed(limits: Limits, step: usize) -> Diffs {
        let mut parser = Parser::new(limits, false);
        let goes_on = told().as_bytes().chunks(step).all(|chunk| parser.take(chunk));
        let mut diffs = parser.end();
        diffs.overflow |= !goes_on;
        diffs
    }

    #[test]
    fn what_git_tells_is_read_in_any_pieces() {
        let diffs = parsed(Limits::default(), 7);
        assert_eq!(diffs, parsed(Limits::default(), 100_000));
        let [file, renamed, gone, come] = &diffs.files[..] else {
            panic!("{diffs:?}")
        };
        assert_eq!(file.text, "@@ -1 +1,2 @@\n-one\n+two\n+--- three\n");
        assert_eq!(file.stats, Stats { additions: 2, deletions: 1 });
        assert_eq!((renamed.change, renamed.new_path.as_str()), (Change::Renamed, "new\né"));
        assert_eq!((gone.change, gone.text.as_str()), (Change::Deleted, "@@ -1 +0,0 @@\n-x\n"));
        assert_eq!((come.change, come.old_mode.as_str()), (Change::Added, "000000"));
        assert!(come.text.ends_with("+y\n\\ No newline at end of file\n") && !diffs.overflow);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let few = parsed(Limits { files: 2, ..Limits::default() }, 9);
        assert!(few.overflow && few.files.len() == 2);
        let small = parsed(Limits { file_bytes: 30, ..Limits::default() }, 9);
        assert!(small.files[0].is_too_large && small.files[0].text.is_empty());
        assert_eq!(small.files[0].stats.additions, 2);
        assert_eq!(small.files[2].text, "@@ -1 +0,0 @@\n-x\n");
        let short = parsed(Limits { lines: 5, ..Limits::default() }, 9);
        assert!(!short.files[0].is_collapsed && short.files[3].is_collapsed);
    }

    #[test]
    fn files_of_which_only_white_space_differs_are_passed_over() {
        let text = format!(
            ":100644 100644 {ONE} {TWO} M\ta.txt\n:100644 100644 {ONE} {TWO} M\t\"b\\tc\"\n\n\
             diff --git \"a/b\\tc\" \"b/b\\tc\"\n@@ -1 +1 @@\n-x\n+y\n"
        );
        let mut parser = Parser::new(Limits::default(), true);
        assert!(parser.take(text.as_bytes()));
        let [file] = &parser.end().files[..] else { panic!() };
        assert_eq!((file.new_path.as_str(), file.text.as_str()), ("b\tc", "@@ -1 +1 @@\n-x\n+y\n"));
    }

    #[test]
    fn what_is_collapsed_takes_no_room() {
        let first = parsed(Limits { open_bytes: 20, lines: 3, ..Limits::default() }, 9);
        assert!(first.files[0].is_collapsed && !first.files[0].is_too_large);
        assert!(!first.files[2].is_collapsed && first.files[3].is_collapsed);
        let few = parsed(Limits { open_files: 3, ..Limits::default() }, 9);
        assert!(few.files[3].is_collapsed && !few.files[2].is_collapsed);
    }

    #[test]
    fn what_is_behind_the_room_is_left_out_where_that_is_asked_for() {
        let stopped = |limits: Limits| {
            let mut parser = Parser::new(limits, false);
            parser.stop_when_full();
            let goes_on = told().as_bytes().chunks(9).all(|chunk| parser.take(chunk));
            (parser.end(), goes_on)
        };
        let (all, goes_on) = stopped(Limits::default());
        assert_eq!((all, goes_on), (parsed(Limits::default(), 9), true));
        let (few, goes_on) = stopped(Limits { lines: 2, ..Limits::default() });
        let [file] = &few.files[..] else { panic!("{few:?}") };
        assert!(file.is_collapsed && file.text.is_empty() && few.overflow && !goes_on);
        let (few, _) = stopped(Limits { lines: 5, ..Limits::default() });
        let names: Vec<&str> = few.files.iter().map(|file| file.old_path.as_str()).collect();
        assert_eq!((names, few.overflow), (vec!["a.txt", "old", "link"], true));
        assert!(few.files[0].text.ends_with("three\n") && few.files[2].is_collapsed);
        let (large, _) = stopped(Limits { file_bytes: 30, bytes: 34, ..Limits::default() });
        assert!(large.files[0].is_too_large && large.files.len() == 4);
    }

    #[test]
    fn sums_are_read() {
        let both = shortstat(" 3 files changed, 2 insertions(+), 1 deletion(-)\n");
        assert_eq!(both, Stats { additions: 2, deletions: 1 });
        assert_eq!(shortstat(""), Stats::default());
    }
}
