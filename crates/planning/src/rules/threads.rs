//! Threads that are resolved, because what they were about is settled, and
//! opened again.

use super::comments::Talk;
use super::issues::requests::may_edit;
use super::topic::Topic;
use crate::access::Desk;
use crate::store::notes::Note;
use crate::store::threads::{self as rows, Resolves};
use crate::targets::NoteableRow;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use store::Tx;

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
}

impl Talk<'_> {
    /// Resolves a thread, or opens it again. One that is so already stays as it
    /// is.
    pub fn resolve(self, tx: &mut Tx<'_>, discussion_id: &str, is_resolved: bool) -> Result<()> {
        let Talk { viewer, desk, topic } = self;
        let user_id = viewer.signed_in()?.user.id;
        self.open()?;
        let first = self.beginning(tx, discussion_id)?;
        if let Topic::Thing(thing) = topic {
            return self.resolve_about(tx, thing, &first, is_resolved);
        }
        if !Resolves::about(viewer, desk, topic).takes(viewer, &first) {
            return Err(Error::forbidden(""));
        }
        if !first.is_resolvable() {
            return Err(Error::BadRequest("Note is not resolvable".into()));
        }
        let noteable = topic.noteable(desk);
        match is_resolved {
            true => rows::resolve(tx, noteable, discussion_id, Some(user_id)).map(drop),
            false => rows::reopen(tx, noteable, discussion_id),
        }
    }

    /// The same, about a thing of a room above.
    fn resolve_about(
        self, tx: &mut Tx<'_>, thing: NoteableRow, first: &Note, is_resolved: bool,
    ) -> Result<()> {
        let threads = thing.talk.threads.filter(|_| first.is_resolvable());
        let threads = threads.ok_or_else(|| Error::forbidden(""))?;
        let resolves = (threads.resolves)(tx, self.viewer, self.desk, thing.id)?;
        if !resolves.takes(self.viewer, first) {
            return Err(Error::forbidden(""));
        }
        let (noteable, id) = (self.topic.noteable(self.desk), &first.discussion_id);
        if !is_resolved {
            return rows::reopen(tx, noteable, id);
        }
        let actor = self.viewer.user_id();
        match rows::resolve(tx, noteable, id, actor)? {
            true => (threads.resolved)(tx, actor, thing.id),
            false => Ok(()),
        }
    }

    /// Resolves a note, or opens it again: about a thing of a room above it alone, which
    /// who wrote it may, too, and elsewhere its thread.
    pub fn resolve_note(self, tx: &mut Tx<'_>, note: &Note, is_resolved: bool) -> Result<()> {
        let Topic::Thing(thing) = self.topic else {
            return self.resolve(tx, &note.discussion_id, is_resolved);
        };
        let user_id = self.viewer.signed_in()?.user.id;
        let threads = thing.talk.threads.ok_or_else(|| Error::forbidden(""))?;
        if !note.is_resolvable() {
            return Err(Error::BadRequest("Note is not resolvable".into()));
        }
        let resolves = (threads.resolves)(tx, self.viewer, self.desk, thing.id)?;
        if note.author_id != Some(user_id) && !resolves.takes(self.viewer, note) {
            return Err(Error::forbidden(""));
        }
        if !is_resolved {
            return rows::reopen_one(tx, note.id);
        }
        match rows::resolve_one(tx, note.id, user_id)? {
            true => (threads.resolved)(tx, Some(user_id), thing.id),
            false => Ok(()),
        }
    }
}
