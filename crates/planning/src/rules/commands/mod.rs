//! Commands of notes and descriptions, carried out one by one. What its author
//! may not do, or what makes no sense, is skipped (docs/interface/collaboration.md 5.6).

pub mod arguments;
mod carrying;
pub mod common;
pub mod epics;
pub mod labels;

pub use carrying::{Done, Outcome, done, each, senseless, take_actions};

use self::arguments::{day, epic_place, words};
use self::common::{measure, remember};
use super::awards;
use super::epics::{places::found_to_write, promote};
use super::issues::{Assignees, IssueInput, StateEvent, links, moves, requests};
use crate::access::{Parent, ProjectAccess};
use crate::formats::quick_actions::Action;
use crate::model::{Issue, IssueKind, LinkType, Severity};
use crate::requests::begin;
use crate::rules::issues::noteable;
use crate::store::awards::Awardable;
use crate::store::subscriptions::Target;
use crate::store::{issues as rows, milestones};
use identity::users::find_by_username;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::http::{Flat, Patch};
use kernel::ids::Reference;
use kernel::time::date_of;
use serde_json::{Value, json};
use spaces::access::find_project;
use store::Tx;

type Author<'a> = carrying::Author<'a, ProjectAccess, Issue>;

/// Carries out commands on an issue: what becomes of it, and what they did.
pub fn apply(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: &ProjectAccess, issue: &Issue, actions: &[Action],
) -> Result<(Issue, Outcome)> {
    let step = |tx: &mut Tx<'_>, issue: &Issue, action: &Action| {
        run(tx, Author { viewer, desk, thing: issue }, action)
    };
    each(tx, issue, actions, step, |tx| rows::by_id(tx, issue.id)?.found(""))
}

/// A change of an issue, and what is told of it.
type Edit = (IssueInput, Done);

fn edit(change: impl FnOnce(&mut IssueInput), done: Done) -> Edit {
    let mut input = IssueInput::default();
    change(&mut input);
    (input, done)
}

fn run(tx: &mut Tx<'_>, by: Author<'_>, action: &Action) -> Result<Done> {
    let Author { viewer, desk, thing: issue } = by;
    if let Some((input, done)) = edit_of(tx, by, action)? {
        requests::edit(tx, viewer, desk, issue, &input)?;
        return Ok(done);
    }
    match action.name {
        "estimate" | "remove_estimate" | "spend" | "remove_time_spent" => {
            match desk.is_reporter() {
                true => measure(tx, viewer.user_id(), issue, action),
                false => Err(Error::forbidden("")),
            }
        }
        "relate" | "blocks" | "blocked_by" | "duplicate" => relate(tx, by, action),
        "move" | "clone" => take(tx, by, action),
        "subscribe" | "unsubscribe" | "todo" | "done" => {
            remember(tx, viewer, (Target::Issue, noteable(issue)), "issue", action)
        }
        "promote" => {
            let epic = promote::promote(tx, viewer, desk, issue)?;
            let sentence = format!("Promoted this issue to the epic {}.", epic.reference());
            Ok(done("promote_to_epic", epic.id, sentence))
        }
        "create_merge_request" => {
            let named = Some(action.argument.as_str()).filter(|name| !name.is_empty());
            let branch = begin(tx, viewer, desk, issue, named)?;
            let sentence =
                format!("Created branch '{branch}' and a merge request to resolve this issue.");
            let told = json!({"branch_name": branch, "issue_iid": issue.iid});
            Ok(done("create_merge_request", told, sentence))
        }
        "award" => {
            let (name, to) = (action.argument.as_str(), Awardable::Issue(issue.id));
            awards::create(tx, viewer, desk, issue, to, name)?;
            let sentence = format!("Toggled {name} emoji reaction.");
            Ok(done("emoji_award", name, sentence))
        }
        _ => Err(senseless()),
    }
}

/// What a command changes of the issue; nothing if it is about something else.
fn edit_of(tx: &mut Tx<'_>, by: Author<'_>, action: &Action) -> Result<Option<Edit>> {
    let argument = action.argument.as_str();
    Ok(Some(match action.name {
        "title" if !argument.is_empty() => edit(
            |it| it.title = Some(argument.to_owned()),
            done("title", argument, format!("Changed the title to \"{argument}\".")),
        ),
        "label" | "relabel" | "unlabel" => label(action)?,
        "assign" | "reassign" | "unassign" => assign(tx, by.viewer, action)?,
        "milestone" => {
            let title = argument.trim_start_matches('%').trim_matches('"');
            let parent = Parent::Project(Box::new(by.desk.project.clone()));
            let found = milestones::find_by_title(tx, &parent, title)?.ok_or_else(senseless)?;
            let sentence = format!("Set the milestone to {title}.");
            edit(
                |it| it.milestone_id = Patch::Value(found.id),
                done("milestone_id", found.id, sentence),
            )
        }
        "due" => {
            let day = day(argument, date_of(tx.now())).ok_or_else(senseless)?;
            let sentence = format!("Set the due date to {day}.");
            edit(|it| it.due_on = Patch::Value(day), done("due_date", day.to_string(), sentence))
        }
        "weight" => {
            let weight: i64 = argument.parse().map_err(|_| senseless())?;
            edit(
                |it| it.weight = Patch::Value(weight),
                done("weight", weight, format!("Set weight to {weight}.")),
            )
        }
        "severity" => {
            let text = argument.to_ascii_lowercase();
            let severity = Severity::from_text(&text).ok_or_else(senseless)?;
            let sentence = format!("Set severity to {severity}.");
            edit(|it| it.severity = Some(severity), done("severity", severity.as_str(), sentence))
        }
        "epic" => {
            let epic = named_epic(tx, by, argument)?;
            let sentence = format!("Added this issue to epic {argument}.");
            edit(|it| it.epic_id = Patch::Value(epic), done("epic_id", epic, sentence))
        }
        name => return Ok(bare_edit(name)),
    }))
}

