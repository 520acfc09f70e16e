//! Epics below epics: as deep as people read, and never in a circle.

use super::change::put_below;
use crate::model::epics::{Epic, MOST_LEVELS};
use crate::store::epics::{
    self as epics,
    tree::{self, Move},
};
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use store::Tx;

pub const NOT_HIDDEN: &str =
    "A non-confidential epic cannot be assigned to a confidential parent epic";

/// Puts an epic below another, or below none; the viewer may change both.
pub fn put(tx: &mut Tx<'_>, viewer: &Viewer, epic: &Epic, parent: Option<&Epic>) -> Result<Epic> {
    if let Some(parent) = parent {
        check(tx, epic, parent)?;
    }
    put_below(tx, viewer.user_id(), epic, parent)
}

fn check(tx: &mut Tx<'_>, epic: &Epic, parent: &Epic) -> Result<()> {
    let refused = |text: &str| Err(Error::invalid("parent_id", text));
    if parent.confidential && !epic.confidential {
        return Err(Error::invalid("confidential", NOT_HIDDEN));
    }
    if parent.id == epic.id {
        return refused("cannot be the epic itself");
    }
    let line = tree::line(tx, parent.id)?;
    if line.contains(&epic.id) {
        return refused("cannot be an epic that stands below this one");
    }
    if line.len() as i64 + tree::levels(tx, epic.id)? > MOST_LEVELS {
        return refused("is too deep: at most 7 epics stand one below another");
    }
    Ok(())
}

/// The epic of this id right below another, which the viewer sees.
pub fn find(tx: &mut Tx<'_>, viewer: &Viewer, parent: &Epic, id: i64) -> Result<Epic> {
    let found = epics::visible_by_ids(tx, viewer, &[id])?;
    let child = found.into_iter().find(|child| child.parent_id == Some(parent.id));
    child.found("")
}

/// Puts a child before or after another of the same parent.
pub fn place(tx: &mut Tx<'_>, parent: &Epic, child: &Epic, to: Move) -> Result<()> {
    match tree::place(tx, parent.id, child.id, to)? {
        true => Ok(()),
        false => Err(not_moved("Epic could not be moved!")),
    }
}

/// Refused as moves are.
pub fn not_moved(text: &str) -> Error {
    Error::Exact(400, serde_json::json!({"message": {"error": text}}))
}
