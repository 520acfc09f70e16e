//! The lines around a thread, as far as suggestions there reach. They are stored with the
//! thread, so that what is said in it later is read without git.

use super::change::{Change, lines, part, shown};
use super::fences::{FARTHEST, Fence};
use crate::positions::{Kind, Position};
use kernel::app::App;
use kernel::error::Result;
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::{self, EntryKind, Objects, Path};

/// Largest file of which lines are replaced, in bytes.
pub const LARGEST: u64 = 8 * 1024 * 1024;
/// Bytes of the lines around a thread.
const MOST_BYTES: usize = 32 * 1024;

/// Lines of a file that follow one another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Around {
    /// The number of the first, from 1.
    pub from_line: u32,
    /// Whole lines; the last of a file may have no end.
    pub text: String,
}

impl Around {
    /// Those around a line of a file; none if it has no such line, or is no text.
    pub fn of(file: &[u8], line: u32) -> Option<Around> {
        let lines: Vec<&[u8]> = lines(file).collect();
        let at = usize::try_from(line).ok()?.checked_sub(1)?;
        let mut room = MOST_BYTES.checked_sub(lines.get(at)?.len())?;
        let mut fits = |at: usize| match lines.get(at).and_then(|one| room.checked_sub(one.len())) {
            Some(left) => {
                room = left;
                true
            }
            None => false,
        };
        let (mut first, mut end) = (at, at + 1);
        for _ in 0..FARTHEST {
            first = first.checked_sub(1).filter(|at| fits(*at)).unwrap_or(first);
            end += usize::from(fits(end));
        }
        let text = String::from_utf8_lossy(&lines.get(first..end)?.concat()).into_owned();
        let from_line = u32::try_from(first + 1).ok()?;
        (!text.contains('\0')).then_some(Around { from_line, text })
    }

    /// As it is stored: the first line, and the text.
    pub fn stored(from_line: Option<i64>, text: Option<String>) -> Option<Around> {
        let from_line = u32::try_from(from_line?).ok()?;
        Some(Around { from_line, text: text? })
    }

    /// What a suggestion at a line replaces; none if that is not among these.
    pub fn change(&self, path: &str, line: u32, fence: &Fence) -> Option<Change> {
        let lines: Vec<&[u8]> = lines(self.text.as_bytes()).collect();
        let count = u32::try_from(lines.len()).ok()?;
        let last = self.from_line.checked_add(count)?.checked_sub(1)?;
        if !(self.from_line..=last).contains(&line) {
            return None;
        }
        let from_line = line.saturating_sub(fence.above).max(self.from_line);
        let to_line = line.saturating_add(fence.below).min(last);
        let replaced = self.part(&lines, from_line, to_line)?;
        // Lines end as those do that were there.
        let to_content = match replaced.last()?.ends_with(b"\r\n") {
            true => fence.content.replace('\n', "\r\n"),
            false => fence.content.clone(),
        };
        Some(Change {
            path: path.to_owned(),
            from_line,
            to_line,
            from_content: shown(replaced),
            to_content,
        })
    }

    /// What stands from one line to another, both among them.
    pub fn shown(&self, from_line: u32, to_line: u32) -> Option<String> {
        let lines: Vec<&[u8]> = lines(self.text.as_bytes()).collect();
        self.part(&lines, from_line, to_line).map(shown)
    }

    fn part<'l, 'f>(&self, lines: &'l [&'f [u8]], from: u32, to: u32) -> Option<&'l [&'f [u8]]> {
        let before = self.from_line.checked_sub(1)?;
        part(lines, from.checked_sub(before)?, to.checked_sub(before)?)
    }
}

