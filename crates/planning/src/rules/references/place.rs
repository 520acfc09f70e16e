//! What a text is about, which decides what short names in it mean.

use crate::access::{Desk, Parent};
use kernel::ids::fold;
use spaces::model::{Namespace, Project, SourceKind};
use spaces::uploads::address;

/// The path of the project that a name in texts of a project means: its own, one beside
/// it, or any.
pub fn project_path(project: &Project, path: Option<&str>) -> String {
    match path {
        None => project.full_path.clone(),
        Some(path) if path.contains('/') => path.to_owned(),
        Some(path) => format!("{}/{path}", project.namespace_full_path),
    }
}

/// What a text is about: short names mean what is there.
#[derive(Debug, Clone, Copy)]
pub enum TextPlace<'p> {
    Nowhere,
    Project(&'p Project),
    Group(&'p Namespace),
}

impl<'p> From<Option<&'p Project>> for TextPlace<'p> {
    fn from(project: Option<&'p Project>) -> TextPlace<'p> {
        project.map_or(TextPlace::Nowhere, TextPlace::Project)
    }
}

impl<'p> From<&'p Namespace> for TextPlace<'p> {
    fn from(group: &'p Namespace) -> TextPlace<'p> {
        TextPlace::Group(group)
    }
}

impl<'p> From<Desk<'p>> for TextPlace<'p> {
    fn from(desk: Desk<'p>) -> TextPlace<'p> {
        match desk {
            Desk::Project(access) => TextPlace::Project(&access.project),
            Desk::Group(access) => TextPlace::Group(&access.group),
        }
    }
}

impl<'p> From<&'p Parent> for TextPlace<'p> {
    fn from(parent: &'p Parent) -> TextPlace<'p> {
        match parent {
            Parent::Project(project) => TextPlace::Project(project),
            Parent::Group(group) => TextPlace::Group(group),
        }
    }
}

impl TextPlace<'_> {
    pub(super) fn parent(self) -> Option<Parent> {
        match self {
            TextPlace::Nowhere => None,
            TextPlace::Project(project) => Some(Parent::Project(Box::new(project.clone()))),
            TextPlace::Group(group) => Some(Parent::Group(Box::new(group.clone()))),
        }
    }

    /// What stands before the addresses of uploads.
    pub(super) fn uploads(self, base: &str) -> String {
        match self {
            TextPlace::Nowhere => String::new(),
            TextPlace::Project(project) => address(base, SourceKind::Project, project.id),
            TextPlace::Group(group) => address(base, SourceKind::Group, group.id),
        }
    }

    /// Its own path, folded; empty where it is none.
    pub(super) fn path(self) -> String {
        match self {
            TextPlace::Nowhere => String::new(),
            TextPlace::Project(project) => fold(&project.full_path),
            TextPlace::Group(group) => fold(&group.full_path),
        }
    }

    /// The path of the group that it is, or that the project is in.
    pub(super) fn group(self) -> Option<String> {
        match self {
            TextPlace::Nowhere => None,
            TextPlace::Project(project) => {
                let (above, _) = project.full_path.rsplit_once('/')?;
                Some(above.to_owned())
            }
            TextPlace::Group(group) => Some(group.full_path.clone()),
        }
    }
}
