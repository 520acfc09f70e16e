//! Issues: making, changing, linking, moving and removing them.
//!
//! [`create`], [`close`] and [`reopen`] judge nobody: rooms above call them in
//! their own transactions. What a viewer may do is decided in [`requests`].

mod change;
pub mod links;
pub mod moves;
pub mod places;
pub mod requests;

pub use change::{Assignees, CHANGES, IssueInput, StateEvent, update};

use crate::activity;
use crate::model::{Issue, text_error, title_error};
use crate::rules::notes;
use crate::rules::times::Timed;
use crate::rules::todos::{self, Action as Reason, NewTodo};
use crate::store::internal_ids::{self, Usage};
use crate::store::issues as rows;
use crate::store::listed::{ISSUES, Listed};
use crate::store::notes::{self as note_rows, ISSUE, Noteable};
use kernel::error::{Error, Found, Result};
use spaces::activity::Action;
use spaces::model::Problems;
use spaces::rules::note_activity;
use store::Tx;

/// Highest number that may be asked for: room is left to count on from it.
pub const MAX_IID: i64 = i32::MAX as i64;

pub fn noteable(issue: &Issue) -> Noteable {
    Noteable {
        kind: ISSUE,
        id: issue.id,
        project_id: Some(issue.project_id),
    }
}

pub fn create(
    tx: &mut Tx<'_>, project_id: i64, author_id: Option<i64>, input: &IssueInput,
) -> Result<Issue> {
    let created_at = input.created_at.unwrap_or(tx.now());
    let blank = Issue { project_id, author_id, created_at, ..Issue::default() };
    let mut new = change::changed(tx, author_id, &blank, input);
    new.updated_at = created_at;
    check(&new)?;
    new.iid = number(tx, project_id, input.iid)?;
    let id = rows::insert(tx, &new)?.ok_or_else(|| Error::Conflict("Duplicated issue".into()))?;
    let made = found(tx, id)?;
    change::begin(tx, &made, input)?;
    activity::issue(tx, author_id, Action::Created, (project_id, id))?;
    note_activity(tx, project_id)?;
    Ok(made)
}

fn number(tx: &mut Tx<'_>, project_id: i64, wanted: Option<i64>) -> Result<i64> {
    match wanted {
        Some(iid) if iid < 1 => Err(Error::invalid("iid", "must be greater than 0")),
        Some(iid) if iid > MAX_IID => {
            let text = format!("must be less than or equal to {MAX_IID}");
            Err(Error::invalid("iid", text))
        }
        Some(iid) => {
            internal_ids::reach(tx, Usage::Issues, project_id, iid)?;
            Ok(iid)
        }
        None => internal_ids::next(tx, Usage::Issues, project_id),
    }
}

pub fn close(tx: &mut Tx<'_>, actor: Option<i64>, id: i64) -> Result<Issue> {
    let issue = found(tx, id)?;
    update(tx, actor, &issue, &IssueInput::event(StateEvent::Close))
}

pub fn reopen(tx: &mut Tx<'_>, actor: Option<i64>, id: i64) -> Result<Issue> {
    let issue = found(tx, id)?;
    update(tx, actor, &issue, &IssueInput::event(StateEvent::Reopen))
}

fn found(tx: &mut Tx<'_>, id: i64) -> Result<Issue> {
    rows::by_id(tx, id)?.found("")
}

fn check(issue: &Issue) -> Result<()> {
    let description = issue.description.as_deref().unwrap_or_default();
    let mut problems = Problems::default();
    problems.note("title", title_error(&issue.title));
    problems.note("description", text_error(description));
    if issue.weight.is_some_and(|weight| weight < 0) {
        problems.add("weight", "must be greater than or equal to 0");
    }
    problems.check()
}

/// Who takes part in an issue: its author, its assignees, and who wrote notes
/// that the asker sees.
pub fn participants(tx: &mut Tx<'_>, issue: &Issue, with_internal: bool) -> Result<Vec<i64>> {
    let mut ids: Vec<i64> = issue.author_id.into_iter().collect();
    ids.extend(rows::assignees_of_one(tx, issue.id)?);
    ids.extend(note_rows::authors(tx, noteable(issue), with_internal)?);
    let mut seen = std::collections::HashSet::new();
    ids.retain(|id| seen.insert(*id));
    Ok(ids)
}

fn assigned(tx: &mut Tx<'_>, issue: &Issue, actor: Option<i64>, user_id: i64) -> Result<()> {
    let todo = NewTodo {
        user_id,
        author_id: actor,
        action: Reason::Assigned,
        target: noteable(issue),
        note_id: None,
    };
    todos::create(tx, &todo)?;
    Ok(())
}

fn remark(tx: &mut Tx<'_>, issue: &Issue, actor: Option<i64>, text: &str) -> Result<()> {
    notes::system(tx, noteable(issue), actor, text)?;
    Ok(())
}

impl Timed for Issue {
    const LISTED: Listed = ISSUES;

    fn id(&self) -> i64 {
        self.id
    }

    fn times(&self) -> (i64, i64) {
        (self.time_estimate, self.time_spent)
    }

    fn remark(&self, tx: &mut Tx<'_>, actor: Option<i64>, text: &str) -> Result<()> {
        remark(tx, self, actor, text)
    }

    fn reread(&self, tx: &mut Tx<'_>) -> Result<Issue> {
        found(tx, self.id)
    }
}
