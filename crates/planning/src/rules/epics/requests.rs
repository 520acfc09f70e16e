//! What somebody asks of epics, and how much of it they may have: planners of the
//! group make and change them.

use super::change::{self, EpicInput};
use super::children;
use super::places::by_id_to_write;
use super::said::noteable;
use crate::access::epics::GroupAccess;
use crate::access::{Desk, Parent};
use crate::activity;
use crate::model::IssueState;
use crate::model::epics::{EPIC, Epic};
use crate::rules::commands::{epics as commands, take_actions};
use crate::rules::news::{self, Text, label_subscribers};
use crate::rules::todos;
use crate::store::epics::{self as rows, dates, issues, tree};
use crate::store::notes as note_rows;
use crate::tasks::{Event, Reason};
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Result};
use kernel::http::Patch;
use serde_json::json;
use spaces::access::PLANNER;
use store::Tx;

/// Makes an epic for the viewer.
pub fn open(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: &GroupAccess, input: EpicInput,
) -> Result<Epic> {
    desk.planning()?;
    let signed_in = viewer.signed_in()?;
    let author = Some(signed_in.user.id);
    let mut new = input.settled();
    let actions = take_actions(&signed_in.user, &mut new.description);
    new.state_event = None;
    new.updated_at = None;
    resolve(tx, desk, &mut new)?;
    hides(desk, new.confidential)?;
    let parent = wanted_parent(tx, viewer, &new)?;
    let made = change::create(tx, desk.group.id, author, &new)?;
    let made = match parent {
        Some(Some((_, parent))) => children::put(tx, viewer, &made, Some(&parent))?,
        _ => made,
    };
    let mut direct = named(tx, viewer, desk, &made, "")?;
    let worn = rows::label_ids(tx, made.id)?;
    direct.extend(label_subscribers(tx, worn, &[])?);
    if !signed_in.user.kind.is_bot() {
        news::notify(tx, author, &made, Event::New, None, direct)?;
    }
    Ok(commands::apply(tx, viewer, desk, &made, &actions)?.0)
}

/// Refuses to hide an epic from who hides it.
fn hides(desk: &GroupAccess, confidential: Option<bool>) -> Result<()> {
    match confidential == Some(true) && !desk.is_reporter() {
        true => Err(Error::forbidden("")),
        false => Ok(()),
    }
}

/// Gives those whom a description newly names something to do; they and why.
fn named(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: &GroupAccess, epic: &Epic, before: &str,
) -> Result<Vec<(i64, Reason)>> {
    let said = Text { text: epic.text(), before, note_id: None, internal: false };
    news::mentioned(tx, viewer, Desk::Group(desk), epic, said)
}

pub fn edit(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: &GroupAccess, epic: &Epic, input: EpicInput,
) -> Result<Epic> {
    desk.planning()?;
    let mut wanted = input.settled();
    let actions = take_actions(&viewer.signed_in()?.user, &mut wanted.description);
    wanted.updated_at = wanted.updated_at.filter(|_| desk.is_owner());
    resolve(tx, desk, &mut wanted)?;
    hides(desk, wanted.confidential)?;
    let parent = wanted_parent(tx, viewer, &wanted)?;
    let is_hidden = wanted.confidential.unwrap_or(epic.confidential);
    keeps_hidden(tx, epic, is_hidden, parent.is_some())?;
    let worn = rows::label_ids(tx, epic.id)?;
    let mut after = change::update(tx, viewer.user_id(), epic, &wanted)?;
    if let Some(parent) = parent {
        let parent = parent.map(|(_, parent)| parent);
        if after.parent_id != parent.as_ref().map(|parent| parent.id) {
            after = children::put(tx, viewer, &after, parent.as_ref())?;
        }
    }
    tell(tx, viewer, desk, (epic, &worn), &after)?;
    Ok(commands::apply(tx, viewer, desk, &after, &actions)?.0)
}

