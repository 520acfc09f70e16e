//! Commands of notes and descriptions, carried out one by one. What its author
//! may not do, or what makes no sense, is skipped (docs/interface/collaboration.md 5.6).

mod arguments;

use self::arguments::{day, words};
use super::awards;
use super::issues::{Assignees, IssueInput, StateEvent, links, moves, requests, time};
use super::todos::{self, Action as TodoAction, NewTodo};
use crate::access::{Parent, ProjectAccess};
use crate::formats::quick_actions::Action;
use crate::model::{Issue, IssueKind, LinkType, Severity, parse_span};
use crate::rules::issues::noteable;
use crate::store::awards::Awardable;
use crate::store::subscriptions::{self, Target};
use crate::store::{issues as rows, milestones};
use identity::users::find_by_username;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::http::Patch;
use kernel::ids::Reference;
use kernel::time::date_of;
use serde_json::{Map, Value, json};
use spaces::access::find_project;
use store::Tx;

#[derive(Debug, Clone)]
pub struct Outcome {
    pub issue: Issue,
    /// What changed, by the name of the change.
    pub changes: Map<String, Value>,
    pub summary: Vec<String>,
}

struct Done {
    key: &'static str,
    value: Value,
    sentence: String,
}

fn done(key: &'static str, value: impl Into<Value>, sentence: impl Into<String>) -> Result<Done> {
    Ok(Done {
        key,
        value: value.into(),
        sentence: sentence.into(),
    })
}

pub fn apply(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    desk: &ProjectAccess,
    issue: &Issue,
    actions: &[Action],
) -> Result<Outcome> {
    let mut outcome = Outcome {
        issue: issue.clone(),
        changes: Map::new(),
        summary: Vec::new(),
    };
    for action in actions {
        let before = outcome.issue.clone();
        match tx.savepoint(|tx| run(tx, viewer, desk, &before, action)) {
            Ok(done) => {
                outcome.changes.insert(done.key.to_owned(), done.value);
                outcome.summary.push(done.sentence);
                outcome.issue = rows::by_id(tx, issue.id)?.found("")?;
            }
            Err(error @ (Error::Internal(_) | Error::Unavailable(_))) => return Err(error),
            Err(_) => {}
        }
    }
    Ok(outcome)
}

fn senseless() -> Error {
    Error::BadRequest("the command makes no sense here".into())
}

fn said(one: impl FnOnce(&mut IssueInput)) -> IssueInput {
    let mut input = IssueInput::default();
    one(&mut input);
    input
}

fn run(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    desk: &ProjectAccess,
    issue: &Issue,
    action: &Action,
) -> Result<Done> {
    let argument = action.argument.as_str();
    let mut edit = |tx: &mut Tx<'_>, input: IssueInput| {
        requests::edit(tx, viewer, desk, issue, &input).map(drop)
    };
    match action.name {
        "close" | "reopen" => {
            let (event, told) = match action.name {
                "close" => (StateEvent::Close, "Closed this issue."),
                _ => (StateEvent::Reopen, "Reopened this issue."),
            };
            edit(tx, said(|it| it.state_event = Some(event)))?;
            done("state_event", event.as_str(), told)
        }
        "title" if !argument.is_empty() => {
            edit(tx, said(|it| it.title = Some(argument.to_owned())))?;
            done(
                "title",
                argument,
                format!("Changed the title to \"{argument}\"."),
            )
        }
        "confidential" => {
            edit(tx, said(|it| it.confidential = Some(true)))?;
            done("confidential", true, "Made this issue confidential.")
        }
        "lock" | "unlock" => {
            let locked = action.name == "lock";
            edit(tx, said(|it| it.discussion_locked = Patch::Value(locked)))?;
            done(
                "discussion_locked",
                locked,
                match locked {
                    true => "Locked the discussion.",
                    false => "Unlocked the discussion.",
                },
            )
        }
        "label" | "relabel" | "unlabel" => label(tx, &mut edit, action),
        "assign" | "reassign" | "unassign" => assign(tx, viewer, &mut edit, action),
        "milestone" => {
            let title = argument.trim_start_matches('%').trim_matches('"');
            let parent = Parent::Project(Box::new(desk.project.clone()));
            let found = milestones::find_by_title(tx, &parent, title)?.ok_or_else(senseless)?;
            edit(tx, said(|it| it.milestone_id = Patch::Value(found.id)))?;
            done(
                "milestone_id",
                found.id,
                format!("Set the milestone to {title}."),
            )
        }
        "remove_milestone" => {
            edit(tx, said(|it| it.milestone_id = Patch::Null))?;
            done("milestone_id", Value::Null, "Removed the milestone.")
        }
        "due" => {
            let day = day(argument, date_of(tx.now())).ok_or_else(senseless)?;
            edit(tx, said(|it| it.due_on = Patch::Value(day)))?;
            done(
                "due_date",
                day.to_string(),
                format!("Set the due date to {day}."),
            )
        }
        "remove_due_date" => {
            edit(tx, said(|it| it.due_on = Patch::Null))?;
            done("due_date", Value::Null, "Removed the due date.")
        }
        "weight" => {
            let weight: i64 = argument.parse().map_err(|_| senseless())?;
            edit(tx, said(|it| it.weight = Patch::Value(weight)))?;
            done("weight", weight, format!("Set weight to {weight}."))
        }
        "clear_weight" => {
            edit(tx, said(|it| it.weight = Patch::Null))?;
            done("weight", Value::Null, "Cleared weight.")
        }
        "severity" => {
            let text = argument.to_ascii_lowercase();
            let severity = Severity::from_text(&text).ok_or_else(senseless)?;
            edit(tx, said(|it| it.severity = Some(severity)))?;
            done(
                "severity",
                severity.as_str(),
                format!("Set severity to {severity}."),
            )
        }
        "promote_to_incident" => {
            edit(tx, said(|it| it.kind = Some(IssueKind::Incident)))?;
            done(
                "issue_type",
                "incident",
                "Issue has been promoted to incident",
            )
        }
        "estimate" | "remove_estimate" | "spend" | "remove_time_spent" => {
            measure(tx, viewer, desk, issue, action)
        }
        "relate" | "blocks" | "blocked_by" | "duplicate" => relate(tx, viewer, desk, issue, action),
        "move" | "clone" => {
            let reference = Reference::Path(argument.to_owned());
            let to = match (action.name, argument) {
                ("clone", "" | "--with_notes") => desk.project.id,
                _ => find_project(tx, &reference)?.ok_or_else(senseless)?.id,
            };
            match action.name {
                "move" => moves::relocate(tx, viewer, desk, issue, to)?,
                _ => moves::duplicate(tx, viewer, desk, issue, to, false)?,
            };
            done("target_project_id", to, "Took this issue to another place.")
        }
        "subscribe" | "unsubscribe" => {
            let user_id = viewer.signed_in()?.user.id;
            let wanted = action.name == "subscribe";
            subscriptions::set(tx, user_id, Target::Issue, issue.id, wanted)?;
            done(
                "subscription_event",
                action.name,
                match wanted {
                    true => "Subscribed to this issue.",
                    false => "Unsubscribed from this issue.",
                },
            )
        }
        "todo" => {
            let user_id = viewer.signed_in()?.user.id;
            let todo = NewTodo {
                user_id,
                author_id: Some(user_id),
                action: TodoAction::Marked,
                target: noteable(issue),
                note_id: None,
            };
            todos::create(tx, &todo)?;
            done("todo_event", "add", "Added a to-do item.")
        }
        "done" => {
            todos::close_for(tx, viewer.user_id(), noteable(issue))?;
            done("todo_event", "done", "Marked to-do item as done.")
        }
        "award" => {
            awards::create(
                tx,
                viewer,
                desk,
                issue,
                Awardable::Issue(issue.id),
                argument,
            )?;
            done(
                "emoji_award",
                argument,
                format!("Toggled {argument} emoji reaction."),
            )
        }
        _ => Err(senseless()),
    }
}

