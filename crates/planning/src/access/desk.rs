//! Where notes are written: in a project, or in a group.

use super::ProjectAccess;
use super::epics::GroupAccess;
use spaces::access::{OWNER, REPORTER};
use spaces::model::Project;

#[derive(Debug, Clone, Copy)]
pub enum Desk<'d> {
    Project(&'d ProjectAccess),
    Group(&'d GroupAccess),
}

impl<'d> From<&'d ProjectAccess> for Desk<'d> {
    fn from(access: &'d ProjectAccess) -> Desk<'d> {
        Desk::Project(access)
    }
}

impl<'d> From<&'d GroupAccess> for Desk<'d> {
    fn from(access: &'d GroupAccess) -> Desk<'d> {
        Desk::Group(access)
    }
}

impl<'d> Desk<'d> {
    /// The viewer's level there: a role, 60 for administrators, 0 for nobody.
    pub fn level(self) -> i64 {
        match self {
            Desk::Project(access) => access.level,
            Desk::Group(access) => access.level,
        }
    }

    /// Whether the viewer sees what is internal.
    pub fn is_reporter(self) -> bool {
        self.level() >= REPORTER
    }

    pub fn is_owner(self) -> bool {
        self.level() >= OWNER
    }

    pub fn project(self) -> Option<&'d Project> {
        match self {
            Desk::Project(access) => Some(&access.project),
            Desk::Group(_) => None,
        }
    }

    /// The groups above it, and itself if it is one.
    pub fn groups(self) -> Vec<i64> {
        match self {
            Desk::Project(access) => access.project.ancestors(),
            Desk::Group(access) => access.group.ids(),
        }
    }
}

/// The same, read.
#[derive(Debug, Clone)]
pub enum OwnedDesk {
    Project(ProjectAccess),
    Group(GroupAccess),
}

impl<'d> From<&'d OwnedDesk> for Desk<'d> {
    fn from(desk: &'d OwnedDesk) -> Desk<'d> {
        match desk {
            OwnedDesk::Project(access) => Desk::Project(access),
            OwnedDesk::Group(access) => Desk::Group(access),
        }
    }
}
