//! What notes are about: an issue, an epic, or a thing of a room above.

use super::issues;
use super::news::may_know;
use crate::access::{Desk, epics};
use crate::activity;
use crate::model::Issue;
use crate::model::epics::{EPIC, Epic};
use crate::store::notes::{ISSUE, Note, Noteable};
use crate::store::{epics as epic_rows, issues as rows};
use crate::targets::NoteableRow;
use crate::tasks::About;
use identity::model::User;
use kernel::error::Result;
use spaces::access::GUEST;
use spaces::model::Project;
use store::Tx;

#[derive(Clone, Copy)]
pub enum Topic<'t> {
    Issue(&'t Issue),
    Epic(&'t Epic),
    Thing(NoteableRow),
}

/// The same, read.
pub enum OwnedTopic {
    Issue(Box<Issue>),
    Epic(Box<Epic>),
    Thing(NoteableRow),
}

impl OwnedTopic {
    pub fn topic(&self) -> Topic<'_> {
        match self {
            OwnedTopic::Issue(issue) => Topic::Issue(issue),
            OwnedTopic::Epic(epic) => Topic::Epic(epic),
            OwnedTopic::Thing(thing) => Topic::Thing(*thing),
        }
    }
}

impl<'t> From<&'t Issue> for Topic<'t> {
    fn from(issue: &'t Issue) -> Topic<'t> {
        Topic::Issue(issue)
    }
}

impl<'t> From<&'t Epic> for Topic<'t> {
    fn from(epic: &'t Epic) -> Topic<'t> {
        Topic::Epic(epic)
    }
}

impl From<&NoteableRow> for Topic<'_> {
    fn from(thing: &NoteableRow) -> Self {
        Topic::Thing(*thing)
    }
}

impl Topic<'_> {
    /// What has its notes; it is in the project or group of the desk.
    pub fn noteable(self, desk: Desk<'_>) -> Noteable {
        match self {
            Topic::Issue(issue) => issues::noteable(issue),
            Topic::Epic(epic) => Noteable { kind: EPIC, id: epic.id, project_id: None },
            Topic::Thing(thing) => Noteable {
                kind: thing.kind,
                id: thing.id,
                project_id: desk.project().map(|project| project.id),
            },
        }
    }

    pub fn about(self) -> About {
        let (kind, id) = match self {
            Topic::Issue(issue) => (ISSUE, issue.id),
            Topic::Epic(epic) => (EPIC, epic.id),
            Topic::Thing(thing) => (thing.kind, thing.id),
        };
        About { kind: kind.to_owned(), id }
    }

    /// Whether only members may say something, and this is none.
    pub fn is_closed_to(self, desk: Desk<'_>) -> bool {
        match self {
            Topic::Issue(issue) => issue.discussion_locked == Some(true) && desk.level() < GUEST,
            Topic::Epic(_) | Topic::Thing(_) => false,
        }
    }

    /// Whether some notes about it are for reporters alone.
    pub fn has_internal(self) -> bool {
        match self {
            Topic::Issue(_) | Topic::Epic(_) => true,
            Topic::Thing(thing) => thing.talk.has_internal,
        }
    }

    /// Whether a user may see it, and notes about it that only reporters see.
    pub fn may_know(
        self, tx: &mut Tx<'_>, user: &User, project: Option<&Project>, internal: bool,
    ) -> Result<bool> {
        match (self, project) {
            (Topic::Issue(issue), Some(project)) => may_know(tx, user, project, issue, internal),
            (Topic::Thing(thing), _) => {
                (thing.talk.may_know)(tx, user, thing.id, project, internal)
            }
            (Topic::Epic(epic), _) => epics::may_know(tx, user, epic, internal),
            (Topic::Issue(_), None) => Ok(false),
        }
    }

    /// Writes down that somebody wrote a note about it.
    pub fn said(self, tx: &mut Tx<'_>, note: &Note) -> Result<()> {
        match self {
            Topic::Issue(issue) => activity::note(tx, note.author_id, issue.project_id, note.id),
            Topic::Epic(_) => Ok(()),
            Topic::Thing(thing) => (thing.talk.said)(tx, thing.id, note),
        }
    }

    /// Forgets that, where the note is about to go.
    pub fn unsaid(self, tx: &mut Tx<'_>, note: &Note) -> Result<()> {
        match self {
            Topic::Issue(_) | Topic::Epic(_) => activity::forget_note(tx, note.id),
            Topic::Thing(thing) => (thing.talk.unsaid)(tx, note),
        }
    }

    /// A note about it has another text.
    pub fn reworded(self, tx: &mut Tx<'_>, note: &Note) -> Result<()> {
        let threads = match self {
            Topic::Thing(thing) => thing.talk.threads,
            Topic::Issue(_) | Topic::Epic(_) => None,
        };
        match threads {
            Some(threads) => (threads.reworded)(tx, note),
            None => Ok(()),
        }
    }

    /// Notes that something was said about it.
    pub fn touch(self, tx: &mut Tx<'_>) -> Result<()> {
        match self {
            Topic::Issue(issue) => rows::touch(tx, issue.id),
            Topic::Epic(epic) => epic_rows::touch(tx, epic.id),
            Topic::Thing(thing) => (thing.talk.touch)(tx, thing.id),
        }
    }
}
