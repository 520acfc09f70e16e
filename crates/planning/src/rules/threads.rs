//! Threads that are resolved, because what they were about is settled, and
//! opened again.

use super::comments::Talk;
use super::issues::requests::may_edit;
use super::topic::Topic;
use crate::access::Desk;
use crate::store::notes::Note;
use crate::store::threads as rows;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use store::Tx;

/// Which threads about something somebody may resolve and open again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolves {
    None,
    /// Those they began.
    Own,
    All,
}

impl Resolves {
    /// Of a project that takes changes: who may edit the issue resolves all.
    pub fn about<'d>(viewer: &Viewer, desk: impl Into<Desk<'d>>, topic: Topic<'_>) -> Resolves {
        let desk = desk.into();
        match (topic, desk) {
            _ if viewer.user_id().is_none() || topic.is_closed_to(desk) => Resolves::None,
            (Topic::Issue(issue), Desk::Project(desk)) if may_edit(viewer, desk, issue) => {
                Resolves::All
            }
            (Topic::Issue(_), _) => Resolves::Own,
            (Topic::Epic(_) | Topic::Thing(_), _) => Resolves::None,
        }
    }

    /// Whether that is among them which begins with this note.
    pub fn takes(self, viewer: &Viewer, first: &Note) -> bool {
        let own = first.author_id.is_some() && first.author_id == viewer.user_id();
        match self {
            Resolves::None => false,
            Resolves::Own => own,
            Resolves::All => true,
        }
    }
}

impl Talk<'_> {
    /// Resolves a thread, or opens it again. One that is so already stays as it
    /// is.
    pub fn resolve(self, tx: &mut Tx<'_>, discussion_id: &str, is_resolved: bool) -> Result<()> {
        let Talk { viewer, desk, topic } = self;
        let user_id = viewer.signed_in()?.user.id;
        self.open()?;
        let first = self.beginning(tx, discussion_id)?;
        if !Resolves::about(viewer, desk, topic).takes(viewer, &first) {
            return Err(Error::forbidden(""));
        }
        if !first.is_resolvable() {
            return Err(Error::BadRequest("Note is not resolvable".into()));
        }
        let noteable = topic.noteable(desk);
        match is_resolved {
            true => rows::resolve(tx, noteable, discussion_id, user_id),
            false => rows::reopen(tx, noteable, discussion_id),
        }
    }
}
