//! Changes of an issue, each told by an event or a note.

use super::{NewIssue, assigned, check, found, noteable};
use crate::formats::tasks;
use crate::hooks;
use crate::model::{EscalationStatus, Issue, IssueKind, IssueState, Severity};
use crate::rules::notes;
use crate::store::issues::events::{self, By, Told};
use crate::store::issues::{self as rows, Written};
use identity::entities::load_basic;
use kernel::error::Result;
use kernel::http::Patch;
use kernel::time::{Date, Timestamp};
use spaces::rules::note_activity;
use store::Tx;

/// What becomes of the assignees.
#[derive(Debug, Clone)]
pub enum Assignees {
    /// These and nobody else.
    Set(Vec<i64>),
    /// These, too.
    Add(Vec<i64>),
    /// These no longer.
    Remove(Vec<i64>),
}

/// A change of an issue. Labels are added and taken away one by one, so two
/// changes at once lose none.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// Another title.
    pub title: Option<String>,
    /// Another description.
    pub description: Patch<String>,
    /// Open or closed.
    pub state: Option<IssueState>,
    /// What it is about.
    pub kind: Option<IssueKind>,
    /// How bad an incident is.
    pub severity: Option<Severity>,
    /// How far people are with an incident.
    pub escalation_status: Option<EscalationStatus>,
    /// Seen by few, or by all.
    pub confidential: Option<bool>,
    /// Only members comment.
    pub discussion_locked: Patch<bool>,
    /// Who is assigned.
    pub assignees: Option<Assignees>,
    /// These labels and no others.
    pub labels: Option<Vec<i64>>,
    /// These labels, too.
    pub add_labels: Vec<i64>,
    /// These labels no longer.
    pub remove_labels: Vec<i64>,
    /// Another milestone.
    pub milestone: Patch<i64>,
    /// The day it is due.
    pub due_on: Patch<Date>,
    /// How heavy it is.
    pub weight: Patch<i64>,
    /// When it was changed; now unless given.
    pub updated_at: Option<Timestamp>,
}

/// Gives a new issue its labels and assignees, and tells of all it was made
/// with as a change would: what reads the events finds the beginning, too.
pub(super) fn begin(tx: &mut Tx<'_>, made: &Issue, new: &NewIssue) -> Result<()> {
    let by = By {
        user_id: new.author_id,
        at: made.created_at,
    };
    let bare = Issue {
        milestone_id: None,
        due_on: None,
        weight: None,
        ..made.clone()
    };
    let labels = Change {
        add_labels: new.label_ids.clone(),
        ..Change::default()
    };
    let whole = written(tx, by.user_id, made, &Change::default());
    tell(tx, by, &bare, &whole)?;
    relabel(tx, by, made, &labels)?;
    assign(tx, by, made, &Assignees::Add(new.assignee_ids.clone()))
}

/// Changes an issue.
pub fn update(
    tx: &mut Tx<'_>,
    actor: Option<i64>,
    issue: &Issue,
    change: &Change,
) -> Result<Issue> {
    let written = written(tx, actor, issue, change);
    check(
        &written.title,
        written.description.as_deref(),
        written.weight,
    )?;
    rows::update(tx, issue.id, &written)?;
    let by = By {
        user_id: actor,
        at: tx.now(),
    };
    tell(tx, by, issue, &written)?;
    relabel(tx, by, issue, change)?;
    if let Some(assignees) = &change.assignees {
        assign(tx, by, issue, assignees)?;
    }
    found(tx, issue.id)
}

fn written(tx: &Tx<'_>, actor: Option<i64>, issue: &Issue, change: &Change) -> Written {
    let state = change.state.unwrap_or(issue.state);
    let (closed_by_id, closed_at) = match (issue.state, state) {
        (IssueState::Opened, IssueState::Closed) => (actor, Some(tx.now())),
        (_, IssueState::Opened) => (None, None),
        _ => (issue.closed_by_id, issue.closed_at),
    };
    let description = change.description.clone().over(issue.description.clone());
    let description = description.filter(|text| !text.is_empty());
    let title = change.title.as_deref().unwrap_or(&issue.title);
    Written {
        title: title.trim().to_owned(),
        tasks: tasks::count(description.as_deref().unwrap_or_default()),
        description,
        state,
        kind: change.kind.unwrap_or(issue.kind),
        severity: change.severity.unwrap_or(issue.severity),
        escalation_status: escalation(issue, change),
        closed_by_id,
        milestone_id: change.milestone.clone().over(issue.milestone_id),
        confidential: change.confidential.unwrap_or(issue.confidential),
        discussion_locked: change
            .discussion_locked
            .clone()
            .over(issue.discussion_locked),
        due_on: change.due_on.clone().over(issue.due_on),
        weight: change.weight.clone().over(issue.weight),
        closed_at,
        updated_at: change.updated_at.unwrap_or(tx.now()),
    }
}

/// How far people are with an incident then: closing one resolves it.
fn escalation(issue: &Issue, change: &Change) -> EscalationStatus {
    let closes = issue.state == IssueState::Opened && change.state == Some(IssueState::Closed);
    match closes && issue.kind == IssueKind::Incident {
        true => EscalationStatus::Resolved,
        false => change.escalation_status.unwrap_or(issue.escalation_status),
    }
}

