//! What the viewer may do at the changes of a merge request.

use crate::pages::frame::Found;
use crate::threads::rules::resolves;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use planning::access::Desk;
use planning::store::threads::Resolves;

#[derive(Debug, Clone, Copy)]
pub struct Rights {
    pub is_signed_in: bool,
    /// They may change what is theirs: the project takes changes.
    pub writes: bool,
    /// They may say something.
    pub may_say: bool,
    pub resolves: Resolves,
    /// They see what is internal.
    pub is_reporter: bool,
}

impl Rights {
    pub fn read(tx: &mut Tx<'_>, viewer: &Viewer, found: &Found) -> Result<Rights> {
        let writes = found.writes(viewer);
        Ok(Rights {
            is_signed_in: viewer.user_id().is_some(),
            writes,
            may_say: found.may_write(viewer),
            resolves: match writes {
                true => resolves(tx, viewer, Desk::from(&found.here), found.request.id)?,
                false => Resolves::None,
            },
            is_reporter: found.here.is_reporter(),
        })
    }
}
