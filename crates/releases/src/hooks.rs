//! What this room plugs into the rooms below.

use crate::access::sees;
use crate::store;
use ::store::Tx;
use code::hooks::DescriptionOfTags;
use identity::viewer::Viewer;
use kernel::error::Result;
use spaces::access::level_in_project;
use spaces::model::Project;

pub use crate::store::hand_over;
pub use crate::store::milestones::replaced as milestones_replaced;

/// What releases say of some tags of a project, by tag; nothing for who does not see
/// releases.
pub fn of_tags(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, tags: &[String],
) -> Result<Option<DescriptionOfTags>> {
    let level = level_in_project(tx, viewer, project)?;
    match sees(project, level) {
        true => store::descriptions(tx, project.id, tags).map(Some),
        false => Ok(None),
    }
}
