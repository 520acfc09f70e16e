//! What rooms above plug in.

use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use spaces::model::Project;
use std::collections::HashMap;

/// What the releases of tags say, by tag.
pub type DescriptionOfTags = HashMap<String, Option<String>>;

/// Of some tags of a project, for a viewer; nothing where they see no releases.
pub type ReleasesOfTags =
    fn(&mut Tx<'_>, &Viewer, &Project, &[String]) -> Result<Option<DescriptionOfTags>>;

/// Functions of the rooms above; they must be among the store's plugs.
#[derive(Default)]
pub struct Hooks {
    pub releases_of_tags: Option<ReleasesOfTags>,
}

pub(crate) fn releases_of_tags(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, tags: &[String],
) -> Result<Option<DescriptionOfTags>> {
    match tx.plugged::<Hooks>()?.releases_of_tags {
        Some(releases) => releases(tx, viewer, project, tags),
        None => Ok(None),
    }
}
