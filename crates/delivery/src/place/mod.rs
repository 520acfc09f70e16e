//! The instance, a group or a project, for who manages what its jobs are given: variables
//! and runners.

mod pages;

pub(crate) use pages::Whose;

use ::store::Tx;
use identity::viewer::Viewer;
use kernel::audit::Target;
use kernel::error::Result;
use kernel::ids::Reference;
use spaces::access::{self, Purpose};
use spaces::model::SourceKind;
use spaces::pages::Space;
use spaces::rules::{of_group, of_project};

/// Maintainers of a project and owners of a group manage what it has.
pub const MANAGE: Purpose = Purpose::Update;

/// What has variables and runners, for somebody who manages them there.
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
                let (project, level) = access::project_and_level(tx, viewer, reference, MANAGE)?;
                Space::Project(project, level)
            }
            SourceKind::Group => {
                let (group, level) = access::group_and_level(tx, viewer, reference, MANAGE)?;
                Space::Group(group, level)
            }
        }))
    }

    /// A project or group that was found for who manages what it has.
    pub fn of(space: Space) -> Place {
        Place::Space(Box::new(space))
    }

    pub fn space(&self) -> Option<&Space> {
        match self {
            Place::Instance => None,
            Place::Space(space) => Some(space),
        }
    }

    pub fn group_id(&self) -> Option<i64> {
        match self.space() {
            Some(Space::Group(group, _)) => Some(group.id),
            _ => None,
        }
    }

    pub fn project_id(&self) -> Option<i64> {
        match self.space() {
            Some(Space::Project(project, _)) => Some(project.id),
            _ => None,
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
}
