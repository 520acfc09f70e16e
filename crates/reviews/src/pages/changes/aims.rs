//! What a comment is about: a line of a file or several, or all of it, by the names that
//! lines have on the page.

use super::look::Look;
use crate::positions::sent::{SentEnd, SentRange};
use crate::positions::{Edits, Kind, Line, Position, Sent, Shas, Spot};
use crate::suggestions::fences::FARTHEST;
use code::diff::{self, hunks};
use kernel::error::{Error, Result};
use repositories::diffs::FileDiff;
use std::collections::HashMap;
use std::fmt;

/// Lines of a file among which those of a suggestion are looked for.
const MOST_LINES: usize = 100_000;
/// Shortest fence of a block of code.
const SHORTEST: usize = 3;

/// The name of a line, `<file>_<old>_<new>`, or of a file alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineName {
    pub file: String,
    /// Its counters on both sides.
    pub numbers: Option<(u32, u32)>,
}

impl LineName {
    pub fn read(text: &str) -> Option<LineName> {
        let mut parts = text.split('_');
        let file = parts.next()?;
        let is_digest = file.len() == 40 && file.bytes().all(|byte| byte.is_ascii_hexdigit());
        let numbers = match (parts.next(), parts.next(), parts.next()) {
            (None, None, None) => None,
            (Some(old), Some(new), None) => Some((old.parse().ok()?, new.parse().ok()?)),
            _ => return None,
        };
        is_digest.then(|| LineName { file: file.to_owned(), numbers })
    }
}

impl fmt::Display for LineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.numbers {
            Some((old, new)) => write!(f, "{}_{old}_{new}", self.file),
            None => f.write_str(&self.file),
        }
    }
}

/// What a comment is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aim {
    /// The line, or the last of several.
    pub at: LineName,
    /// Where several lines begin.
    pub from: Option<(u32, u32)>,
}

impl Aim {
    /// Reads the names of the last and of the first line.
    pub fn read(at: &str, from: &str) -> Option<Aim> {
        let at = LineName::read(at)?;
        let from = match from {
            "" => None,
            from => {
                let from = LineName::read(from)?;
                from.numbers.filter(|_| from.file == at.file)
            }
        };
        let from = from.filter(|from| Some(*from) != at.numbers);
        Some(Aim { at, from })
    }

    /// What a look asks to comment on.
    pub fn of(look: &Look) -> Option<Aim> {
        let from = look.from.as_deref().unwrap_or_default();
        Aim::read(look.comment.as_deref()?, from)
    }

    /// The first line of several, by its name.
    pub fn start_name(&self) -> String {
        let name = |numbers| LineName { file: self.at.file.clone(), numbers: Some(numbers) };
        self.from.map(|from| name(from).to_string()).unwrap_or_default()
    }

    /// The same as clients send it, between commits that differ by this file.
    ///
    /// # Errors
    ///
    /// `Unprocessable` where the file has no such line.
    pub fn sent(&self, file: &FileDiff, shas: Shas) -> Result<Sent> {
        let sent = Sent {
            base_sha: Some(shas.base.to_string()),
            start_sha: Some(shas.start.to_string()),
            head_sha: Some(shas.head.to_string()),
            old_path: Some(file.old_path.clone()),
            new_path: Some(file.new_path.clone()),
            ..Sent::default()
        };
        let Some(numbers) = self.at.numbers else {
            return Ok(Sent { position_type: Some("file".into()), ..sent });
        };
        let edits = Edits::read(&file.text).ok_or_else(no_line)?;
        let (old_line, new_line) = numbered(find(&edits, numbers).ok_or_else(no_line)?);
        let line_range = match self.from {
            None => None,
            Some(from) => {
                let (old_line, new_line) = numbered(find(&edits, from).ok_or_else(no_line)?);
                let start = SentEnd { line_code: None, kind: None, old_line, new_line };
                Some(SentRange { start: Some(start), end: None })
            }
        };
        let position_type = Some("text".into());
        Ok(Sent { position_type, old_line, new_line, line_range, ..sent })
    }

