//! A project or group that has something of its own: rules, policies, lists.

use crate::model::{Namespace, Project};
use crate::rules::{of_group, of_project};
use kernel::audit::Target;

/// It by its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpaceId {
    Project(i64),
    Group(i64),
}

impl SpaceId {
    /// The project and the group, of which one is none.
    pub const fn columns(self) -> (Option<i64>, Option<i64>) {
        match self {
            SpaceId::Project(id) => (Some(id), None),
            SpaceId::Group(id) => (None, Some(id)),
        }
    }
}

/// It as it is, found for who may do something with what it has.
#[derive(Debug, Clone)]
pub enum Holder {
    Project(Box<Project>),
    Group(Box<Namespace>),
}

impl Holder {
    pub fn id(&self) -> SpaceId {
        match self {
            Holder::Project(project) => SpaceId::Project(project.id),
            Holder::Group(group) => SpaceId::Group(group.id),
        }
    }

    /// As audit records name it.
    pub fn target(&self) -> Target<'_> {
        match self {
            Holder::Project(project) => of_project(project),
            Holder::Group(group) => of_group(group),
        }
    }
}
