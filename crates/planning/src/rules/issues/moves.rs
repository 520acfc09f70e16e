//! Moving, copying and removing issues.

use super::links::beside;
use super::requests::{assignable, may_edit};
use super::{Assignees, IssueInput, close, create, noteable, remark};
use crate::access::{Parent, ProjectAccess, desk_to_write};
use crate::activity;
use crate::model::Issue;
use crate::rules::labelling::Labelling;
use crate::rules::labels::label_ids;
use crate::rules::notes;
use crate::store::epics;
use crate::store::issues as rows;
use crate::store::labels;
use crate::store::milestones;
use crate::store::notes::{self as note_rows, Note};
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Result};
use kernel::http::{Flat, Patch};
use kernel::ids::Reference;
use serde_json::json;
use spaces::uploads;
use store::Tx;

const MOST_NOTES: i64 = 1_000;

/// Moves an issue to another project: a copy with its notes there, and the
/// old one closed and pointing to it. Reporters of both projects may.
pub fn relocate(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: &ProjectAccess, issue: &Issue, to_project_id: i64,
) -> Result<Issue> {
    if desk.project.id == to_project_id {
        return Err(refused("Cannot move issue to project it originates from!"));
    }
    if issue.moved_to_id.is_some() {
        return Err(refused("Cannot move issue that was moved before!"));
    }
    let there = target(tx, viewer, desk, to_project_id, "move")?;
    let made = copy(tx, viewer, &there, issue, true)?;
    rows::moved(tx, issue.id, made.id)?;
    epics::issues::hand_on(tx, issue.id, made.id)?;
    epics::dates::refresh_of_issues(tx, &[made.id])?;
    let actor = viewer.user_id();
    remark(tx, issue, actor, "moved to another project")?;
    remark(tx, &made, actor, "moved from another project")?;
    if issue.closed_at.is_none() {
        close(tx, actor, issue.id)?;
    }
    record(
        tx,
        viewer,
        "issue.move",
        issue,
        json!({"to": made.id, "project_id": to_project_id}),
    )?;
    Ok(made)
}

/// Copies an issue, perhaps with its notes, into a project, which may be its
/// own.
pub fn duplicate(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: &ProjectAccess, issue: &Issue, to_project_id: i64,
    with_notes: bool,
) -> Result<Issue> {
    let there = target(tx, viewer, desk, to_project_id, "clone")?;
    let made = copy(tx, viewer, &there, issue, with_notes)?;
    let actor = viewer.user_id();
    match desk.project.id == to_project_id {
        true => beside(tx, &made, actor, "cloned from", issue)?,
        false => remark(tx, &made, actor, "cloned from another project")?,
    }
    Ok(made)
}

fn refused(text: &str) -> Error {
    Error::BadRequest(text.to_owned())
}

fn target(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: &ProjectAccess, project_id: i64, verb: &str,
) -> Result<ProjectAccess> {
    let insufficient = || refused(&format!("Cannot {verb} issue due to insufficient permissions!"));
    if !desk.is_reporter() {
        return Err(insufficient());
    }
    match desk_to_write(tx, viewer, &Reference::Id(project_id)) {
        Ok(there) if there.is_reporter() => Ok(there),
        Ok(_) | Err(Error::Forbidden(_)) => Err(insufficient()),
        Err(error) => Err(error),
    }
}

/// A copy with those labels, assignees and milestones that exist there, too.
fn copy(
    tx: &mut Tx<'_>, viewer: &Viewer, there: &ProjectAccess, issue: &Issue, with_notes: bool,
) -> Result<Issue> {
    let parent = Parent::Project(Box::new(there.project.clone()));
    let worn = labels::of_issues(tx, &[issue.id])?.remove(&issue.id);
    let titles: Vec<String> =
        worn.unwrap_or_default().into_iter().map(|label| label.title).collect();
    let label_ids = label_ids(tx, &parent, &titles, &[], false)?;
    let assigned = rows::assignees_of_one(tx, issue.id)?;
    let assignee_ids = assignable(tx, there, &assigned)?;
    let milestone_id = match issue.milestone_id {
        Some(id) => match milestones::by_ids(tx, &[id])?.remove(&id) {
            Some(old) => milestones::find_by_title(tx, &parent, &old.title)?.map(|new| new.id),
            None => None,
        },
        None => None,
    };
    let new = IssueInput {
        wears: Flat(Labelling::also_ids(label_ids)),
        assignees: Assignees::Add(assignee_ids),
        milestone_id: Patch::given(milestone_id),
        ..IssueInput::copy_of(issue)
    };
    let made = create(tx, there.project.id, viewer.user_id(), &new)?;
    uploads::copy(tx, issue.project_id, made.project_id, [issue.text()])?;
    if with_notes {
        copy_notes(tx, viewer, issue, &made)?;
    }
    Ok(made)
}

fn copy_notes(tx: &mut Tx<'_>, viewer: &Viewer, from: &Issue, to: &Issue) -> Result<()> {
    let found = note_rows::of_people(tx, viewer, noteable(from), MOST_NOTES)?;
    let texts = found.iter().map(|note| note.body.as_str());
    uploads::copy(tx, from.project_id, to.project_id, texts)?;
    let same = |note: &Note| (note.body.clone(), (note.resolved_at, note.resolved_by_id));
    notes::copy(tx, found, noteable(to), same)
}

/// Removes an issue; owners of the project may.
pub fn destroy(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: &ProjectAccess, issue: &Issue,
) -> Result<()> {
    if !desk.is_owner() || !may_edit(viewer, desk, issue) {
        return Err(Error::forbidden(""));
    }
    activity::forget_issue(tx, issue.id)?;
    note_rows::forget(tx, note_rows::ISSUE, &[issue.id])?;
    let above = epics::dates::of_issues(tx, &[issue.id])?;
    rows::delete(tx, issue.id)?;
    epics::dates::refresh(tx, above)?;
    record(tx, viewer, "issue.destroy", issue, json!({"project_id": issue.project_id}))
}

fn record(
    tx: &mut Tx<'_>, viewer: &Viewer, action: &'static str, issue: &Issue,
    details: serde_json::Value,
) -> Result<()> {
    audit::record(tx, viewer, action, ("Issue", issue.id, &issue.title), details)
}
