//! What the program tells in notes about epics and their issues.

use crate::model::Issue;
use crate::model::epics::{EPIC, Epic};
use crate::rules::notes;
use crate::store::notes::{self as rows, ISSUE, Noteable};
use kernel::error::Result;
use store::Tx;

pub fn noteable(epic: &Epic) -> Noteable {
    Noteable { kind: EPIC, id: epic.id, project_id: None }
}

pub fn remark(tx: &mut Tx<'_>, epic: &Epic, actor: Option<i64>, text: &str) -> Result<()> {
    notes::system(tx, noteable(epic), actor, text)?;
    Ok(())
}

/// Tells on an epic what was done to it and another: only who sees that sees the
/// note.
pub fn beside(
    tx: &mut Tx<'_>,
    epic: &Epic,
    actor: Option<i64>,
    words: &str,
    other: &Epic,
) -> Result<()> {
    let text = format!("{words} {}", other.reference_from(epic.group_id));
    let note = notes::system(tx, noteable(epic), actor, &text)?;
    rows::name_epic(tx, note.id, other.id)
}

/// Tells on both that an issue came into an epic, or left it. Who sees an issue of a
/// project below the group sees an epic there that is not confidential; of others the
/// issue tells nothing.
pub fn moved(
    tx: &mut Tx<'_>,
    epic: &Epic,
    issue: &Issue,
    actor: Option<i64>,
    came: bool,
) -> Result<()> {
    let words = if came { "added issue" } else { "removed issue" };
    let text = format!("{words} {}#{}", issue.project_path, issue.iid);
    notes::system_naming(tx, noteable(epic), actor, &text, issue.id)?;
    let is_below = issue.lineage.contains(&format!("/{}/", epic.group_id));
    if is_below && !epic.confidential {
        let words = if came { "added to epic" } else { "removed from epic" };
        let about = Noteable {
            kind: ISSUE,
            id: issue.id,
            project_id: Some(issue.project_id),
        };
        let text = format!("{words} {}&{}", epic.group_path, epic.iid);
        notes::system(tx, about, actor, &text)?;
    }
    Ok(())
}
