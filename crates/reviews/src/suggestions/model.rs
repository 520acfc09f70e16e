//! Rows of suggestions.

use super::around::Around;
use super::change::Change;
use crate::positions::{Kind, Position};
use repositories::formats::object_id::ObjectId;
use store::FromRow;

/// Most suggestions that are applied at once.
pub const MOST_APPLIED: usize = 100;

/// A change that a note suggests. Where its lines are is told by the thread of the note.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
#[columns("suggestions")]
pub struct Suggestion {
    pub id: i64,
    pub note_id: i64,
    /// Lines above that of the thread that are replaced, too.
    pub lines_above: i64,
    /// Likewise below.
    pub lines_below: i64,
    pub from_content: String,
    pub to_content: String,
    /// The lines are other ones by now.
    pub is_outdated: bool,
    pub applied_commit_id: Option<ObjectId>,
}

impl Suggestion {
    pub fn is_applied(&self) -> bool {
        self.applied_commit_id.is_some()
    }

    /// What it changes, for a thread that stands here.
    pub fn change(&self, position: &Position) -> Option<Change> {
        let line = position.line().filter(|line| line.kind != Kind::Removed)?.new;
        Some(Change {
            path: position.path().to_owned(),
            from_line: line.checked_sub(u32::try_from(self.lines_above).ok()?)?.max(1),
            to_line: line.checked_add(u32::try_from(self.lines_below).ok()?)?,
            from_content: self.from_content.clone(),
            to_content: self.to_content.clone(),
        })
    }

    /// Whether its lines are still what they were, of a thread that went here.
    pub fn stands(&self, position: &Position, around: Option<&Around>) -> bool {
        let change = self.change(position);
        let change = change.as_ref().zip(around);
        change.is_some_and(|(change, around)| {
            around.shown(change.from_line, change.to_line).as_ref() == Some(&change.from_content)
        })
    }
}