/// Has people told of a change, and takes it from what the viewer has to do. The epic
/// comes as it was, with its labels.
fn tell(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: &GroupAccess, (before, labels): (&Epic, &[i64]),
    after: &Epic,
) -> Result<()> {
    todos::close_for(tx, viewer.user_id(), noteable(after))?;
    if viewer.user().is_none_or(|user| user.kind.is_bot()) {
        return Ok(());
    }
    let mut news = Vec::new();
    if before.text() != after.text() {
        news.push((Event::Edited, named(tx, viewer, desk, after, before.text())?));
    }
    let worn = rows::label_ids(tx, after.id)?;
    news.push((Event::Labelled, label_subscribers(tx, worn, labels)?));
    // Of these nobody is told but those for whom they are meant.
    news.retain(|(_, direct)| !direct.is_empty());
    if before.state != after.state {
        let event = match after.state {
            IssueState::Closed => Event::Closed,
            IssueState::Opened => Event::Reopened,
        };
        news.push((event, Vec::new()));
    }
    for (event, direct) in news {
        news::notify(tx, viewer.user_id(), after, event, None, direct)?;
    }
    Ok(())
}

/// Refuses to hide an epic and not what is in it, or to show one below a hidden one.
fn keeps_hidden(tx: &mut Tx<'_>, epic: &Epic, is_hidden: bool, moves: bool) -> Result<()> {
    let refused = |text: &str| Err(Error::invalid("confidential", text));
    if is_hidden == epic.confidential {
        return Ok(());
    }
    if is_hidden && issues::has_open_one(tx, epic.id)? {
        let text = "Cannot make the epic confidential if it contains non-confidential issues";
        return refused(text);
    }
    if is_hidden && tree::has_open_one(tx, epic.id)? {
        let text = "Cannot make the epic confidential if it contains non-confidential child epics";
        return refused(text);
    }
    if let Some(id) = epic.parent_id.filter(|_| !is_hidden && !moves)
        && rows::by_id(tx, id)?.is_some_and(|parent| parent.confidential)
    {
        return refused(children::NOT_HIDDEN);
    }
    Ok(())
}

/// The epic that one is to stand below, which the viewer may change, too; nothing at
/// all if that stays.
fn wanted_parent(
    tx: &mut Tx<'_>, viewer: &Viewer, input: &EpicInput,
) -> Result<Option<Option<(GroupAccess, Epic)>>> {
    match input.parent_id {
        Patch::Absent => Ok(None),
        Patch::Null | Patch::Value(0) => Ok(Some(None)),
        Patch::Value(id) => match by_id_to_write(tx, viewer, id)? {
            Some(found) => Ok(Some(Some(found))),
            None => Err(Error::invalid("parent_id", "is invalid")),
        },
    }
}

/// Makes ids of what was named; labels that are missing are made.
fn resolve(tx: &mut Tx<'_>, desk: &GroupAccess, input: &mut EpicInput) -> Result<()> {
    input.created_at = input.created_at.filter(|_| desk.is_owner());
    let parent = Parent::Group(Box::new(desk.group.clone()));
    input.wears.resolve(tx, &parent)
}

/// Whether somebody removes epics: owners and planners, whose work they are.
pub fn may_destroy(desk: &GroupAccess) -> bool {
    desk.is_owner() || desk.level == PLANNER
}

/// Removes an epic; what is in it stays.
pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, desk: &GroupAccess, epic: &Epic) -> Result<()> {
    if !may_destroy(desk) {
        return Err(Error::forbidden(""));
    }
    activity::forget_epic(tx, epic.id)?;
    note_rows::forget(tx, EPIC, &[epic.id])?;
    rows::delete(tx, epic.id)?;
    dates::refresh(tx, epic.parent_id.into_iter().collect())?;
    let details = json!({"group_id": epic.group_id});
    audit::record(tx, viewer, "epic.destroy", (EPIC, epic.id, &epic.title), details)
}
