//! Commands that change the merge request itself.

use super::{Author, MOST, named};
use crate::model::{MergeRequest, State, as_draft, as_ready};
use crate::rules::input::{Input, StateEvent};
use crate::store::labels as worn;
use ::store::Tx;
use identity::users::find_by_username;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::{Flat, Patch};
use kernel::ids::Reference;
use planning::access::Parent;
use planning::formats::quick_actions::Action;
use planning::formats::references::{Name, find_with};
use planning::rules::commands::arguments::words;
use planning::rules::commands::labels;
use planning::rules::commands::{Done, done, senseless};
use planning::rules::issues::Assignees;
use planning::rules::issues::places::found as issue_found;
use planning::rules::labelling::Labelling;
use planning::rules::references::{own_address, project_path};
use planning::store::{issues, milestones};
use serde_json::{Value, json};

/// A change, and what is told of it.
type Edit = (Input, Done);

/// What a command changes; nothing if it is about something else.
pub(super) fn read(
    tx: &mut Tx<'_>, by: Author<'_>, request: &MergeRequest, action: &Action,
) -> Result<Option<Edit>> {
    Ok(match action.name {
        "label" | "relabel" | "unlabel" => Some(label(action)?),
        "milestone" => Some(milestone(tx, by, action)?),
        "copy_metadata" => Some(copied(tx, by, action)?),
        "assign" | "reassign" | "unassign" => Some(assign(tx, by.viewer, action)?),
        "assign_reviewer" | "request_review" | "reviewer" | "reassign_reviewer"
        | "unassign_reviewer" => Some(review(tx, by.viewer, action)?),
        _ => plain(request, action),
    })
}

/// The same of commands for which nothing is looked up.
fn plain(request: &MergeRequest, action: &Action) -> Option<Edit> {
    let argument = action.argument.as_str();
    let title = |title: String| Input { title: Some(title), ..Input::default() };
    let locked = |locked| Input { discussion_locked: Patch::Value(locked), ..Input::default() };
    let ready = || {
        let done = done("wip_event", "ready", "Marked this merge request as ready.");
        (title(as_ready(&request.title)), done)
    };
    Some(match action.name {
        "title" if !argument.is_empty() => {
            let sentence = format!("Changed the title to \"{argument}\".");
            (title(argument.to_owned()), done("title", argument, sentence))
        }
        "draft" | "ready" if request.draft => ready(),
        "draft" => {
            let done = done("wip_event", "draft", "Marked this merge request as a draft.");
            (title(as_draft(&request.title)), done)
        }
        "target_branch" if !argument.is_empty() => {
            let target_branch = Some(argument.to_owned());
            let sentence = format!("Set target branch to {argument}.");
            let done = done("target_branch", argument, sentence);
            (Input { target_branch, ..Input::default() }, done)
        }
        "close" if request.is_open() => {
            let done = done("state_event", "close", "Closed this merge request.");
            (Input::event(StateEvent::Close), done)
        }
        "reopen" if request.state == State::Closed => {
            let done = done("state_event", "reopen", "Reopened this merge request.");
            (Input::event(StateEvent::Reopen), done)
        }
        "lock" => (locked(true), done("discussion_locked", true, "Locked the discussion.")),
        "unlock" => (locked(false), done("discussion_locked", false, "Unlocked the discussion.")),
        "remove_milestone" => {
            let done = done("milestone_id", Value::Null, "Removed the milestone.");
            (Input { milestone_id: Patch::Null, ..Input::default() }, done)
        }
        _ => return None,
    })
}

fn label(action: &Action) -> Result<Edit> {
    let (wears, done) = labels::read(action)?;
    Ok((Input { wears: Flat(wears), ..Input::default() }, done))
}

fn milestone(tx: &mut Tx<'_>, by: Author<'_>, action: &Action) -> Result<Edit> {
    let title = action.argument.trim_start_matches('%').trim_matches('"');
    let parent = Parent::Project(Box::new(by.here.project.clone()));
    let found = milestones::find_by_title(tx, &parent, title)?.ok_or_else(senseless)?;
    let done = done("milestone_id", found.id, format!("Set the milestone to {title}."));
    Ok((Input { milestone_id: Patch::Value(found.id), ..Input::default() }, done))
}

/// The labels and the milestone of an issue or another merge request, as far as they are of
/// use here.
fn copied(tx: &mut Tx<'_>, by: Author<'_>, action: &Action) -> Result<Edit> {
    let (said, own) = (action.argument.as_str(), own_address(tx)?);
    let first = find_with(said, own).into_iter().next().ok_or_else(senseless)?;
    let (labels, goal) = match first.name {
        Name::Issue(path, iid) => {
            let path = project_path(&by.here.project, path.as_deref());
            let (_, issue) = issue_found(tx, by.viewer, &Reference::Path(path), iid)?;
            (issues::label_ids(tx, issue.id)?, issue.milestone_id)
        }
        Name::MergeRequest(..) => {
            let (_, other) = named(tx, by, said)?.into_iter().next().ok_or_else(senseless)?;
            (worn::ids_of(tx, other.id)?, other.milestone_id)
        }
        _ => return Err(senseless()),
    };
    let parent = Parent::Project(Box::new(by.here.project.clone()));
    let goal = match goal {
        Some(id) => milestones::find(tx, &parent, id, true)?.map(|goal| goal.id),
        None => None,
    };
    let input = Input {
        wears: Flat(Labelling::also_ids(labels)),
        milestone_id: goal.map_or(Patch::Absent, Patch::Value),
        ..Input::default()
    };
    let sentence = format!("Copied labels and milestone from {said}.");
    Ok((input, done("copy_metadata", said, sentence)))
}

fn assign(tx: &mut Tx<'_>, viewer: &Viewer, action: &Action) -> Result<Edit> {
    let ids = users(tx, viewer, action)?;
    let assignees = match action.name {
        "assign" => Assignees::Add(ids.clone()),
        "unassign" if !ids.is_empty() => Assignees::Remove(ids.clone()),
        _ => Assignees::Set(ids.clone()),
    };
    let done = done("assignee_ids", json!(ids), "Changed assignee(s).");
    Ok((Input { assignees, ..Input::default() }, done))
}

fn review(tx: &mut Tx<'_>, viewer: &Viewer, action: &Action) -> Result<Edit> {
    let (ids, mut input) = (users(tx, viewer, action)?, Input::default());
    match action.name {
        "reassign_reviewer" => input.reviewer_ids = Some(ids.clone()),
        "unassign_reviewer" if ids.is_empty() => input.reviewer_ids = Some(Vec::new()),
        "unassign_reviewer" => input.remove_reviewer_ids.clone_from(&ids),
        _ => input.add_reviewer_ids.clone_from(&ids),
    }
    Ok((input, done("reviewer_ids", json!(ids), "Changed reviewer(s).")))
}

/// The users that a command names; only who takes people off may name nobody.
fn users(tx: &mut Tx<'_>, viewer: &Viewer, action: &Action) -> Result<Vec<i64>> {
    let mut ids = Vec::new();
    for name in words(&action.argument, '@').into_iter().take(MOST) {
        match name.as_str() {
            "me" => ids.push(viewer.signed_in()?.user.id),
            name => ids.extend(find_by_username(tx, name)?.map(|user| user.id)),
        }
    }
    let takes_off = action.name.starts_with("unassign") && action.argument.is_empty();
    match ids.is_empty() && !takes_off {
        true => Err(senseless()),
        false => Ok(ids),
    }
}
