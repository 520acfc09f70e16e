//! Issues: making, changing, linking, moving and removing them.
//!
//! [`create`], [`close`] and [`reopen`] judge nobody: rooms above call them in
//! their own transactions. What a viewer may do is decided in [`requests`].

mod change;
pub mod links;
pub mod moves;
pub mod places;
pub mod requests;
pub mod time;

pub use change::{Assignees, Change, update};

use crate::model::{
    EscalationStatus, Issue, IssueKind, IssueState, Severity, text_error, title_error,
};
use crate::rules::notes;
use crate::rules::todos::{self, Action, NewTodo};
use crate::store::internal_ids::{self, Usage};
use crate::store::issues::{self as rows, Written};
use crate::store::notes::{self as note_rows, ISSUE, Noteable};
use kernel::error::{Error, Found, Result};
use kernel::time::{Date, Timestamp};
use spaces::model::Problems;
use spaces::rules::note_activity;
use store::Tx;

/// Highest number that may be asked for: room is left to count on from it.
const MAX_IID: i64 = i32::MAX as i64;

/// An issue about to be made.
#[derive(Debug, Clone)]
pub struct NewIssue {
    /// Where.
    pub project_id: i64,
    /// By whom.
    pub author_id: Option<i64>,
    /// Its title.
    pub title: String,
    /// Its description, in Markdown.
    pub description: Option<String>,
    /// What it is about.
    pub kind: IssueKind,
    /// How bad an incident is.
    pub severity: Severity,
    /// How far people are with an incident.
    pub escalation_status: EscalationStatus,
    /// Seen by author, assignees and reporters only.
    pub confidential: bool,
    /// Only members comment.
    pub discussion_locked: Option<bool>,
    /// Labels of the project or of groups above it.
    pub label_ids: Vec<i64>,
    /// Users who may see it.
    pub assignee_ids: Vec<i64>,
    /// Of the project or of groups above it.
    pub milestone_id: Option<i64>,
    /// The day it is due.
    pub due_on: Option<Date>,
    /// How heavy it is.
    pub weight: Option<i64>,
    /// Its number; the next one unless given.
    pub iid: Option<i64>,
    /// When it was made; now unless given.
    pub created_at: Option<Timestamp>,
}

impl NewIssue {
    /// An issue with nothing but a title.
    pub fn titled(project_id: i64, author_id: Option<i64>, title: &str) -> NewIssue {
        NewIssue {
            project_id,
            author_id,
            title: title.to_owned(),
            description: None,
            kind: IssueKind::Issue,
            severity: Severity::Unknown,
            escalation_status: EscalationStatus::Triggered,
            confidential: false,
            discussion_locked: None,
            label_ids: Vec::new(),
            assignee_ids: Vec::new(),
            milestone_id: None,
            due_on: None,
            weight: None,
            iid: None,
            created_at: None,
        }
    }
}

/// What has an issue's notes.
pub fn noteable(issue: &Issue) -> Noteable {
    Noteable {
        kind: ISSUE,
        id: issue.id,
        project_id: Some(issue.project_id),
    }
}

/// Makes an issue and takes its number.
pub fn create(tx: &mut Tx<'_>, new: &NewIssue) -> Result<Issue> {
    let title = new.title.trim().to_owned();
    let description = new.description.clone().filter(|text| !text.is_empty());
    check(&title, description.as_deref(), new.weight)?;
    let created_at = new.created_at.unwrap_or(tx.now());
    let tasks = crate::formats::tasks::count(description.as_deref().unwrap_or_default());
    let written = Written {
        title,
        description,
        state: IssueState::Opened,
        kind: new.kind,
        severity: new.severity,
        escalation_status: new.escalation_status,
        closed_by_id: None,
        milestone_id: new.milestone_id,
        confidential: new.confidential,
        discussion_locked: new.discussion_locked,
        due_on: new.due_on,
        weight: new.weight,
        tasks,
        closed_at: None,
        updated_at: created_at,
    };
    let iid = number(tx, new)?;
    let id = rows::insert(tx, new.project_id, iid, new.author_id, created_at, &written)?
        .ok_or_else(|| Error::Conflict("Duplicated issue".into()))?;
    let made = found(tx, id)?;
    change::begin(tx, &made, new)?;
    note_activity(tx, made.project_id)?;
    Ok(made)
}

fn number(tx: &mut Tx<'_>, new: &NewIssue) -> Result<i64> {
    match new.iid {
        Some(iid) if iid < 1 => Err(Error::invalid("iid", "must be greater than 0")),
        Some(iid) if iid > MAX_IID => {
            let text = format!("must be less than or equal to {MAX_IID}");
            Err(Error::invalid("iid", text))
        }
        Some(iid) => {
            internal_ids::reach(tx, Usage::Issues, new.project_id, iid)?;
            Ok(iid)
        }
        None => internal_ids::next(tx, Usage::Issues, new.project_id),
    }
}

/// Closes an issue, unless it is closed.
pub fn close(tx: &mut Tx<'_>, actor: Option<i64>, id: i64) -> Result<Issue> {
    set_state(tx, actor, id, IssueState::Closed)
}

/// Opens a closed issue again.
pub fn reopen(tx: &mut Tx<'_>, actor: Option<i64>, id: i64) -> Result<Issue> {
    set_state(tx, actor, id, IssueState::Opened)
}

fn set_state(tx: &mut Tx<'_>, actor: Option<i64>, id: i64, state: IssueState) -> Result<Issue> {
    let issue = found(tx, id)?;
    let change = Change {
        state: Some(state),
        ..Change::default()
    };
    update(tx, actor, &issue, &change)
}

fn found(tx: &mut Tx<'_>, id: i64) -> Result<Issue> {
    rows::by_id(tx, id)?.found("")
}

fn check(title: &str, description: Option<&str>, weight: Option<i64>) -> Result<()> {
    let mut problems = Problems::default();
    problems.note("title", title_error(title));
    problems.note("description", text_error(description.unwrap_or_default()));
    if weight.is_some_and(|weight| weight < 0) {
        problems.add("weight", "must be greater than or equal to 0");
    }
    problems.check()
}

/// Who takes part in an issue: its author, its assignees, and who wrote notes
/// that the asker sees.
pub fn participants(tx: &mut Tx<'_>, issue: &Issue, with_internal: bool) -> Result<Vec<i64>> {
    let mut ids: Vec<i64> = issue.author_id.into_iter().collect();
    let assigned = rows::assignees_of(tx, &[issue.id])?.remove(&issue.id);
    ids.extend(assigned.unwrap_or_default());
    ids.extend(note_rows::authors(tx, noteable(issue), with_internal)?);
    let mut seen = std::collections::HashSet::new();
    ids.retain(|id| seen.insert(*id));
    Ok(ids)
}

/// Gives somebody an issue to look at, to which they were assigned.
fn assigned(tx: &mut Tx<'_>, issue: &Issue, actor: Option<i64>, user_id: i64) -> Result<()> {
    let todo = NewTodo {
        user_id,
        author_id: actor,
        action: Action::Assigned,
        target: noteable(issue),
        note_id: None,
    };
    todos::create(tx, &todo)?;
    Ok(())
}

/// Tells what somebody did to an issue.
fn remark(tx: &mut Tx<'_>, issue: &Issue, actor: Option<i64>, text: &str) -> Result<()> {
    notes::system(tx, noteable(issue), actor, text)?;
    Ok(())
}
