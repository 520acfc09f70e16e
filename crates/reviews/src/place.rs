//! Where a merge request is named, by whichever interface.

use crate::access::check_open;
use crate::access::{desk, desk_signed_in, desk_to_write, find};
use crate::model::MergeRequest;
use crate::talk::thing;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::ids::Reference;
pub use planning::Wish;
use planning::access::{Desk, ProjectAccess};
use planning::guarded::NoteablePath;
use planning::rules::topic::Topic;

/// Where a merge request is named.
#[derive(Debug, Clone)]
pub struct Place {
    pub project: Reference,
    pub iid: i64,
}

impl Place {
    pub fn find(
        &self, tx: &mut Tx<'_>, viewer: &Viewer, wish: Wish,
    ) -> Result<(ProjectAccess, MergeRequest)> {
        let here = match wish {
            Wish::See => desk(tx, viewer, &self.project)?,
            Wish::Write => desk_to_write(tx, viewer, &self.project)?,
            Wish::WriteOwn => desk_signed_in(tx, viewer, &self.project)?,
        };
        let request = find(tx, viewer, &here, self.iid)?;
        Ok((here, request))
    }
}

impl NoteablePath for Place {
    type Access = ProjectAccess;
    type Found = MergeRequest;

    fn authorize(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<(ProjectAccess, MergeRequest)> {
        let (here, request) = self.find(tx, viewer, Wish::Write)?;
        check_open(&here, &request)?;
        Ok((here, request))
    }

    fn desk(access: &ProjectAccess) -> Desk<'_> {
        access.into()
    }

    fn topic(request: &MergeRequest) -> Topic<'_> {
        Topic::Thing(thing(request.id))
    }
}
