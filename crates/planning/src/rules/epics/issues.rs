//! Issues of epics. An issue is of one epic at most. Who may put it there is asked
//! where it is named.

use super::children::not_moved;
use super::said::moved;
use crate::access::{desk_to_write, sees};
use crate::model::Issue;
use crate::model::epics::{Epic, EpicIssue};
use crate::store::epics::issues as rows;
use crate::store::epics::tree::Move;
use crate::store::epics::{by_id, dates};
use crate::store::issues;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use store::Tx;

/// The issue of this id, for somebody who sets marks on it.
pub fn named(tx: &mut Tx<'_>, viewer: &Viewer, id: i64) -> Result<Issue> {
    let issue = issues::visible_by_ids(tx, viewer, &[id])?.pop().found("")?;
    let desk = desk_to_write(tx, viewer, &Reference::Id(issue.project_id))?;
    match desk.is_reporter() && sees(tx, viewer, &desk, &issue)? {
        true => Ok(issue),
        false => Err(Error::forbidden("")),
    }
}

/// The issue at a place of an epic; what the viewer does not see is not there for
/// them.
pub fn find(tx: &mut Tx<'_>, viewer: &Viewer, epic: &Epic, id: i64) -> Result<(EpicIssue, Issue)> {
    let one = rows::find(tx, epic.id, id)?.found("")?;
    let issue = issues::visible_by_ids(tx, viewer, &[one.issue_id])?.pop().found("")?;
    Ok((one, issue))
}

/// Puts an issue into an epic, whichever it was in.
pub fn put(tx: &mut Tx<'_>, actor: Option<i64>, epic: &Epic, issue: &Issue) -> Result<EpicIssue> {
    if epic.confidential && !issue.confidential {
        let text = "A non-confidential issue cannot be assigned to a confidential epic";
        return Err(Error::invalid("confidential", text));
    }
    let before = rows::of_issue(tx, issue.id)?;
    let before = before.map(|one| one.epic_id);
    if before == Some(epic.id) {
        return Err(Error::Conflict("Issue(s) already assigned".into()));
    }
    let made = rows::put(tx, epic.id, issue.id)?;
    if let Some(old) = before
        && let Some(old) = by_id(tx, old)?
    {
        moved(tx, &old, issue, actor, false)?;
    }
    moved(tx, epic, issue, actor, true)?;
    dates::refresh(tx, before.into_iter().chain([epic.id]).collect())?;
    Ok(made)
}

pub fn remove(
    tx: &mut Tx<'_>, actor: Option<i64>, epic: &Epic, issue: &Issue, one: &EpicIssue,
) -> Result<()> {
    rows::remove(tx, one.id)?;
    moved(tx, epic, issue, actor, false)?;
    dates::refresh(tx, vec![epic.id])
}

/// Puts an issue into an epic, or into none; nothing happens if it is there.
pub fn set(tx: &mut Tx<'_>, actor: Option<i64>, issue: &Issue, epic: Option<&Epic>) -> Result<()> {
    let before = rows::of_issue(tx, issue.id)?;
    match (before, epic) {
        (Some(one), Some(epic)) if one.epic_id == epic.id => Ok(()),
        (_, Some(epic)) => put(tx, actor, epic, issue).map(drop),
        (Some(one), None) => match by_id(tx, one.epic_id)? {
            Some(old) => remove(tx, actor, &old, issue, &one),
            None => rows::remove(tx, one.id),
        },
        (None, None) => Ok(()),
    }
}

/// Puts one before or after another of the same epic.
pub fn place(tx: &mut Tx<'_>, one: &EpicIssue, to: Option<Move>) -> Result<()> {
    match to {
        Some(to) if rows::place(tx, one, to)? => Ok(()),
        _ => Err(not_moved("Issue could not be moved!")),
    }
}