/// The id of the epic that `&5` means in the project's group, or `group&5`.
fn named_epic(tx: &mut Tx<'_>, by: Author<'_>, name: &str) -> Result<i64> {
    let place = epic_place(name, by.desk.project.namespace_id).ok_or_else(senseless)?;
    Ok(found_to_write(tx, by.viewer, &place)?.1.id)
}

/// The same of a command that takes no argument.
fn bare_edit(name: &str) -> Option<Edit> {
    Some(match name {
        "close" => edit(
            |it| it.state_event = Some(StateEvent::Close),
            done("state_event", "close", "Closed this issue."),
        ),
        "reopen" => edit(
            |it| it.state_event = Some(StateEvent::Reopen),
            done("state_event", "reopen", "Reopened this issue."),
        ),
        "confidential" => edit(
            |it| it.confidential = Some(true),
            done("confidential", true, "Made this issue confidential."),
        ),
        "lock" => edit(
            |it| it.discussion_locked = Patch::Value(true),
            done("discussion_locked", true, "Locked the discussion."),
        ),
        "unlock" => edit(
            |it| it.discussion_locked = Patch::Value(false),
            done("discussion_locked", false, "Unlocked the discussion."),
        ),
        "remove_milestone" => edit(
            |it| it.milestone_id = Patch::Null,
            done("milestone_id", Value::Null, "Removed the milestone."),
        ),
        "remove_epic" => edit(
            |it| it.epic_id = Patch::Null,
            done("epic_id", Value::Null, "Removed this issue from its epic."),
        ),
        "remove_due_date" => edit(
            |it| it.due_on = Patch::Null,
            done("due_date", Value::Null, "Removed the due date."),
        ),
        "clear_weight" => {
            edit(|it| it.weight = Patch::Null, done("weight", Value::Null, "Cleared weight."))
        }
        "promote_to_incident" => edit(
            |it| it.kind = Some(IssueKind::Incident),
            done("issue_type", "incident", "Issue has been promoted to incident"),
        ),
        _ => return None,
    })
}

fn label(action: &Action) -> Result<Edit> {
    let (wears, done) = labels::read(action)?;
    Ok(edit(|it| it.wears = Flat(wears), done))
}

fn assign(tx: &mut Tx<'_>, viewer: &Viewer, action: &Action) -> Result<Edit> {
    let mut ids = Vec::new();
    for name in words(&action.argument, '@').iter().take(100) {
        match name.as_str() {
            "me" => ids.push(viewer.signed_in()?.user.id),
            name => ids.extend(find_by_username(tx, name)?.map(|user| user.id)),
        }
    }
    let assignees = match (action.name, ids.is_empty(), action.argument.is_empty()) {
        ("assign", false, _) => Assignees::Add(ids.clone()),
        ("reassign", false, _) => Assignees::Set(ids.clone()),
        ("unassign", false, _) => Assignees::Remove(ids.clone()),
        ("unassign", true, true) => Assignees::Set(Vec::new()),
        _ => return Err(senseless()),
    };
    Ok(edit(
        |it| it.assignees = assignees,
        done("assignee_ids", json!(ids), "Changed assignee(s)."),
    ))
}

fn take(tx: &mut Tx<'_>, by: Author<'_>, action: &Action) -> Result<Done> {
    let Author { viewer, desk, thing: issue } = by;
    let argument = action.argument.as_str();
    let reference = Reference::Path(argument.to_owned());
    let to = match (action.name, argument) {
        ("clone", "" | "--with_notes") => desk.project.id,
        _ => find_project(tx, &reference)?.ok_or_else(senseless)?.id,
    };
    match action.name {
        "move" => moves::relocate(tx, viewer, desk, issue, to)?,
        _ => moves::duplicate(tx, viewer, desk, issue, to, false)?,
    };
    let sentence = "Took this issue to another place.";
    Ok(done("target_project_id", to, sentence))
}

fn relate(tx: &mut Tx<'_>, by: Author<'_>, action: &Action) -> Result<Done> {
    let Author { viewer, desk, thing: issue } = by;
    let (path, number) = action.argument.rsplit_once('#').ok_or_else(senseless)?;
    let iid: i64 = number.parse().map_err(|_| senseless())?;
    let place = match path {
        "" => Reference::Id(desk.project.id),
        path => Reference::Path(path.to_owned()),
    };
    let kind = match action.name {
        "blocks" => LinkType::Blocks,
        "blocked_by" => LinkType::IsBlockedBy,
        _ => LinkType::RelatesTo,
    };
    links::create(tx, viewer, desk, issue, (&place, iid), kind)?;
    if action.name == "duplicate" {
        let close = IssueInput::event(StateEvent::Close);
        requests::edit(tx, viewer, desk, issue, &close)?;
        let sentence = "Closed this issue as a duplicate.";
        return Ok(done("canonical_issue", action.argument.as_str(), sentence));
    }
    let sentence = format!("Linked {} to this issue.", action.argument);
    Ok(done("issue_link", action.argument.as_str(), sentence))
}
