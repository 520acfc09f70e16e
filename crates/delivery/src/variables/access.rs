//! Who has variables, for who changes them; and who gives their own to a pipeline.

use super::model::Holder;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::audit::Target;
use kernel::error::Result;
use kernel::ids::Reference;
use spaces::access::{self, DEVELOPER, MAINTAINER, OWNER, Purpose};
use spaces::model::{OverrideRole, Project, SourceKind};
use spaces::pages::Space;
use spaces::rules::{of_group, of_project};

/// Maintainers of a project and owners of a group see and change its variables.
pub const CHANGE: Purpose = Purpose::Update;

/// What has variables, for somebody who may read and change them.
#[derive(Debug, Clone)]
pub enum Place {
    Instance,
    /// A project that the viewer maintains, or a group that they own.
    Space(Box<Space>),
}

impl Place {
    /// # Errors
    ///
    /// 401 and 403 for who is no administrator.
    pub fn instance(viewer: &Viewer) -> Result<Place> {
        viewer.admin()?;
        Ok(Place::Instance)
    }

    /// # Errors
    ///
    /// As [`access::project`] and [`access::group`] have them.
    pub fn find(
        tx: &mut Tx<'_>, viewer: &Viewer, (kind, reference): (SourceKind, &Reference),
    ) -> Result<Place> {
        Ok(Place::of(match kind {
            SourceKind::Project => {
                let (project, level) = access::project_and_level(tx, viewer, reference, CHANGE)?;
                Space::Project(project, level)
            }
            SourceKind::Group => {
                let (group, level) = access::group_and_level(tx, viewer, reference, CHANGE)?;
                Space::Group(group, level)
            }
        }))
    }

    /// A project or group that was found for who may change its variables.
    pub fn of(space: Space) -> Place {
        Place::Space(Box::new(space))
    }

    pub fn space(&self) -> Option<&Space> {
        match self {
            Place::Instance => None,
            Place::Space(space) => Some(space),
        }
    }

    pub fn holder(&self) -> Holder {
        match self.space() {
            None => Holder::Instance,
            Some(Space::Group(group, _)) => Holder::Group(group.id),
            Some(Space::Project(project, _)) => Holder::Project(project.id),
        }
    }

    /// As audit records name it.
    pub fn target(&self) -> Target<'_> {
        match self.space() {
            None => ("Instance", 0, ""),
            Some(Space::Group(group, _)) => of_group(group),
            Some(Space::Project(project, _)) => of_project(project),
        }
    }

    /// What a variable of it is called where there is none.
    pub fn thing(&self) -> &'static str {
        match self.space() {
            None => "InstanceVariable",
            Some(Space::Group(..)) => "GroupVariable",
            Some(Space::Project(..)) => "Variable",
        }
    }

    /// The groups whose variables its jobs are given, too.
    pub fn groups_above(&self) -> Vec<i64> {
        match self.space() {
            None => Vec::new(),
            Some(Space::Project(project, _)) => project.ancestors(),
            Some(Space::Group(group, _)) => {
                let mut ids = group.ids();
                ids.retain(|id| *id != group.id);
                ids
            }
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