type Edit<'e> = dyn FnMut(&mut Tx<'_>, IssueInput) -> Result<()> + 'e;

fn label(tx: &mut Tx<'_>, edit: &mut Edit<'_>, action: &Action) -> Result<Done> {
    let titles = words(&action.argument, '~');
    let named = titles.join(", ");
    let (wanted, key, told) = match (action.name, titles.is_empty()) {
        ("label", false) => (
            said(|it| it.add_labels = titles.clone()),
            "add_label_ids",
            format!("Added {named} label(s)."),
        ),
        ("relabel", false) => (
            said(|it| it.labels = Some(titles.clone())),
            "label_ids",
            format!("Replaced all labels with {named} label(s)."),
        ),
        ("unlabel", false) => (
            said(|it| it.remove_labels = titles.clone()),
            "remove_label_ids",
            format!("Removed {named} label(s)."),
        ),
        ("unlabel", true) => (
            said(|it| it.labels = Some(Vec::new())),
            "label_ids",
            "Removed all labels.".to_owned(),
        ),
        _ => return Err(senseless()),
    };
    edit(tx, wanted)?;
    done(key, json!(titles), told)
}

fn assign(tx: &mut Tx<'_>, viewer: &Viewer, edit: &mut Edit<'_>, action: &Action) -> Result<Done> {
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
    edit(tx, said(|it| it.assignees = Some(assignees)))?;
    done("assignee_ids", json!(ids), "Changed assignee(s).")
}

fn measure(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    desk: &ProjectAccess,
    issue: &Issue,
    action: &Action,
) -> Result<Done> {
    if !desk.is_reporter() {
        return Err(Error::forbidden(""));
    }
    let actor = viewer.user_id();
    let span = || parse_span(&action.argument).ok_or_else(senseless);
    match action.name {
        "estimate" => {
            let seconds = span()?;
            time::estimate(tx, actor, issue, seconds)?;
            done(
                "time_estimate",
                seconds,
                format!("Set time estimate to {}.", action.argument),
            )
        }
        "remove_estimate" => {
            time::estimate(tx, actor, issue, 0)?;
            done("time_estimate", 0, "Removed time estimate.")
        }
        "spend" => {
            let seconds = span()?;
            time::spend(tx, actor, issue, seconds)?;
            done(
                "spend_time",
                json!({"duration": seconds}),
                format!("Added {} spent time.", action.argument),
            )
        }
        _ => {
            time::reset(tx, actor, issue)?;
            done(
                "spend_time",
                json!({"duration": "reset"}),
                "Removed spent time.",
            )
        }
    }
}

fn relate(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    desk: &ProjectAccess,
    issue: &Issue,
    action: &Action,
) -> Result<Done> {
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
        return done(
            "canonical_issue",
            action.argument.as_str(),
            "Closed this issue as a duplicate.",
        );
    }
    done(
        "issue_link",
        action.argument.as_str(),
        format!("Linked {} to this issue.", action.argument),
    )
}
