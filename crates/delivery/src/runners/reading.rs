//! A log in parts: it may be large, and a page shows some lines of it.

use super::store::traces;
use crate::formats::log::plain;
use ::store::Tx;
use kernel::error::Result;

/// Bytes that are shown at once, and lines.
const WINDOW: i64 = 256 * 1024;
const MOST_LINES: usize = 5_000;
/// Bytes that are looked through at once, and in all.
const STEP: i64 = 1024 * 1024;
const SEARCHED: i64 = 32 * 1024 * 1024;
/// Lines that are found at once, and letters of one that are shown.
const MOST_FOUND: usize = 50;
const LONGEST_FOUND: usize = 300;

/// Some whole lines of a log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// Where it begins and ends in the log.
    pub begins: i64,
    pub ends: i64,
    /// The number of its first line, from 1.
    pub first: u64,
    pub bytes: Vec<u8>,
}

/// A log as it is now.
#[derive(Debug, Clone, Copy)]
pub struct Log {
    pub job_id: i64,
    pub size: i64,
    /// More may come, so its last line may not be whole.
    pub grows: bool,
}

impl Log {
    /// The lines from a place on; none: the last ones.
    pub fn part(&self, tx: &mut Tx<'_>, from: Option<i64>) -> Result<Part> {
        let start = from.unwrap_or(self.size - WINDOW).clamp(0, self.size);
        // The byte before tells whether a line begins there.
        let before = (start - 1).max(0);
        let read = Read::between(tx, self.job_id, (before, start + WINDOW))?;
        Ok(self.lines_of(read, start, from.is_none()))
    }

    fn lines_of(&self, read: Read, start: i64, is_end: bool) -> Part {
        let skipped = match start {
            0 => 0,
            _ => after_line(&read.bytes).unwrap_or((start - read.begins) as usize),
        };
        let (over, rest) = read.bytes.split_at(skipped.min(read.bytes.len()));
        let whole = read.begins + read.bytes.len() as i64 >= self.size && !self.grows;
        let length = match whole {
            true => rest.len(),
            false => match last_line(rest) {
                // A line that is longer than all that is shown.
                0 if rest.len() as i64 >= WINDOW => rest.len(),
                end => end,
            },
        };
        let mut part = Part {
            begins: read.begins + skipped as i64,
            ends: 0,
            first: read.first + lines(over),
            bytes: rest[..length].to_vec(),
        };
        part.cut(is_end);
        part.ends = part.begins + part.bytes.len() as i64;
        part
    }

    /// The lines from a place on that hold a text, whatever its case; and where to go on.
    pub fn find(&self, tx: &mut Tx<'_>, text: &str, from: i64) -> Result<Found> {
        let wanted = text.to_lowercase();
        let mut found = Found::default();
        let start = from.clamp(0, self.size);
        let (mut at, until) = (start, self.size.min(start.saturating_add(SEARCHED)));
        while at < until && found.lines.len() < MOST_FOUND {
            let read = Read::between(tx, self.job_id, (at, at + STEP))?;
            let rest = read.bytes.as_slice();
            if rest.is_empty() {
                break;
            }
            let is_last = read.begins + read.bytes.len() as i64 >= self.size;
            let length = match last_line(rest) {
                _ if is_last => rest.len(),
                0 => rest.len(),
                end => end,
            };
            at = found.look(&rest[..length], (at, read.first), &wanted);
        }
        found.next = (at < self.size).then_some(at);
        Ok(found)
    }
}

/// Lines in which something was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    pub lines: Vec<FoundLine>,
    /// Where to go on looking.
    pub next: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLine {
    pub number: u64,
    /// Where it begins.
    pub at: i64,
    pub text: String,
}

impl Found {
    /// Looks through whole lines; answers where the next ones begin.
    fn look(&mut self, bytes: &[u8], (mut at, mut number): (i64, u64), wanted: &str) -> i64 {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.lines.len() >= MOST_FOUND {
                break;
            }
            let text = plain(line.strip_suffix(b"\n").unwrap_or(line));
            if text.to_lowercase().contains(wanted) {
                let text = text.chars().take(LONGEST_FOUND).collect();
                self.lines.push(FoundLine { number, at, text });
            }
            at += line.len() as i64;
            number += 1;
        }
        at
    }
}

