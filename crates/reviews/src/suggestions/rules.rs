//! What notes suggest is stored as they are written, and outdated or applied by pushes.

use super::around::Around;
use super::change::Change;
use super::fences::fences;
use super::model::Suggestion;
use super::store::{self as rows, Standing};
use crate::model::MergeRequest;
use crate::noteable::{MERGE_REQUEST, noteable};
use crate::positions::{Kind, Position};
use crate::threads::model::{Thread, read};
use crate::threads::rules::resolved;
use ::store::{Fragment, Tx, grouped};
use identity::viewer::Viewer;
use kernel::error::Result;
use planning::store::notes::{self, Note};
use planning::store::threads::resolve;
use repositories::formats::object_id::ObjectId;
use std::collections::{BTreeSet, HashMap};

/// What the first word of each suggestion has in it.
const WORD: &str = "suggestion";

/// Somebody wrote a note, which may stand in a thread in code.
pub fn said(tx: &mut Tx<'_>, note: &Note) -> Result<()> {
    if !note.in_thread || note.is_system || !note.body.contains(WORD) {
        return Ok(());
    }
    match rows::standing(tx, &note.discussion_id)? {
        Some(standing) => set(tx, note, &standing),
        None => Ok(()),
    }
}

/// A discussion stands in code from now on.
pub fn stands(tx: &mut Tx<'_>, discussion_id: &str) -> Result<()> {
    let Some(standing) = rows::standing(tx, discussion_id)? else {
        return Ok(());
    };
    let mut condition = Fragment::new("notes.discussion_id = ");
    condition.bind(discussion_id).raw(" and not notes.is_system");
    for note in notes::select(tx, condition)?.iter().filter(|note| note.body.contains(WORD)) {
        set(tx, note, &standing)?;
    }
    Ok(())
}

/// A note has another text. What it suggests still is the same row.
pub fn reworded(tx: &mut Tx<'_>, note: &Note) -> Result<()> {
    if !note.in_thread || note.is_system {
        return Ok(());
    }
    match rows::standing(tx, &note.discussion_id)? {
        Some(standing) => set(tx, note, &standing),
        None => Ok(()),
    }
}

/// Stores what a note suggests, unless that is what is stored.
fn set(tx: &mut Tx<'_>, note: &Note, standing: &Standing) -> Result<()> {
    let before = rows::of_notes(tx, &[note.id])?;
    let line = read(&standing.position).and_then(|position| line_of(&position));
    let (line, changes) = match &line {
        Some((path, line)) => (*line, changes(note, standing, path, *line)),
        None => (0, Vec::new()),
    };
    match is_same(&before, &changes) {
        true => Ok(()),
        false => rows::replace(tx, note.id, line, &changes),
    }
}

/// The path and the line that suggestions of a thread replace: on the new side.
fn line_of(position: &Position) -> Option<(String, u32)> {
    let line = position.line().filter(|line| line.kind != Kind::Removed)?;
    Some((position.path().to_owned(), line.new))
}

fn changes(note: &Note, standing: &Standing, path: &str, line: u32) -> Vec<Change> {
    let around = Around::stored(standing.around_from, standing.around_text.clone());
    let found = fences(&note.body);
    let change = |fence| around.as_ref()?.change(path, line, fence);
    found.iter().filter_map(change).collect()
}

/// Whether these are stored already, as far as a note says it. What was there when it was
/// written stays.
fn is_same(before: &[Suggestion], changes: &[Change]) -> bool {
    let count = |content: &str| content.lines().count();
    let is_one = |(old, new): (&Suggestion, &Change)| {
        old.to_content == new.to_content && count(&old.from_content) == count(&new.from_content)
    };
    before.len() == changes.len() && before.iter().zip(changes).all(is_one)
}

/// The suggestions of threads that are followed to a newer version.
pub struct OpenSuggestions {
    open: HashMap<String, Vec<Suggestion>>,
    outdated: Vec<i64>,
}

impl OpenSuggestions {
    /// Those of some threads that could be applied so far.
    pub fn read<'t>(
        tx: &mut Tx<'_>, threads: impl Iterator<Item = &'t Thread>,
    ) -> Result<OpenSuggestions> {
        let ids: Vec<String> = threads.map(|thread| thread.discussion_id.clone()).collect();
        let open = grouped(
            rows::open_of_discussions(tx, &ids)?
                .into_iter()
                .map(|one| (one.discussion_id, one.suggestion)),
        );
        Ok(OpenSuggestions { open, outdated: Vec::new() })
    }

    /// A thread went here: what other lines replaced is outdated.
    pub fn moved(&mut self, discussion_id: &str, position: &Position, around: Option<&Around>) {
        let open = self.open.get(discussion_id).into_iter().flatten();
        let gone = open.filter(|one| !one.stands(position, around));
        self.outdated.extend(gone.map(|one| one.id));
    }

    /// The line of a thread is gone.
    pub fn gone(&mut self, discussion_id: &str) {
        let open = self.open.get(discussion_id).into_iter().flatten();
        self.outdated.extend(open.map(|one| one.id));
    }

    pub fn write(self, tx: &mut Tx<'_>) -> Result<()> {
        rows::outdate(tx, &self.outdated)
    }
}

/// A source branch moved to a commit, in this transaction: suggestions that it applies are
/// applied, and their threads resolved.
pub fn landed(
    tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest, commit: ObjectId,
) -> Result<()> {
    let found = rows::applied_by(tx, MERGE_REQUEST, request.id, commit)?;
    if found.is_empty() {
        return Ok(());
    }
    let ids: Vec<i64> = found.iter().map(|(id, _)| *id).collect();
    rows::apply(tx, &ids, commit)?;
    let user = viewer.user_id();
    let mut settles = false;
    let threads: BTreeSet<String> = found.into_iter().map(|(_, thread)| thread).collect();
    for thread in threads {
        settles |= resolve(tx, noteable(request), &thread, user)?;
    }
    match settles {
        true => resolved(tx, user, request.id),
        false => Ok(()),
    }
}
