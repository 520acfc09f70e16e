//! Milestones: making, changing, promoting, removing.

use super::{group_above, record};
use crate::access::{Parent, ParentAccess};
use crate::activity;
use crate::hooks::milestones_replaced;
use crate::model::{Milestone, MilestoneState, text_error, title_error};
use crate::store::epics::dates;
use crate::store::milestones;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::http::Patch;
use kernel::time::Date;
use spaces::activity::Action;
use spaces::model::Problems;
use store::Tx;

/// As audit records call a milestone.
const KIND: &str = "Milestone";

kernel::choices! {
    pub enum StateEvent { Close = "close", Activate = "activate" }
}

kernel::params! {
    #[derive(Default, PartialEq)]
    pub struct Change {
        /// Its title; needed for a new one.
        pub title: Option<String> = None,
        /// Its description.
        pub description: Patch<String>,
        /// Its first day.
        pub start_on as "start_date": Patch<Date>,
        /// Its last day.
        pub due_on as "due_date": Patch<Date>,
        pub state_event: Option<StateEvent> = None,
    }
}

pub fn find(tx: &mut Tx<'_>, entered: &ParentAccess, id: i64) -> Result<Milestone> {
    milestones::find(tx, &entered.parent, id, false)?.found("Milestone")
}

/// What something is to be done for, if its place has that; 0 is nothing.
///
/// # Errors
///
/// 400 for a milestone that cannot be used there.
pub fn usable(tx: &mut Tx<'_>, parent: &Parent, wanted: &Patch<i64>) -> Result<Patch<i64>> {
    match wanted {
        Patch::Value(0) => Ok(Patch::Null),
        Patch::Value(id) if milestones::find(tx, parent, *id, true)?.is_none() => {
            Err(Error::invalid("milestone_id", "is invalid"))
        }
        wanted => Ok(wanted.clone()),
    }
}

pub fn create(
    tx: &mut Tx<'_>, viewer: &Viewer, entered: &ParentAccess, new: &Change,
) -> Result<Milestone> {
    let written = written(new, Milestone::default())?;
    if milestones::is_taken(tx, &entered.parent, &written.title, 0)? {
        return Err(taken());
    }
    let id = milestones::insert(tx, &entered.parent, &written)?.ok_or_else(taken)?;
    record(tx, viewer, "milestone.create", (KIND, id, &written.title), &entered.parent)?;
    let made = find(tx, entered, id)?;
    activity::milestone(tx, viewer, &entered.parent, Action::Created, &made)?;
    Ok(made)
}

pub fn update(
    tx: &mut Tx<'_>, viewer: &Viewer, entered: &ParentAccess, id: i64, change: &Change,
) -> Result<Milestone> {
    let milestone = find(tx, entered, id)?;
    let state = milestone.state;
    let written = written(change, milestone)?;
    if milestones::is_taken(tx, &entered.parent, &written.title, id)? {
        return Err(taken());
    }
    milestones::update(tx, &written)?;
    dates::refresh_of_milestone(tx, id)?;
    record(tx, viewer, "milestone.update", (KIND, id, &written.title), &entered.parent)?;
    if written.state != state {
        let action = match written.state {
            MilestoneState::Closed => Action::Closed,
            MilestoneState::Active => Action::Reopened,
        };
        activity::milestone(tx, viewer, &entered.parent, action, &written)?;
    }
    find(tx, entered, id)
}

pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, entered: &ParentAccess, id: i64) -> Result<()> {
    let milestone = find(tx, entered, id)?;
    let epics = dates::of_milestones(tx, &[id])?;
    milestones::delete(tx, id)?;
    dates::refresh(tx, epics)?;
    activity::milestone(tx, viewer, &entered.parent, Action::Destroyed, &milestone)?;
    record(tx, viewer, "milestone.destroy", (KIND, id, &milestone.title), &entered.parent)
}

/// Makes a project's milestone one of its group, also in place of those of
/// the same title in the group's other projects.
pub fn promote(
    tx: &mut Tx<'_>, viewer: &Viewer, entered: &ParentAccess, id: i64,
) -> Result<Milestone> {
    let milestone = find(tx, entered, id)?;
    let refusal = "Project does not belong to a group.";
    let (group, above) = group_above(tx, viewer, entered, refusal)?;
    if milestones::is_taken(tx, &above.parent, &milestone.title, 0)? {
        return Err(taken());
    }
    let old = milestones::of_title_below(tx, &group.lineage, &milestone.title)?;
    let made = milestones::insert(tx, &above.parent, &milestone)?.ok_or_else(taken)?;
    milestones_replaced(tx, &old, made)?;
    milestones::replace(tx, old, made)?;
    dates::refresh_of_milestone(tx, made)?;
    record(tx, viewer, "milestone.promote", (KIND, made, &milestone.title), &above.parent)?;
    find(tx, &above, made)
}

fn taken() -> Error {
    Error::invalid("title", "has already been taken")
}

fn written(change: &Change, before: Milestone) -> Result<Milestone> {
    let title = change.title.as_deref().unwrap_or(&before.title);
    let written = Milestone {
        title: title.trim().to_owned(),
        description: change.description.clone().over(before.description),
        state: match change.state_event {
            Some(StateEvent::Close) => MilestoneState::Closed,
            Some(StateEvent::Activate) => MilestoneState::Active,
            None => before.state,
        },
        start_on: change.start_on.clone().over(before.start_on),
        due_on: change.due_on.clone().over(before.due_on),
        ..before
    };
    let mut problems = Problems::default();
    problems.note("title", title_error(&written.title));
    problems.note("description", text_error(written.text()));
    if let (Some(start), Some(due)) = (written.start_on, written.due_on)
        && due < start
    {
        problems.add("due_date", "must be greater than start date");
    }
    problems.check()?;
    Ok(written)
}