/// Pieces of a log, put together.
struct Read {
    begins: i64,
    first: u64,
    bytes: Vec<u8>,
}

impl Read {
    /// From the first place on, or from before it where no place is known by the lines
    /// before it, to the second.
    fn between(tx: &mut Tx<'_>, id: i64, (from, to): (i64, i64)) -> Result<Read> {
        let pieces = traces::between(tx, id, (from, to))?;
        let Some(first) = pieces.first().map(|(begins, _)| *begins) else {
            return Ok(Read { begins: from, first: 1, bytes: Vec::new() });
        };
        let before = traces::lines_before(tx, id, first)?.unsigned_abs();
        let mut bytes: Vec<u8> = pieces.into_iter().flat_map(|(_, bytes)| bytes).collect();
        bytes.truncate(usize::try_from(to - first).unwrap_or(0));
        let over = usize::try_from(from - first).unwrap_or(0).min(bytes.len());
        let first_line = 1 + before + lines(&bytes[..over]);
        bytes.drain(..over);
        Ok(Read { begins: first + over as i64, first: first_line, bytes })
    }
}

impl Part {
    /// Leaves out lines that are too many: of an end the first ones, else the last.
    fn cut(&mut self, is_end: bool) {
        let ends: Vec<usize> = self
            .bytes
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .map(|(at, _)| at + 1)
            .collect();
        let Some(many) = ends.len().checked_sub(MOST_LINES).filter(|many| *many > 0) else {
            return;
        };
        match is_end {
            true => {
                self.first += many as u64;
                self.begins += ends[many - 1] as i64;
                self.bytes.drain(..ends[many - 1]);
            }
            false => self.bytes.truncate(ends[MOST_LINES - 1]),
        }
    }
}

fn lines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// Where the second line of a text begins.
fn after_line(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == b'\n').map(|at| at + 1)
}

/// Where the last line that is whole ends.
fn last_line(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str, (begins, first): (i64, u64), start: i64, log: Log) -> Part {
        let read = Read { begins, first, bytes: text.as_bytes().to_vec() };
        log.lines_of(read, start, false)
    }

    #[test]
    fn a_part_has_whole_lines() {
        let log = |size, grows| Log { job_id: 1, size, grows };
        for (text, place, start, log, wanted) in [
            ("a\nb\n", (0, 1), 0, log(4, true), (0, 4, 1, "a\nb\n")),
            ("a\nb", (0, 1), 0, log(3, true), (0, 2, 1, "a\n")),
            ("a\nb", (0, 1), 0, log(3, false), (0, 3, 1, "a\nb")),
            // The first byte stands before the place that is asked for.
            ("\nb\nc", (1, 1), 2, log(5, false), (2, 5, 2, "b\nc")),
            ("xy\nc\n", (4, 3), 5, log(9, true), (7, 9, 4, "c\n")),
            ("", (9, 3), 9, log(9, false), (9, 9, 3, "")),
        ] {
            let found = part(text, place, start, log);
            let bytes = String::from_utf8(found.bytes.clone()).unwrap();
            let shown = (found.begins, found.ends, found.first, bytes.as_str());
            assert_eq!(shown, wanted, "{text:?} {start}");
        }
    }

    #[test]
    fn a_part_has_so_many_lines() {
        let text = "x\n".repeat(MOST_LINES + 3);
        let size = text.len() as i64;
        let log = Log { job_id: 1, size, grows: false };
        let read = || Read { begins: 0, first: 1, bytes: text.clone().into_bytes() };
        let end = log.lines_of(read(), 0, true);
        assert_eq!((end.first, end.begins, end.ends), (4, 6, size));
        let start = log.lines_of(read(), 0, false);
        assert_eq!((start.first, start.ends), (1, 2 * MOST_LINES as i64));
    }

    #[test]
    fn lines_are_found() {
        let mut found = Found::default();
        let at = found.look(b"one\n\x1b[31mTWO\x1b[0m\nthree two", (10, 5), "two");
        assert_eq!(at, 10 + 4 + 13 + 9);
        let shown: Vec<_> = found.lines.iter().map(|it| (it.number, it.at, &*it.text)).collect();
        assert_eq!(shown, [(6, 14, "TWO"), (7, 27, "three two")]);
    }
}
