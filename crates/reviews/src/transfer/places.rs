//! Where notes in code stand, found in git before the transaction that writes them.

use super::git::commit;
use super::model::Spot;
use super::store as rows;
use crate::positions::sent::{Sent, SentEnd, SentRange};
use crate::positions::{Paths, Shas, place, unchanged};
use crate::store::versions::latest_of;
use crate::threads::model::Stored;
use ::store::Tx;
use kernel::app::App;
use kernel::error::{Error, Result};
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::{self, Objects};
use std::collections::HashMap;

/// Where a note stands.
#[derive(Debug, Clone)]
pub struct Stands {
    pub(super) stored: Stored,
    /// The newest version that it was looked up in.
    pub(super) now: Shas,
}

/// The commits of the newest versions of merge requests of a project, by their numbers.
pub fn newest(tx: &mut Tx<'_>, project_id: i64, numbers: &[i64]) -> Result<HashMap<i64, Shas>> {
    let ids = rows::ids(tx, project_id, numbers)?;
    let all: Vec<i64> = ids.values().copied().collect();
    let latest = latest_of(tx, &all)?;
    let shas = |(number, id): (i64, i64)| {
        let version = latest.get(&id)?;
        let shas = Shas {
            base: version.base_id,
            start: version.start_id,
            head: version.head_id,
        };
        Some((number, shas))
    };
    Ok(ids.into_iter().filter_map(shas).collect())
}

/// The numbers of a line on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Numbers {
    old: Option<u32>,
    new: Option<u32>,
}

impl Numbers {
    fn is_none(self) -> bool {
        self.old.is_none() && self.new.is_none()
    }
}

