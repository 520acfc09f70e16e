//! Notes, discussions and reactions, by the ways that those of issues have.

use super::SnippetRequest;
use crate::rules::Which;
use crate::talk::{SNIPPET, thing};
use ::store::Tx;
use identity::Caller;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use planning::Noted;
use planning::access::{Desk, OwnedDesk};
use planning::guarded::NoteablePath;
use planning::rules::topic::Topic;
use planning::store::awards::Awardable;
use planning::targets::NoteableRow;

impl NoteablePath for Which {
    type Access = OwnedDesk;
    type Found = NoteableRow;

    fn authorize(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<(OwnedDesk, NoteableRow)> {
        viewer.signed_in()?;
        let found = self.find(tx, viewer)?;
        match found.may_comment(viewer) {
            true => Ok((found.desk(tx, viewer)?, thing(found.snippet.id))),
            false => Err(Error::forbidden("")),
        }
    }

    fn desk(access: &OwnedDesk) -> Desk<'_> {
        access.into()
    }

    fn topic(found: &NoteableRow) -> Topic<'_> {
        found.into()
    }
}

impl Noted for SnippetRequest {
    type Path = Which;

    fn parts(self) -> (Caller, Which) {
        (self.caller, self.which)
    }

    fn find(tx: &mut Tx<'_>, viewer: &Viewer, path: &Which) -> Result<(OwnedDesk, NoteableRow)> {
        let found = path.find(tx, viewer)?;
        Ok((found.desk(tx, viewer)?, thing(found.snippet.id)))
    }

    fn iid(_: &NoteableRow) -> Option<i64> {
        None
    }

    fn awardable(found: &NoteableRow) -> Awardable {
        Awardable::Thing(SNIPPET, found.id)
    }
}
