//! What changes groups and projects, and what must hold.

mod groups;
mod projects;
mod shares;

pub use groups::*;
pub use projects::*;
pub use shares::*;

use crate::model::{MAX_DESCRIPTION, Namespace, Problems, Project};
use crate::store::members::insert_owner as add_owner;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::Result;
use serde_json::Value;
use store::Tx;

/// Writes an audit record of what the viewer did.
pub fn record(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    action: &'static str,
    target: (&'static str, i64, &str),
    details: Value,
) -> Result<()> {
    let record = audit::Record {
        author_id: viewer.author_id(),
        action,
        target_type: target.0,
        target_id: target.1,
        target_name: target.2,
        details,
        ip_address: viewer.ip_address(),
    };
    Ok(audit::write(tx, record)?)
}

/// A group as the target of a record.
pub fn of_group(group: &Namespace) -> (&'static str, i64, &str) {
    ("Group", group.id, &group.full_path)
}

/// A project as the target of a record.
pub fn of_project(project: &Project) -> (&'static str, i64, &str) {
    ("Project", project.id, &project.full_path)
}

fn check_description(text: Option<&str>, problems: &mut Problems) {
    if text.is_some_and(|text| text.chars().count() > MAX_DESCRIPTION) {
        problems.add("description", "is too long (maximum is 2000 characters)");
    }
}
