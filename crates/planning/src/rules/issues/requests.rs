//! What somebody asks of issues, and how much of it they may have: those who
//! see a project's issues make some, their authors and reporters edit them,
//! and reporters set labels, assignees, milestones, dates and weights.

use super::{Assignees, IssueInput, create, noteable, update};
use crate::access::{Parent, ProjectAccess, sees, user_sees};
use crate::model::{Issue, IssueKind, IssueState};
use crate::rules::commands::{self, take_actions};
use crate::rules::epics::places::by_id_to_write;
use crate::rules::milestones;
use crate::rules::news::{self, Text};
use crate::rules::people::those_who;
use crate::rules::todos;
use crate::store::issues as rows;
use crate::tasks::{Event, Reason};
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::http::Patch;
use spaces::access::DEVELOPER;
use store::Tx;

pub fn find(tx: &mut Tx<'_>, viewer: &Viewer, desk: &ProjectAccess, iid: i64) -> Result<Issue> {
    let issue = rows::find(tx, desk.project.id, iid)?.found("")?;
    match sees(tx, viewer, desk, &issue)? {
        true => Ok(issue),
        false => Err(Error::NotFound("")),
    }
}

/// Whether the viewer may edit an issue they see: its author and reporters.
pub fn may_edit(viewer: &Viewer, desk: &ProjectAccess, issue: &Issue) -> bool {
    let is_author = issue.author_id.is_some() && issue.author_id == viewer.user_id();
    viewer.user_id().is_some() && (desk.is_reporter() || is_author)
}

/// Refuses to say how far people are with an issue: developers say so of
/// incidents.
fn may_escalate(desk: &ProjectAccess, issue: &Issue) -> Result<()> {
    if desk.level < DEVELOPER {
        return Err(Error::forbidden(""));
    }
    match issue.kind {
        IssueKind::Incident => Ok(()),
        _ => {
            let text = "is only for incidents";
            Err(Error::invalid("escalation_status", text))
        }
    }
}

/// Makes an issue for the viewer; marks that they may not set are left out.
pub fn open(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: &ProjectAccess, input: &IssueInput,
) -> Result<Issue> {
    let signed_in = viewer.signed_in()?;
    let author = Some(signed_in.user.id);
    let mut new = input.clone();
    let actions = take_actions(&signed_in.user, &mut new.description);
    if !desk.is_reporter() {
        new = new.without_marks();
    }
    new.confidential = input.confidential;
    new.escalation_status = None;
    new.state_event = None;
    let owner = desk.is_owner();
    new.iid = input.iid.filter(|_| owner);
    new.created_at = input.created_at.filter(|_| owner);
    resolve(tx, viewer, desk, &mut new)?;
    let made = create(tx, desk.project.id, author, &new)?;
    let text = made.description.clone().unwrap_or_default();
    let mut direct = named(tx, viewer, desk, &made, &text, "")?;
    let worn = rows::label_ids(tx, made.id)?;
    direct.extend(news::label_subscribers(tx, worn, &[])?);
    if !signed_in.user.kind.is_bot() {
        news::notify(tx, author, &made, Event::New, None, direct)?;
    }
    Ok(commands::apply(tx, viewer, desk, &made, &actions)?.0)
}

/// Gives those whom a description newly names something to do; they and why.
fn named(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: &ProjectAccess, issue: &Issue, text: &str, before: &str,
) -> Result<Vec<(i64, Reason)>> {
    let said = Text { text, before, note_id: None, internal: false };
    news::mentioned(tx, viewer, desk, issue, said)
}

