//! What changes groups and projects, and what must hold.

mod groups;
mod projects;
mod shares;

pub use groups::*;
pub use projects::*;
pub use shares::*;

use crate::model::{MAX_DESCRIPTION, Namespace, Problems, Project};
use crate::store::members::insert_owner as add_owner;
use kernel::audit::Target;

pub fn of_group(group: &Namespace) -> Target<'_> {
    ("Group", group.id, &group.full_path)
}

pub fn of_project(project: &Project) -> Target<'_> {
    ("Project", project.id, &project.full_path)
}

fn check_description(text: Option<&str>, problems: &mut Problems) {
    if text.is_some_and(|text| text.chars().count() > MAX_DESCRIPTION) {
        problems.add("description", "is too long (maximum is 2000 characters)");
    }
}

/// Sets a field to what it is changed to, if it is.
fn set<T: Clone>(field: &mut T, new: &Option<T>) {
    if let Some(new) = new {
        field.clone_from(new);
    }
}