/// Finds where a note stands, between its own commits and in the newest version of its merge
/// request; nowhere where its commits are gone or have no such line.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn find(
    app: &App, repository: &Repository, now: Shas, spot: &Spot,
) -> Result<Option<Stands>> {
    let named = spot.clone();
    let work = move |objects: &Objects| commits(objects, &named, now);
    let Some(shas) = objects::read(app, repository, work).await? else {
        return Ok(None);
    };
    let paths = Paths {
        old: spot.old_path.clone().unwrap_or_else(|| spot.new_path.clone()),
        new: spot.new_path.clone(),
    };
    let told = Numbers { old: spot.old_line, new: spot.new_line };
    let line = completed(app, repository, (shas, &paths), told).await?;
    let told = Numbers { old: spot.first_old_line, new: spot.first_new_line };
    let first = completed(app, repository, (shas, &paths), told).await?;
    for sent in attempts(shas, &paths, line, first) {
        match place(app, repository, &sent, now).await {
            Ok(placed) => return Ok(Some(Stands { stored: Stored::of(&placed), now })),
            // There is no such line: less is looked for then.
            Err(Error::BadRequest(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// The commits between which it stands: those that it names, and for the rest those of the
/// merge request.
fn commits(objects: &Objects, spot: &Spot, now: Shas) -> Result<Option<Shas>> {
    let id = |name: &Option<String>| -> Result<Option<ObjectId>> {
        Ok(commit(objects, name.as_deref())?.map(|commit| commit.id))
    };
    let head = match &spot.head {
        None => now.head,
        named => match id(named)? {
            Some(head) => head,
            None => return Ok(None),
        },
    };
    let (start, base) = (id(&spot.start)?, id(&spot.base)?);
    let start = start.or(base).unwrap_or(now.start);
    if objects.commit(start)?.is_none() {
        return Ok(None);
    }
    // What is called the base may be where the target was.
    let base = objects.merge_base(base.unwrap_or(start), head)?.unwrap_or(start);
    Ok(Some(Shas { base, start, head }))
}

/// The numbers of a line of which those of the old side alone are told: an unchanged one has
/// both.
async fn completed(
    app: &App, repository: &Repository, (shas, paths): (Shas, &Paths), told: Numbers,
) -> Result<Numbers> {
    match told {
        Numbers { old: Some(old), new: None } => {
            let new = unchanged(app, repository, shas, paths, old).await?;
            Ok(Numbers { new, ..told })
        }
        _ => Ok(told),
    }
}

/// What is looked for, one after another, until it is found: all lines, the last of them, and
/// that of the new side alone, where the one of the old side does not fit.
fn attempts(shas: Shas, paths: &Paths, line: Numbers, first: Numbers) -> Vec<Sent> {
    let mut all = Vec::new();
    if !first.is_none() {
        all.push(sent(shas, paths, line, Some(first)));
    }
    all.push(sent(shas, paths, line, None));
    if line.old.is_some() && line.new.is_some() {
        all.push(sent(shas, paths, Numbers { old: None, ..line }, None));
    }
    all
}

fn sent(shas: Shas, paths: &Paths, line: Numbers, first: Option<Numbers>) -> Sent {
    let kind = if line.is_none() { "file" } else { "text" };
    let end = |numbers: Numbers| SentEnd {
        line_code: None,
        kind: None,
        old_line: numbers.old.map(i64::from),
        new_line: numbers.new.map(i64::from),
    };
    Sent {
        base_sha: Some(shas.base.to_string()),
        start_sha: Some(shas.start.to_string()),
        head_sha: Some(shas.head.to_string()),
        position_type: Some(kind.to_owned()),
        old_path: Some(paths.old.clone()),
        new_path: Some(paths.new.clone()),
        old_line: line.old.map(i64::from),
        new_line: line.new.map(i64::from),
        line_range: first.map(|first| SentRange { start: Some(end(first)), end: None }),
        ..Sent::default()
    }
}

/// How a note is told of that stands nowhere: where it stood.
pub(super) fn named(spot: &Spot) -> String {
    let path: String = spot.new_path.chars().filter(|c| *c != '`' && !c.is_control()).collect();
    match spot.new_line.or(spot.old_line) {
        Some(line) => format!("*On line {line} of* `{path}`:"),
        None => format!("*On* `{path}`:"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths() -> Paths {
        Paths { old: "a".to_owned(), new: "b".to_owned() }
    }

    fn numbers(old: Option<u32>, new: Option<u32>) -> Numbers {
        Numbers { old, new }
    }

    #[test]
    fn less_is_looked_for_after_more() {
        let id = ObjectId::ZERO;
        let shas = Shas { base: id, start: id, head: id };
        let looked_for = |line, first| -> Vec<(Option<i64>, Option<i64>, bool)> {
            let all = attempts(shas, &paths(), line, first);
            all.iter()
                .map(|one| (one.old_line, one.new_line, one.line_range.is_some()))
                .collect()
        };
        let (none, same) = (numbers(None, None), numbers(Some(2), Some(3)));
        assert_eq!(
            looked_for(same, numbers(None, Some(1))),
            [(Some(2), Some(3), true), (Some(2), Some(3), false), (None, Some(3), false)]
        );
        assert_eq!(looked_for(numbers(Some(2), None), none), [(Some(2), None, false)]);
        let file = attempts(shas, &paths(), none, none);
        assert_eq!(file[0].position_type.as_deref(), Some("file"));
        assert_eq!((file.len(), file[0].old_path.as_deref()), (1, Some("a")));
    }

    #[test]
    fn a_note_that_stands_nowhere_says_where_it_stood() {
        let spot = Spot {
            head: None,
            base: None,
            start: None,
            new_path: "src/`a`\n.rs".to_owned(),
            old_path: None,
            new_line: None,
            old_line: Some(7),
            first_new_line: None,
            first_old_line: None,
        };
        assert_eq!(named(&spot), "*On line 7 of* `src/a.rs`:");
        assert_eq!(named(&Spot { old_line: None, ..spot }), "*On* `src/a.rs`:");
    }
}