pub fn edit(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: &ProjectAccess, issue: &Issue, input: &IssueInput,
) -> Result<Issue> {
    if !may_edit(viewer, desk, issue) {
        return Err(Error::forbidden(""));
    }
    if input.escalation_status.is_some() {
        may_escalate(desk, issue)?;
    }
    let mut change = input.clone();
    if !desk.is_reporter() {
        change = change.without_marks();
    }
    let actions = take_actions(&viewer.signed_in()?.user, &mut change.description);
    if change.is_empty() {
        return Err(Error::forbidden(""));
    }
    change.updated_at = change.updated_at.filter(|_| desk.is_owner());
    resolve(tx, viewer, desk, &mut change)?;
    let before = Before {
        issue,
        assigned: rows::assignees_of_one(tx, issue.id)?,
        labels: rows::label_ids(tx, issue.id)?,
    };
    let after = update(tx, viewer.user_id(), issue, &change)?;
    tell(tx, viewer, desk, before, &after)?;
    Ok(commands::apply(tx, viewer, desk, &after, &actions)?.0)
}

/// Writes a description in which a box was ticked. What else it holds was
/// judged when it was written, commands in it are carried out no more, and
/// nobody is told by mail.
pub fn tick(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: &ProjectAccess, issue: &Issue, text: String,
) -> Result<Issue> {
    if !may_edit(viewer, desk, issue) {
        return Err(Error::forbidden(""));
    }
    let change = IssueInput { description: Patch::Value(text), ..IssueInput::default() };
    update(tx, viewer.user_id(), issue, &change)
}

/// An issue as it was.
struct Before<'i> {
    issue: &'i Issue,
    assigned: Vec<i64>,
    labels: Vec<i64>,
}

/// Has people told of a change, and takes it from what the viewer has to do.
fn tell(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: &ProjectAccess, before: Before<'_>, after: &Issue,
) -> Result<()> {
    todos::close_for(tx, viewer.user_id(), noteable(after))?;
    if viewer.user().is_none_or(|user| user.kind.is_bot()) {
        return Ok(());
    }
    let actor = viewer.user_id();
    let issue = before.issue;
    let (old, new) = (issue.description.as_deref(), after.description.as_deref());
    if old != new {
        let direct = named(tx, viewer, desk, after, new.unwrap_or(""), old.unwrap_or(""))?;
        if !direct.is_empty() {
            news::notify(tx, actor, after, Event::Edited, None, direct)?;
        }
    }
    if issue.state != after.state {
        let event = match after.state {
            IssueState::Closed => Event::Closed,
            IssueState::Opened => Event::Reopened,
        };
        news::notify(tx, actor, after, event, None, Vec::new())?;
    }
    if issue.milestone_id != after.milestone_id {
        news::notify(tx, actor, after, Event::Milestone, None, Vec::new())?;
    }
    let assigned = rows::assignees_of_one(tx, after.id)?;
    if assigned != before.assigned {
        let both = before.assigned.into_iter().chain(assigned);
        let direct = both.map(|user| (user, Reason::Assigned)).collect();
        news::notify(tx, actor, after, Event::Reassigned, None, direct)?;
    }
    let worn = rows::label_ids(tx, after.id)?;
    let direct = news::label_subscribers(tx, worn, &before.labels)?;
    if !direct.is_empty() {
        news::notify(tx, actor, after, Event::Labelled, None, direct)?;
    }
    Ok(())
}

/// Makes ids of what was named, as far as it exists and may be used.
fn resolve(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: &ProjectAccess, input: &mut IssueInput,
) -> Result<()> {
    let parent = Parent::Project(Box::new(desk.project.clone()));
    input.milestone_id = milestones::usable(tx, &parent, &input.milestone_id)?;
    if let Patch::Value(id) = input.epic_id {
        input.epic_id = match id {
            0 => Patch::Null,
            id => match by_id_to_write(tx, viewer, id)? {
                Some((_, epic)) => Patch::Value(epic.id),
                None => return Err(Error::invalid("epic_id", "is invalid")),
            },
        };
    }
    if let Assignees::Set(ids) | Assignees::Add(ids) = &mut input.assignees {
        *ids = assignable(tx, desk, ids)?;
    }
    input.wears.resolve(tx, &parent)
}

/// Those of these users who are active and see the project's issues.
pub fn assignable(tx: &mut Tx<'_>, desk: &ProjectAccess, ids: &[i64]) -> Result<Vec<i64>> {
    those_who(tx, "assignees", ids, |tx, user| user_sees(tx, user, &desk.project))
}
