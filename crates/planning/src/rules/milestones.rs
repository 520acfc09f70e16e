//! Milestones: making, changing, promoting, removing.

use crate::access::{Aim, Parent, ParentAccess, ParentRef, authorize};
use crate::model::{Milestone, MilestoneState, text_error, title_error};
use crate::store::milestones::{self, Written};
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::http::Patch;
use kernel::ids::Reference;
use kernel::time::Date;
use serde_json::json;
use spaces::access::{REPORTER, find_group, level_in_group};
use spaces::model::Problems;
use store::Tx;

kernel::choices! {
    /// What happens to a milestone.
    pub enum StateEvent { Close = "close", Activate = "activate" }
}

/// A new or changed milestone.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// Its title; needed for a new one.
    pub title: Option<String>,
    pub description: Patch<String>,
    /// Its first day.
    pub start_on: Patch<Date>,
    /// Its last day.
    pub due_on: Patch<Date>,
    pub state_event: Option<StateEvent>,
}

impl Change {
    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.title.is_none()
            && self.description == Patch::Absent
            && self.start_on == Patch::Absent
            && self.due_on == Patch::Absent
            && self.state_event.is_none()
    }
}

/// The milestone of this id in this very place.
pub fn find(tx: &mut Tx<'_>, entered: &ParentAccess, id: i64) -> Result<Milestone> {
    milestones::find(tx, &entered.parent, id, false)?.found("Milestone")
}

pub fn create(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    entered: &ParentAccess,
    new: &Change,
) -> Result<Milestone> {
    let written = written(new, None)?;
    if milestones::is_taken(tx, &entered.parent, &written.title, 0)? {
        return Err(taken());
    }
    let id = milestones::insert(tx, &entered.parent, &written)?.ok_or_else(taken)?;
    record(
        tx,
        viewer,
        "milestone.create",
        id,
        &written.title,
        &entered.parent,
    )?;
    find(tx, entered, id)
}

pub fn update(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    entered: &ParentAccess,
    id: i64,
    change: &Change,
) -> Result<Milestone> {
    let milestone = find(tx, entered, id)?;
    let written = written(change, Some(&milestone))?;
    if milestones::is_taken(tx, &entered.parent, &written.title, id)? {
        return Err(taken());
    }
    milestones::update(tx, id, &written)?;
    record(
        tx,
        viewer,
        "milestone.update",
        id,
        &written.title,
        &entered.parent,
    )?;
    find(tx, entered, id)
}

pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, entered: &ParentAccess, id: i64) -> Result<()> {
    let milestone = find(tx, entered, id)?;
    milestones::delete(tx, id)?;
    record(
        tx,
        viewer,
        "milestone.destroy",
        id,
        &milestone.title,
        &entered.parent,
    )
}

/// Makes a project's milestone one of its group, also in place of those of
/// the same title in the group's other projects.
pub fn promote(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    entered: &ParentAccess,
    id: i64,
) -> Result<Milestone> {
    let refused = || Error::BadRequest("Project does not belong to a group.".into());
    let Parent::Project(project) = &entered.parent else {
        return Err(refused());
    };
    let milestone = find(tx, entered, id)?;
    let group = find_group(tx, &Reference::Id(project.namespace_id))?.ok_or_else(refused)?;
    if level_in_group(tx, viewer, &group)? < REPORTER {
        return Err(Error::forbidden(""));
    }
    let lineage = group.lineage.clone();
    let above = authorize(
        tx,
        viewer,
        &ParentRef::Group(Reference::Id(group.id)),
        Aim::Manage,
    )?;
    if milestones::is_taken(tx, &above.parent, &milestone.title, 0)? {
        return Err(taken());
    }
    let old = milestones::of_title_below(tx, &lineage, &milestone.title)?;
    let written = Written {
        title: milestone.title.clone(),
        description: milestone.description.clone(),
        state: milestone.state,
        start_on: milestone.start_on,
        due_on: milestone.due_on,
    };
    let made = milestones::insert(tx, &above.parent, &written)?.ok_or_else(taken)?;
    milestones::replace(tx, old, made)?;
    record(
        tx,
        viewer,
        "milestone.promote",
        made,
        &milestone.title,
        &above.parent,
    )?;
    find(tx, &above, made)
}

fn taken() -> Error {
    Error::invalid("title", "has already been taken")
}

fn written(change: &Change, before: Option<&Milestone>) -> Result<Written> {
    let title = change.title.clone();
    let title = title.or_else(|| before.map(|before| before.title.clone()));
    let written = Written {
        title: title.unwrap_or_default().trim().to_owned(),
        description: change
            .description
            .clone()
            .over(before.and_then(|before| before.description.clone())),
        state: match change.state_event {
            Some(StateEvent::Close) => MilestoneState::Closed,
            Some(StateEvent::Activate) => MilestoneState::Active,
            None => before.map_or(MilestoneState::Active, |before| before.state),
        },
        start_on: change
            .start_on
            .clone()
            .over(before.and_then(|before| before.start_on)),
        due_on: change
            .due_on
            .clone()
            .over(before.and_then(|before| before.due_on)),
    };
    let mut problems = Problems::default();
    problems.note("title", title_error(&written.title));
    let text = written.description.as_deref().unwrap_or_default();
    problems.note("description", text_error(text));
    if let (Some(start), Some(due)) = (written.start_on, written.due_on)
        && due < start
    {
        problems.add("due_date", "must be greater than start date");
    }
    problems.check()?;
    Ok(written)
}

fn record(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    action: &'static str,
    id: i64,
    title: &str,
    parent: &Parent,
) -> Result<()> {
    audit::record(
        tx,
        viewer,
        action,
        ("Milestone", id, title),
        json!({"project_id": parent.project_id(), "group_id": parent.group_id()}),
    )
}
