//! Commands in notes about epics and in their descriptions.

use super::arguments::epic_place;
use super::carrying::{self, Done, Outcome, done, each, senseless};
use super::common::remember;
use super::labels;
use crate::access::epics::GroupAccess;
use crate::formats::quick_actions::Action;
use crate::model::LinkType;
use crate::model::epics::Epic;
use crate::rules::awards;
use crate::rules::epics::change::{EpicInput, StateEvent};
use crate::rules::epics::places::{EpicPlace, found_to_write};
use crate::rules::epics::said::noteable;
use crate::rules::epics::{children, links, requests};
use crate::store::awards::Awardable;
use crate::store::epics as rows;
use crate::store::subscriptions::Target;
use identity::viewer::Viewer;
use kernel::error::{Found, Result};
use kernel::http::{Flat, Patch};
use store::Tx;

/// Epics that one command names at most.
const MOST: usize = 20;

type Author<'a> = carrying::Author<'a, GroupAccess, Epic>;

/// Carries out commands on an epic: what becomes of it, and what they did.
pub fn apply(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: &GroupAccess, epic: &Epic, actions: &[Action],
) -> Result<(Epic, Outcome)> {
    let step = |tx: &mut Tx<'_>, epic: &Epic, action: &Action| {
        run(tx, Author { viewer, desk, thing: epic }, action)
    };
    each(tx, epic, actions, step, |tx| rows::by_id(tx, epic.id)?.found(""))
}

fn run(tx: &mut Tx<'_>, by: Author<'_>, action: &Action) -> Result<Done> {
    let Author { viewer, desk, thing: epic } = by;
    if let Some((input, done)) = edit_of(action)? {
        requests::edit(tx, viewer, desk, epic, input)?;
        return Ok(done);
    }
    let argument = action.argument.as_str();
    match action.name {
        "parent_epic" => {
            let (_, parent) = found_to_write(tx, viewer, &named(by, argument)?)?;
            let input = below(Patch::Value(parent.id));
            requests::edit(tx, viewer, desk, epic, input)?;
            Ok(done("parent_id", parent.id, format!("Set {argument} as the parent epic.")))
        }
        "child_epic" | "remove_child_epic" => child(tx, by, action),
        "relate" | "blocks" | "blocked_by" => relate(tx, by, action),
        "subscribe" | "unsubscribe" | "todo" | "done" => {
            remember(tx, viewer, (Target::Epic, noteable(epic)), "epic", action)
        }
        "award" => {
            awards::create(tx, viewer, desk, epic, Awardable::Epic(epic.id), argument)?;
            Ok(done("emoji_award", argument, format!("Toggled {argument} emoji reaction.")))
        }
        _ => Err(senseless()),
    }
}

fn below(parent_id: Patch<i64>) -> EpicInput {
    EpicInput { parent_id, ..EpicInput::default() }
}

fn event(event: StateEvent) -> EpicInput {
    EpicInput { state_event: Some(event), ..EpicInput::default() }
}

/// What a command changes of the epic itself; nothing if it is about something else.
fn edit_of(action: &Action) -> Result<Option<(EpicInput, Done)>> {
    let argument = action.argument.as_str();
    Ok(Some(match action.name {
        "title" if !argument.is_empty() => (
            EpicInput::titled(argument),
            done("title", argument, format!("Changed the title to \"{argument}\".")),
        ),
        "label" | "relabel" | "unlabel" => {
            let (wears, done) = labels::read(action)?;
            (EpicInput { wears: Flat(wears), ..EpicInput::default() }, done)
        }
        "close" => (event(StateEvent::Close), done("state_event", "close", "Closed this epic.")),
        "reopen" => {
            (event(StateEvent::Reopen), done("state_event", "reopen", "Reopened this epic."))
        }
        "confidential" => (
            EpicInput { confidential: Some(true), ..EpicInput::default() },
            done("confidential", true, "Made this epic confidential."),
        ),
        "remove_parent_epic" => (
            below(Patch::Null),
            done("parent_id", serde_json::Value::Null, "Removed the parent epic."),
        ),
        _ => return Ok(None),
    }))
}

/// The epic that a name means in the group of this one.
fn named(by: Author<'_>, name: &str) -> Result<EpicPlace> {
    epic_place(name, by.desk.group.id).ok_or_else(senseless)
}

/// Puts another epic below this one, or takes it out.
fn child(tx: &mut Tx<'_>, by: Author<'_>, action: &Action) -> Result<Done> {
    let Author { viewer, desk, thing: epic } = by;
    desk.planning()?;
    let argument = action.argument.as_str();
    let (_, other) = found_to_write(tx, viewer, &named(by, argument)?)?;
    let is_below = other.parent_id == Some(epic.id);
    match (action.name, is_below) {
        ("child_epic", false) => {
            children::put(tx, viewer, &other, Some(epic))?;
            let sentence = format!("Added {argument} as a child epic.");
            Ok(done("child_epic_id", other.id, sentence))
        }
        ("remove_child_epic", true) => {
            children::put(tx, viewer, &other, None)?;
            let sentence = format!("Removed {argument} from the child epics.");
            Ok(done("remove_child_epic_id", other.id, sentence))
        }
        _ => Err(senseless()),
    }
}

/// Links this epic to others.
fn relate(tx: &mut Tx<'_>, by: Author<'_>, action: &Action) -> Result<Done> {
    let kind = match action.name {
        "blocks" => LinkType::Blocks,
        "blocked_by" => LinkType::IsBlockedBy,
        _ => LinkType::RelatesTo,
    };
    let names = || action.argument.split_whitespace().take(MOST);
    if names().next().is_none() {
        return Err(senseless());
    }
    for name in names() {
        links::create(tx, by.viewer, by.desk, by.thing, &named(by, name)?, kind)?;
    }
    let sentence = format!("Linked {} to this epic.", action.argument);
    Ok(done("epic_link", action.argument.as_str(), sentence))
}