fn tell(tx: &mut Tx<'_>, by: By, before: &Issue, after: &Written) -> Result<()> {
    if before.state != after.state {
        let action = match after.state {
            IssueState::Closed => "closed",
            IssueState::Opened => "reopened",
        };
        events::write(tx, before.id, by, Told::State(action))?;
        note_activity(tx, before.project_id)?;
        if after.state == IssueState::Closed {
            hooks::issue_closed(tx, before, by.user_id)?;
        }
    }
    if before.milestone_id != after.milestone_id {
        if let Some(old) = before.milestone_id {
            events::write(tx, before.id, by, Told::Milestone("remove", old))?;
        }
        if let Some(new) = after.milestone_id {
            events::write(tx, before.id, by, Told::Milestone("add", new))?;
        }
    }
    if before.weight != after.weight {
        events::write(tx, before.id, by, Told::Weight(after.weight))?;
    }
    for text in remarks(before, after) {
        remark(tx, before, by, &text)?;
    }
    Ok(())
}

/// What changed, in words.
fn remarks(before: &Issue, after: &Written) -> Vec<String> {
    let mut told = Vec::new();
    if before.title != after.title {
        told.push(format!(
            "changed title from **{}** to **{}**",
            before.title, after.title
        ));
    }
    if before.description != after.description {
        told.push("changed the description".to_owned());
    }
    if before.confidential != after.confidential {
        told.push(
            match after.confidential {
                true => "made the issue confidential",
                false => "made the issue visible to everyone",
            }
            .to_owned(),
        );
    }
    let locked = after.discussion_locked == Some(true);
    if (before.discussion_locked == Some(true)) != locked {
        let verb = if locked { "locked" } else { "unlocked" };
        told.push(format!("{verb} the discussion in this issue"));
    }
    if before.due_on != after.due_on {
        told.push(match after.due_on {
            Some(day) => format!("changed due date to {}", day.strftime("%B %-d, %Y")),
            None => "removed due date".to_owned(),
        });
    }
    if before.kind != after.kind {
        told.push(format!(
            "changed type from {} to {}",
            before.kind, after.kind
        ));
    }
    if before.severity != after.severity {
        told.push(format!("changed the severity to **{}**", after.severity));
    }
    if before.escalation_status != after.escalation_status {
        let closing = match before.state == after.state {
            true => "",
            false => " by closing the incident",
        };
        let label = after.escalation_status.label();
        told.push(format!(
            "changed the incident status to **{label}**{closing}"
        ));
    }
    told
}

fn relabel(tx: &mut Tx<'_>, by: By, issue: &Issue, change: &Change) -> Result<()> {
    let mut added = change.add_labels.clone();
    let mut removed = change.remove_labels.clone();
    if let Some(wanted) = &change.labels {
        let present = rows::label_ids(tx, issue.id)?;
        removed.extend(present.into_iter().filter(|id| !wanted.contains(id)));
        added.extend(wanted);
    }
    removed.retain(|id| !added.contains(id));
    for label in added {
        if rows::add_label(tx, issue.id, label)? {
            events::write(tx, issue.id, by, Told::Label("add", label))?;
        }
    }
    for label in removed {
        if rows::remove_label(tx, issue.id, label)? {
            events::write(tx, issue.id, by, Told::Label("remove", label))?;
        }
    }
    Ok(())
}

fn assign(tx: &mut Tx<'_>, by: By, issue: &Issue, assignees: &Assignees) -> Result<()> {
    let present = rows::assignees_of(tx, &[issue.id])?.remove(&issue.id);
    let present = present.unwrap_or_default();
    let (added, removed): (Vec<i64>, Vec<i64>) = match assignees {
        Assignees::Set(wanted) => (
            wanted.clone(),
            present
                .iter()
                .copied()
                .filter(|id| !wanted.contains(id))
                .collect(),
        ),
        Assignees::Add(more) => (more.clone(), Vec::new()),
        Assignees::Remove(fewer) => (Vec::new(), fewer.clone()),
    };
    let mut came = Vec::new();
    for user in added {
        if rows::assign(tx, issue.id, user)? {
            assigned(tx, issue, by.user_id, user)?;
            came.push(user);
        }
    }
    let mut went = Vec::new();
    for user in removed {
        if rows::unassign(tx, issue.id, user)? {
            went.push(user);
        }
    }
    if came.is_empty() && went.is_empty() {
        return Ok(());
    }
    let both: Vec<i64> = came.iter().chain(&went).copied().collect();
    let users = load_basic(tx, &both)?;
    let names = |ids: &[i64]| {
        let known = ids.iter().filter_map(|id| users.get(id));
        let names: Vec<String> = known.map(|user| format!("@{}", user.username)).collect();
        names.join(" ")
    };
    let mut parts = Vec::new();
    if !came.is_empty() {
        parts.push(format!("assigned to {}", names(&came)));
    }
    if !went.is_empty() {
        parts.push(format!("unassigned {}", names(&went)));
    }
    remark(tx, issue, by, &parts.join(" and "))
}

fn remark(tx: &mut Tx<'_>, issue: &Issue, by: By, text: &str) -> Result<()> {
    notes::system_at(tx, noteable(issue), by.user_id, by.at, text)?;
    Ok(())
}