    /// What it is about, in words.
    pub fn words(&self, file: &FileDiff) -> String {
        let Some(numbers) = self.at.numbers else {
            return "the whole file".to_owned();
        };
        let edits = Edits::read(&file.text).unwrap_or_default();
        let line = |numbers| find(&edits, numbers);
        match line(numbers) {
            Some(at) => lines_in_words(self.from.and_then(line), at),
            None => "a line".to_owned(),
        }
    }

    /// A comment that suggests these lines as they are; none of lines that are gone, or are
    /// not among those shown.
    pub fn suggestion(&self, file: &FileDiff) -> Option<String> {
        let edits = Edits::read(&file.text)?;
        let last = find(&edits, self.at.numbers?)?;
        let first = match self.from {
            Some(from) => find(&edits, from)?,
            None => last,
        };
        let is_gone = [first, last].iter().any(|line| line.kind == Kind::Removed);
        let above = last.new.checked_sub(first.new)?;
        if is_gone || above > FARTHEST {
            return None;
        }
        let (hunks, _) = hunks(&file.text, MOST_LINES);
        let new =
            |line: &&diff::Line<'_>| matches!(line.kind, diff::Kind::Same | diff::Kind::Added);
        let lines = hunks.iter().flat_map(|hunk| hunk.lines.iter().filter(new));
        let texts: HashMap<u32, &str> = lines.map(|line| (line.new, line.text)).collect();
        let lines = (first.new..=last.new).map(|number| texts.get(&number).copied());
        Some(fenced(above, &lines.collect::<Option<Vec<&str>>>()?))
    }
}

/// A block of code that suggests lines, in a fence that none of them ends.
fn fenced(above: u32, lines: &[&str]) -> String {
    let ticks = |line: &&str| line.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let longest = lines.iter().map(ticks).max().unwrap_or_default();
    let fence = "`".repeat(SHORTEST.max(longest + 1));
    let text: String = lines.iter().flat_map(|line| [*line, "\n"]).collect();
    format!("{fence}suggestion:-{above}+0\n{text}{fence}\n")
}

/// Says that there is no such line.
pub fn no_line() -> Error {
    let text = "This line is not among the changes any more. Reload the page and try again.";
    Error::Unprocessable(text.into())
}

/// The refusal of a place in words for people.
pub fn misplaced(error: Error) -> Error {
    match error {
        Error::BadRequest(_) => no_line(),
        other => other,
    }
}

/// The line with these counters.
fn find(edits: &Edits, (old, new): (u32, u32)) -> Option<Line> {
    let [at_new, at_old] = [edits.at_new(new), edits.at_old(old)];
    match (at_new.kind, at_old.kind) {
        (Kind::Added | Kind::Same, _) if at_new.old == old => Some(at_new),
        (_, Kind::Removed) if at_old.new == new => Some(at_old),
        _ => None,
    }
}

/// The numbers that name a line to the rules: the new one where it has one.
fn numbered(line: Line) -> (Option<i64>, Option<i64>) {
    match line.kind {
        Kind::Removed => (Some(i64::from(line.old)), None),
        Kind::Added | Kind::Same => (None, Some(i64::from(line.new))),
    }
}

fn lines_in_words(first: Option<Line>, last: Line) -> String {
    let one = |line: Line| match line.kind {
        Kind::Removed => format!("removed line {}", line.old),
        Kind::Added | Kind::Same => format!("line {}", line.new),
    };
    match first {
        None => one(last),
        Some(first) if first.kind == Kind::Removed || last.kind == Kind::Removed => {
            format!("{} to {}", one(first), one(last))
        }
        Some(first) => format!("lines {} to {}", first.new, last.new),
    }
}

/// Where a position stands in its file, in words that begin a line.
pub fn place_in_words(position: &Position) -> String {
    let words = match position.spot {
        Spot::Text { line, lines } => lines_in_words(lines.map(|lines| lines.start), line),
        Spot::Image(_) => "a point of the picture".to_owned(),
        Spot::File => "the whole file".to_owned(),
    };
    let mut letters = words.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

#[cfg(test)]
#[path = "aims_tests.rs"]
mod tests;