/// The lines around positions in text, on the new side; none around others, and where the
/// file is gone, or too large.
///
/// # Errors
///
/// `Unavailable` if too many read at once.
pub async fn read(
    app: &App, repository: &Repository, positions: &[Option<Position>],
) -> Result<Vec<Option<Around>>> {
    let spot = |position: &Option<Position>| position.as_ref().and_then(spot);
    let wanted: Vec<Option<Spot>> = positions.iter().map(spot).collect();
    if wanted.iter().all(Option::is_none) {
        return Ok(vec![None; positions.len()]);
    }
    objects::read(app, repository, move |objects| all(objects, &wanted)).await
}

/// A line of a file of a commit.
type Spot = (ObjectId, Path, u32);

fn spot(position: &Position) -> Option<Spot> {
    let line = position.line().filter(|line| line.kind != Kind::Removed)?;
    let path = Path::read(position.path()).ok()?;
    Some((position.shas.head, path, line.new))
}

/// Threads beside one another are mostly of one file.
fn all(objects: &Objects, wanted: &[Option<Spot>]) -> Result<Vec<Option<Around>>> {
    let mut last: Option<(ObjectId, &Path, Option<Vec<u8>>)> = None;
    let mut found = Vec::with_capacity(wanted.len());
    for one in wanted {
        let Some((commit, path, line)) = one else {
            found.push(None);
            continue;
        };
        let file = match last.take().filter(|(id, at, _)| id == commit && *at == path) {
            Some((_, _, file)) => file,
            None => content(objects, *commit, path)?,
        };
        found.push(file.as_deref().and_then(|file| Around::of(file, *line)));
        last = Some((*commit, path, file));
    }
    Ok(found)
}

/// The bytes of a file of a commit.
fn content(objects: &Objects, commit: ObjectId, path: &Path) -> Result<Option<Vec<u8>>> {
    let Some(commit) = objects.commit(commit)? else {
        return Ok(None);
    };
    let is_file = |kind: EntryKind| matches!(kind, EntryKind::File | EntryKind::Program);
    match objects.entry(commit.tree, path)?.filter(|entry| is_file(entry.kind)) {
        Some(entry) => Ok(objects.blob(entry.id, LARGEST)?.and_then(|blob| blob.content)),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fence(above: u32, below: u32) -> Fence {
        Fence { above, below, content: "new\n".into() }
    }

    #[test]
    fn lines_around_one_are_as_many_as_suggestions_reach() {
        let file: String = (1..=300).map(|number| format!("{number}\n")).collect();
        let around = Around::of(file.as_bytes(), 150).expect("lines");
        assert_eq!((around.from_line, around.text.lines().count()), (50, 201));
        assert_eq!(around.shown(149, 151).as_deref(), Some("149\n150\n151\n"));
        assert_eq!((around.shown(49, 50), around.shown(250, 251)), (None, None));
        let first = Around::of(b"a\nb", 1).expect("lines");
        assert_eq!((first.from_line, first.text.as_str()), (1, "a\nb"));
        assert_eq!((Around::of(b"a\n", 2), Around::of(b"a\n", 0)), (None, None));
        assert_eq!(Around::of(b"a\0\n", 1), None);
    }

    #[test]
    fn long_lines_leave_less_around_them() {
        let long = "x".repeat(20_000);
        let file = format!("a\n{long}\nb\nc\n{long}\n");
        let around = Around::of(file.as_bytes(), 3).expect("lines");
        assert_eq!((around.from_line, around.text.lines().count()), (1, 4));
        assert_eq!(Around::of("x".repeat(40_000).as_bytes(), 1), None);
    }

    #[test]
    fn a_change_is_the_same_out_of_the_whole_file() {
        let file: String = (1..=250).map(|number| format!("{number}\n")).collect();
        let around = Around::of(file.as_bytes(), 120).expect("lines");
        let change = around.change("a", 120, &fence(1, 2)).expect("a change");
        assert_eq!((change.from_line, change.to_line), (119, 122));
        assert_eq!(change.from_content, "119\n120\n121\n122\n");
        assert_eq!(around.change("a", 221, &fence(0, 0)), None);
    }
}
