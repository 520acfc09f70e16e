//! An epic, as its page reads it for somebody.

use crate::access::epics::GroupAccess;
use crate::model::epics::Epic;
use identity::viewer::Viewer;

#[derive(Clone, Copy)]
pub struct Reader<'r> {
    pub viewer: &'r Viewer,
    pub desk: &'r GroupAccess,
    pub epic: &'r Epic,
}

impl Reader<'_> {
    /// Whether the viewer changes it.
    pub fn may_edit(&self) -> bool {
        self.viewer.user_id().is_some() && self.desk.plans()
    }
}
