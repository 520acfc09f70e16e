//! Finds in what differs where a note shall stand.

use super::edits::{Edits, Kind, Line};
use super::files::edits;
use super::following::{Followed, follow};
use super::sent::{Numbers, Sent, Wanted, WantedPaths, WantedSpot};
use super::{Lines, MOST_LINES, Paths, Position, Refusal, Shas, Spot};
use crate::diffs::reading::{Extent, Pair, Reading, read, read_paths};
use crate::suggestions::around::{self, Around};
use kernel::app::App;
use kernel::error::{Error, Result};
use repositories::diffs::{Change, Diffs, FileDiff};
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::{self, Kind as ObjectKind};

/// Largest file whose lines are counted, in bytes; git takes larger ones for no text.
const LARGEST_FILE: u64 = 16 * 1024 * 1024;

/// A position that was sent, where it stands for good and where it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Never changes.
    pub original: Position,
    /// In the newest version, unless it is outdated there.
    pub position: Position,
    /// Where it is seen what became of it, if it is outdated.
    pub change: Option<Position>,
    /// The lines around it, which suggestions replace.
    pub around: Option<Around>,
}

/// Finds what was sent between the commits that it names, which may be any of the
/// repository, and brings it to the newest version.
///
/// # Errors
///
/// `BadRequest`, as [`Refusal`] has it, where something is missing or not found;
/// `Unavailable` if too many are busy with repositories.
pub async fn place(
    app: &App, repository: &Repository, sent: &Sent, current: Shas,
) -> Result<Placed> {
    let wanted = sent.wanted(current)?;
    if !are_commits(app, repository, wanted.shas).await? {
        return Err(Refusal::NoLine.into());
    }
    let original = find(app, repository, &wanted).await?.ok_or(Refusal::NoLine)?;
    let mut followed = follow(app, repository, vec![original.clone()], current).await?;
    let (position, change) = match followed.pop() {
        Some(Followed::Moved(position)) => (position, None),
        Some(Followed::Outdated(change)) => (original.clone(), change),
        None => (original.clone(), None),
    };
    let around = around::read(app, repository, &[Some(position.clone())]).await?.pop().flatten();
    Ok(Placed { original, position, change, around })
}

/// Finds what was sent in what differs between these two, which do not change, and nowhere
/// else.
///
/// # Errors
///
/// Those of [`place`].
pub async fn place_between(
    app: &App, repository: &Repository, sent: &Sent, shas: Shas,
) -> Result<Position> {
    let wanted = sent.wanted(shas)?;
    if !wanted.shas.is_same_range(shas) {
        return Err(Refusal::NoLine.into());
    }
    let found = find(app, repository, &wanted).await?;
    found.ok_or_else(|| Refusal::NoLine.into())
}

/// The same of a line that what differs shows, changed or beside a change; nowhere where it
/// is none.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn place_shown(
    app: &App, repository: &Repository, sent: &Sent, shas: Shas,
) -> Result<Option<Position>> {
    let position = match place_between(app, repository, sent, shas).await {
        Err(Error::BadRequest(_)) => return Ok(None),
        position => position?,
    };
    let pair = Pair { repository: repository.id, old: shas.base, new: shas.head };
    let diffs = read(app, pair, Reading::of(Extent::Whole)).await?;
    let (old, new) = (&position.paths.old, &position.paths.new);
    let is_it = |file: &&FileDiff| file.old_path == *old && file.new_path == *new;
    let edits = diffs.files.iter().find(is_it).and_then(edits);
    let is_shown = edits.zip(position.line()).is_some_and(|(edits, line)| edits.shows(line));
    Ok(is_shown.then_some(position))
}

/// The number on the new side of a line whose number on the old side is told; none of one that
/// was removed, and where it is not known.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn unchanged(
    app: &App, repository: &Repository, shas: Shas, paths: &Paths, old: u32,
) -> Result<Option<u32>> {
    let pair = Pair { repository: repository.id, old: shas.base, new: shas.head };
    let diffs = read(app, pair, Reading::of(Extent::Whole)).await?;
    let is_it = |file: &&FileDiff| file.old_path == paths.old || file.new_path == paths.new;
    let edits = diffs.files.iter().find(is_it).and_then(edits);
    Ok(edits.and_then(|edits| edits.at_old(old).new_line()))
}

/// Whether all of them are commits of the repository.
pub async fn are_commits(app: &App, repository: &Repository, shas: Shas) -> Result<bool> {
    let read = objects::read(app, repository, move |objects| {
        for id in [shas.base, shas.start, shas.head] {
            if !matches!(objects.header(id)?, Some((ObjectKind::Commit, _))) {
                return Ok(false);
            }
        }
        Ok(true)
    });
    read.await
}

