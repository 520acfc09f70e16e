//! What changes groups and projects, and what must hold.

mod forks;
mod groups;
mod projects;
mod shares;

pub use forks::*;
pub use groups::*;
pub use projects::*;
pub use shares::*;

use crate::model::{MAX_DESCRIPTION, Namespace, Problems, Project};
use crate::store::members::insert_owner as add_owner;
use identity::viewer::Viewer;
use kernel::audit::Target;
use kernel::error::{Error, Result};
use kernel::http::params::Patch;

pub fn of_group(group: &Namespace) -> Target<'_> {
    ("Group", group.id, &group.full_path)
}

pub fn of_project(project: &Project) -> Target<'_> {
    ("Project", project.id, &project.full_path)
}

fn check_description(sent: &Patch<String>, problems: &mut Problems) {
    if matches!(sent, Patch::Value(text) if text.chars().count() > MAX_DESCRIPTION) {
        problems.add("description", "is too long (maximum is 2000 characters)");
    }
}

/// Refuses a size limit that cannot be meant, and anybody's but an administrator's.
fn check_size_limit(viewer: &Viewer, sent: &Patch<i64>) -> Result<()> {
    match sent {
        Patch::Absent => Ok(()),
        _ if !viewer.is_admin() => Err(Error::forbidden("")),
        Patch::Value(..0) => {
            Err(Error::invalid("repository_size_limit", "must be greater than or equal to 0"))
        }
        _ => Ok(()),
    }
}

/// The text that is set; null empties it.
fn text(sent: &Patch<String>) -> Option<String> {
    sent.clone().sent().map(Option::unwrap_or_default)
}

/// Sets a field to what it is changed to, if it is.
fn set<T: Clone>(field: &mut T, new: &Option<T>) {
    if let Some(new) = new {
        field.clone_from(new);
    }
}
