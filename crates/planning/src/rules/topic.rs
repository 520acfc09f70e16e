//! What notes are about: an issue, or a thing of a room above.

use super::issues;
use super::news::may_know;
use crate::access::ProjectAccess;
use crate::model::Issue;
use crate::store::issues as rows;
use crate::store::notes::{ISSUE, Noteable};
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
    Thing(NoteableRow),
}

/// The same, read.
pub enum OwnedTopic {
    Issue(Box<Issue>),
    Thing(NoteableRow),
}

impl OwnedTopic {
    pub fn topic(&self) -> Topic<'_> {
        match self {
            OwnedTopic::Issue(issue) => Topic::Issue(issue),
            OwnedTopic::Thing(thing) => Topic::Thing(*thing),
        }
    }
}

impl<'t> From<&'t Issue> for Topic<'t> {
    fn from(issue: &'t Issue) -> Topic<'t> {
        Topic::Issue(issue)
    }
}

impl From<&NoteableRow> for Topic<'_> {
    fn from(thing: &NoteableRow) -> Self {
        Topic::Thing(*thing)
    }
}

impl Topic<'_> {
    /// What has its notes; it is in the project of the desk.
    pub fn noteable(self, desk: &ProjectAccess) -> Noteable {
        match self {
            Topic::Issue(issue) => issues::noteable(issue),
            Topic::Thing(thing) => Noteable {
                kind: thing.kind,
                id: thing.id,
                project_id: Some(desk.project.id),
            },
        }
    }

    pub fn about(self) -> About {
        let (kind, id) = match self {
            Topic::Issue(issue) => (ISSUE, issue.id),
            Topic::Thing(thing) => (thing.kind, thing.id),
        };
        About { kind: kind.to_owned(), id }
    }

    /// Whether only members may say something, and this is none.
    pub fn is_closed_to(self, desk: &ProjectAccess) -> bool {
        match self {
            Topic::Issue(issue) => issue.discussion_locked == Some(true) && desk.level < GUEST,
            Topic::Thing(_) => false,
        }
    }

    /// Whether a user may see it, and notes about it that only reporters see.
    pub fn may_know(
        self,
        tx: &mut Tx<'_>,
        user: &User,
        project: &Project,
        internal: bool,
    ) -> Result<bool> {
        match self {
            Topic::Issue(issue) => may_know(tx, user, project, issue, internal),
            Topic::Thing(thing) => (thing.talk.may_know)(tx, user, project),
        }
    }

    /// Notes that something was said about it.
    pub fn touch(self, tx: &mut Tx<'_>) -> Result<()> {
        match self {
            Topic::Issue(issue) => rows::touch(tx, issue.id),
            Topic::Thing(thing) => (thing.talk.touch)(tx, thing.id),
        }
    }
}
