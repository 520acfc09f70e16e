//! Brings positions to another version.

use super::files::{Both, Files};
use super::trace::{Changes, Fate, Reason};
use super::{Kind, Line, Lines, Paths, Position, Shas, Spot};
use crate::diffs::reading::{Extent, Pair, Reading, read, read_paths};
use kernel::app::App;
use kernel::error::{Error, Result};
use repositories::diffs::Diffs;
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Versions from which positions are followed at once; those of further ones are outdated.
const MOST_VERSIONS: usize = 50;
/// Paths that are looked up by themselves, where not all could be read.
const MOST_PATHS: usize = 200;

/// What became of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Followed {
    /// It is here now.
    Moved(Position),
    /// What it was about is gone; where that is seen, if that can be said.
    Outdated(Option<Position>),
}

/// What differs between the commits of two versions.
struct Between {
    /// From the one base to the other.
    bases: Files,
    /// From the one head to the other.
    heads: Files,
    /// What the newer version changes.
    now: Files,
}

/// Follows positions of any versions to one version, one for one. Renames are followed,
/// too. What is not known, as files are too large, is outdated.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn follow(
    app: &App, repository: &Repository, positions: Vec<Position>, to: Shas,
) -> Result<Vec<Followed>> {
    let mut followed: Vec<Followed> = positions.iter().map(|_| Followed::Outdated(None)).collect();
    let mut versions: BTreeMap<(ObjectId, ObjectId), Vec<(usize, Position)>> = BTreeMap::new();
    for (at, position) in positions.into_iter().enumerate() {
        if position.shas.is_same_range(to) {
            put(&mut followed, at, Followed::Moved(Position { shas: to, ..position }));
        } else {
            let of = (position.shas.base, position.shas.head);
            versions.entry(of).or_default().push((at, position));
        }
    }
    for (from, positions) in versions.into_iter().take(MOST_VERSIONS) {
        for (at, found) in follow_from(app, repository.id, from, positions, to).await? {
            put(&mut followed, at, found);
        }
    }
    Ok(followed)
}

fn put(followed: &mut [Followed], at: usize, found: Followed) {
    if let Some(place) = followed.get_mut(at) {
        *place = found;
    }
}

/// Follows positions of one version, each with its place.
async fn follow_from(
    app: &App, repository: i64, (base, head): (ObjectId, ObjectId),
    positions: Vec<(usize, Position)>, to: Shas,
) -> Result<Vec<(usize, Followed)>> {
    let pair = |old, new| Pair { repository, old, new };
    let pairs = [pair(base, to.base), pair(head, to.head), pair(to.base, to.head)];
    let mut all = Vec::with_capacity(pairs.len());
    for pair in pairs {
        all.push(read(app, pair, Reading::of(Extent::Whole)).await?);
    }
    let (mut found, unknown) = traced(positions, all, to).await?;
    if unknown.is_empty() {
        return Ok(found);
    }
    let paths = unknown
        .iter()
        .flat_map(|(_, position)| [position.paths.old.clone(), position.paths.new.clone()]);
    let paths: BTreeSet<String> = paths.take(MOST_PATHS).collect();
    let mut all = Vec::with_capacity(pairs.len());
    for pair in pairs {
        all.push(read_paths(app, pair, paths.iter().cloned().collect()).await?);
    }
    let known = unknown.into_iter().filter(|(_, position)| paths.contains(&position.paths.new));
    let (more, _) = traced(known.collect(), all, to).await?;
    found.extend(more);
    Ok(found)
}

/// The positions of which it is known what became of them, and the others.
type Traced = (Vec<(usize, Followed)>, Vec<(usize, Position)>);

async fn traced(
    positions: Vec<(usize, Position)>, all: Vec<Arc<Diffs>>, to: Shas,
) -> Result<Traced> {
    let traced = tokio::task::spawn_blocking(move || {
        let mut all = all.into_iter().map(Files::new);
        let (Some(bases), Some(heads), Some(now)) = (all.next(), all.next(), all.next()) else {
            return (Vec::new(), positions);
        };
        let mut between = Between { bases, heads, now };
        let (mut found, mut unknown) = (Vec::new(), Vec::new());
        for (at, position) in positions {
            match between.follow(&position, to) {
                Some(followed) => found.push((at, followed)),
                None => unknown.push((at, position)),
            }
        }
        (found, unknown)
    });
    traced.await.map_err(Error::internal)
}

/// One file between the four commits.
struct Trio {
    bases: Both,
    heads: Both,
    now: Both,
}

impl Between {
    /// None if too little is known.
    fn follow(&mut self, position: &Position, to: Shas) -> Option<Followed> {
        match position.spot {
            Spot::Text { line, lines } => {
                let trio = self.trio(&position.paths, line.kind)?;
                trio.follow(position, (line, lines), to)
            }
            Spot::Image(_) | Spot::File => {
                let heads = self.heads.of_old(&position.paths.new)?;
                if heads.is_changed {
                    return Some(Followed::Outdated(None));
                }
                let now = self.now.of_new(&heads.new)?;
                let paths = Paths { old: now.old, new: now.new };
                Some(Followed::Moved(Position { shas: to, paths, spot: position.spot }))
            }
        }
    }

    /// The file, from the side that has the line on.
    fn trio(&mut self, paths: &Paths, kind: Kind) -> Option<Trio> {
        Some(match kind {
            Kind::Added | Kind::Same => {
                let heads = self.heads.of_old(&paths.new)?;
                let now = self.now.of_new(&heads.new)?;
                let bases = self.bases.of_new(&now.old)?;
                Trio { bases, heads, now }
            }
            Kind::Removed => {
                let bases = self.bases.of_old(&paths.old)?;
                let now = self.now.of_old(&bases.new)?;
                let heads = self.heads.of_new(&now.new)?;
                Trio { bases, heads, now }
            }
        })
    }
}

impl Trio {
    fn follow(
        &self, position: &Position, (line, lines): (Line, Option<Lines>), to: Shas,
    ) -> Option<Followed> {
        let changes = Changes {
            bases: self.bases.edits.as_deref()?,
            heads: self.heads.edits.as_deref()?,
            now: self.now.edits.as_deref()?,
        };
        let from = position.shas;
        Some(match changes.fate(line) {
            Fate::Moved(line) => {
                let lines = lines.and_then(|lines| match changes.fate(lines.start) {
                    Fate::Moved(start) if start.place() <= line.place() => {
                        Some(Lines { start, end: line })
                    }
                    _ => None,
                });
                Followed::Moved(at(to, &self.now, Spot::Text { line, lines }))
            }
            Fate::Outdated(reason) => Followed::Outdated(reason.map(|reason| match reason {
                Reason::Bases(line) => seen((from.base, to.base), &self.bases, line),
                Reason::Heads(line) => seen((from.head, to.head), &self.heads, line),
            })),
        })
    }
}

/// Where between two commits it is seen what became of a line.
fn seen((base, head): (ObjectId, ObjectId), file: &Both, line: Line) -> Position {
    at(Shas { base, start: base, head }, file, Spot::Text { line, lines: None })
}

fn at(shas: Shas, file: &Both, spot: Spot) -> Position {
    let paths = Paths { old: file.old.clone(), new: file.new.clone() };
    Position { shas, paths, spot }
}

#[cfg(test)]
#[path = "following_tests.rs"]
mod tests;