/// Where it stands between its own commits; of files that were not read whole, once more
/// by themselves.
async fn find(app: &App, repository: &Repository, wanted: &Wanted) -> Result<Option<Position>> {
    let (old, new) = (wanted.shas.base, wanted.shas.head);
    let pair = Pair { repository: repository.id, old, new };
    let all = read(app, pair, Reading::of(Extent::Whole)).await?;
    if let Some(found) = find_in(app, repository, wanted, &all).await? {
        return Ok(Some(found));
    }
    let is_cut = |file: &&FileDiff| file.is_too_large || file.is_collapsed;
    let named = candidates(&all, &wanted.paths);
    if !(all.overflow || named.iter().any(is_cut)) {
        return Ok(None);
    }
    let paths = match &wanted.paths {
        WantedPaths::Both { old, new } => vec![old.clone(), new.clone()],
        WantedPaths::Old(path) | WantedPaths::New(path) => vec![path.clone()],
    };
    let alone = read_paths(app, pair, paths).await?;
    find_in(app, repository, wanted, &alone).await
}

async fn find_in(
    app: &App, repository: &Repository, wanted: &Wanted, diffs: &Diffs,
) -> Result<Option<Position>> {
    for file in candidates(diffs, &wanted.paths) {
        let spot = match &wanted.spot {
            WantedSpot::Image(point) => Some(Spot::Image(*point)),
            WantedSpot::File => Some(Spot::File),
            WantedSpot::Text { numbers, start } => {
                let found = edits(file).and_then(|edits| text(&edits, *numbers, *start));
                let is_there = match found {
                    Some(found) => has(app, repository, file, found).await?,
                    None => false,
                };
                found.filter(|_| is_there)
            }
        };
        if let Some(spot) = spot {
            let paths = Paths { old: file.old_path.clone(), new: file.new_path.clone() };
            return Ok(Some(Position { shas: wanted.shas, paths, spot }));
        }
    }
    Ok(None)
}

/// Files that are meant. What became another kind of thing is two of them. Who takes a
/// renamed file for one that was not means the new one.
fn candidates<'d>(diffs: &'d Diffs, paths: &WantedPaths) -> Vec<&'d FileDiff> {
    let meant = |is_meant: &dyn Fn(&FileDiff) -> bool| -> Vec<&'d FileDiff> {
        diffs.files.iter().filter(|file| is_meant(file)).collect()
    };
    match paths {
        WantedPaths::Both { old, new } => {
            let found = meant(&|file: &FileDiff| file.old_path == *old && file.new_path == *new);
            match found.is_empty() && old == new {
                true => meant(&|file: &FileDiff| file.new_path == *new),
                false => found,
            }
        }
        WantedPaths::Old(old) => meant(&|file: &FileDiff| file.old_path == *old),
        WantedPaths::New(new) => meant(&|file: &FileDiff| file.new_path == *new),
    }
}

/// The line of these numbers, and where several lines begin that end with it.
fn text(edits: &Edits, numbers: Numbers, start: Option<Numbers>) -> Option<Spot> {
    let line = edits.find(numbers.old, numbers.new)?;
    let lines = match start {
        None => None,
        Some(start) => {
            let start = edits.find(start.old, start.new)?;
            let lines = Lines { start, end: line };
            if !is_range(lines) {
                return None;
            }
            Some(lines)
        }
    };
    Some(Spot::Text { line, lines })
}

/// Whether it goes down, and not too far.
fn is_range(Lines { start, end }: Lines) -> bool {
    let height = end.new.abs_diff(start.new).max(end.old.abs_diff(start.old));
    start.place() <= end.place() && height < MOST_LINES
}

/// Whether a file has a line: what changed is there for sure.
async fn has(app: &App, repository: &Repository, file: &FileDiff, spot: Spot) -> Result<bool> {
    match spot {
        Spot::Text { line: Line { kind: Kind::Same, new, .. }, .. } => {
            let is_there = file.change != Change::Deleted && file.change != Change::Added;
            Ok(is_there && new <= lines_of(app, repository, file.new_id).await?)
        }
        _ => Ok(true),
    }
}

async fn lines_of(app: &App, repository: &Repository, id: ObjectId) -> Result<u32> {
    let read = objects::read(app, repository, move |objects| {
        let blob = objects.blob(id, LARGEST_FILE)?;
        Ok(blob.and_then(|blob| blob.content).map_or(0, |content| count(&content)))
    });
    read.await
}

/// How many lines there are; the last one may lack its end.
fn count(content: &[u8]) -> u32 {
    let ends = content.iter().filter(|byte| **byte == b'\n').count();
    let is_open = content.last().is_some_and(|last| *last != b'\n');
    u32::try_from(ends + usize::from(is_open)).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[path = "placing_tests.rs"]
mod tests;
