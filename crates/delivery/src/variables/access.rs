//! What has variables, and who gives their own to a pipeline.

use super::model::Holder;
use crate::place::Place;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use spaces::access::{self, DEVELOPER, MAINTAINER, OWNER};
use spaces::model::{OverrideRole, Project};
use spaces::pages::Space;

/// What of a place has variables.
pub fn holder(place: &Place) -> Holder {
    match place.space() {
        None => Holder::Instance,
        Some(Space::Group(group, _)) => Holder::Group(group.id),
        Some(Space::Project(project, _)) => Holder::Project(project.id),
    }
}

/// What a variable of a place is called where there is none.
pub fn thing(place: &Place) -> &'static str {
    match place.space() {
        None => "InstanceVariable",
        Some(Space::Group(..)) => "GroupVariable",
        Some(Space::Project(..)) => "Variable",
    }
}

/// The groups whose variables the jobs of a place are given, too.
pub fn groups_above(place: &Place) -> Vec<i64> {
    match place.space() {
        None => Vec::new(),
        Some(Space::Project(project, _)) => project.ancestors(),
        Some(Space::Group(group, _)) => {
            let mut ids = group.ids();
            ids.retain(|id| *id != group.id);
            ids
        }
    }
}

/// Whether the viewer may give variables to a pipeline of a project; those of the
/// project, its groups and the instance are there for everybody who starts one.
pub fn may_override(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<bool> {
    let least = match project.pipeline_variables_role {
        OverrideRole::NoOneAllowed => return Ok(false),
        OverrideRole::Developer => DEVELOPER,
        OverrideRole::Maintainer => MAINTAINER,
        OverrideRole::Owner => OWNER,
    };
    Ok(access::level_in_project(tx, viewer, project)? >= least)
}
