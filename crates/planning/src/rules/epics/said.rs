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

/// Who takes part in an epic: its author, and who wrote notes that the asker sees.
pub fn participants(tx: &mut Tx<'_>, epic: &Epic, with_internal: bool) -> Result<Vec<i64>> {
    let mut ids: Vec<i64> = epic.author_id.into_iter().collect();
    let wrote = rows::authors(tx, noteable(epic), with_internal)?;
    ids.extend(wrote.into_iter().filter(|id| Some(*id) != epic.author_id));
    Ok(ids)
}

pub fn remark(tx: &mut Tx<'_>, epic: &Epic, actor: Option<i64>, text: &str) -> Result<()> {
    notes::system(tx, noteable(epic), actor, text)?;
    Ok(())
}

/// Tells on an epic what was done to it and another: only who sees that sees the
/// note.
pub fn beside(
    tx: &mut Tx<'_>, epic: &Epic, actor: Option<i64>, words: &str, other: &Epic,
) -> Result<()> {
    let text = format!("{words} {}", other.reference_from(epic.group_id));
    let note = notes::system(tx, noteable(epic), actor, &text)?;
    rows::name_epic(tx, note.id, other.id)
}

/// Tells on an epic what was done to it and an issue: only who sees that sees the note.
pub fn beside_issue(
    tx: &mut Tx<'_>, epic: &Epic, issue: &Issue, actor: Option<i64>, words: &str,
) -> Result<()> {
    let text = format!("{words} {}#{}", issue.project_path, issue.iid);
    notes::system_naming(tx, noteable(epic), actor, &text, issue.id)?;
    Ok(())
}

/// Tells on an issue what was done to it and an epic: only who sees that sees the note.
pub fn told_on_issue(
    tx: &mut Tx<'_>, epic: &Epic, issue: &Issue, actor: Option<i64>, words: &str,
) -> Result<()> {
    let about = Noteable {
        kind: ISSUE,
        id: issue.id,
        project_id: Some(issue.project_id),
    };
    let text = format!("{words} {}", epic.reference_from(0));
    let note = notes::system(tx, about, actor, &text)?;
    rows::name_epic(tx, note.id, epic.id)
}

/// Tells on both that an issue came into an epic, or left it.
pub fn moved(
    tx: &mut Tx<'_>, epic: &Epic, issue: &Issue, actor: Option<i64>, came: bool,
) -> Result<()> {
    let words = if came { "added issue" } else { "removed issue" };
    beside_issue(tx, epic, issue, actor, words)?;
    let words = if came { "added to epic" } else { "removed from epic" };
    told_on_issue(tx, epic, issue, actor, words)
}
