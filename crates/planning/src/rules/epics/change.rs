//! Changes of an epic, each told by an event or a note. Who may make them is not
//! asked here.

use super::said::{beside, noteable};
use crate::activity;
use crate::model::epics::{DEFAULT_COLOR, Epic};
use crate::model::{HealthStatus, IssueState, color, text_error, title_error};
use crate::rules::changed::{self, LabelRows, Texts};
use crate::rules::labelling::Labelling;
use crate::rules::notes;
use crate::store::epics::{self as rows, dates, events, tree};
use crate::store::internal_ids::{self, Usage};
use crate::store::issues::events::By;
use kernel::error::{Found, Result};
use kernel::http::{Flat, Patch};
use kernel::time::{Date, Timestamp};
use spaces::activity::Action;
use spaces::model::Problems;
use store::Tx;

pub use crate::rules::issues::StateEvent;

/// One of these has to be there, where an epic is to be changed.
pub const CHANGES: &str = "add_labels, color, confidential, created_at, description, \
    due_date_fixed, due_date_is_fixed, end_date, labels, parent_id, remove_labels, start_date, \
    start_date_fixed, start_date_is_fixed, state_event, title";

kernel::params! {
    /// What is said of an epic, new or not. What has a value here is no parameter of
    /// both, and set by who has it.
    #[derive(Default, PartialEq)]
    pub struct EpicInput {
        pub title: Option<String> = None,
        /// Its description, in Markdown.
        pub description: Patch<String>,
        /// `#rrggbb` or a name of CSS.
        pub color: Option<String>,
        /// Seen by reporters of the group only.
        pub confidential: Option<bool>,
        /// The day it begins, where that is fixed.
        pub start_on as "start_date_fixed": Patch<Date>,
        /// Whether it begins on a fixed day, and not with what is below it.
        pub start_is_fixed as "start_date_is_fixed": Option<bool>,
        /// The day it ends, where that is fixed.
        pub due_on as "due_date_fixed": Patch<Date>,
        /// Whether it ends on a fixed day, and not with what is below it.
        pub due_is_fixed as "due_date_is_fixed": Option<bool>,
        /// The fixed day it begins, by its older name.
        pub start_date: Patch<Date>,
        /// The fixed day it ends, by its older name.
        pub end_date: Patch<Date>,
        pub wears: Flat<Labelling>,
        /// Id of the epic it stands below; 0 for none.
        pub parent_id: Patch<i64>,
        /// When it was made; for owners.
        pub created_at: Option<Timestamp>,
        pub state_event: Option<StateEvent> = None,
        pub health_status: Patch<HealthStatus> = Patch::Absent,
        /// When it was changed; now unless given.
        pub updated_at: Option<Timestamp> = None,
    }
}

impl EpicInput {
    pub fn titled(title: &str) -> EpicInput {
        EpicInput { title: Some(title.to_owned()), ..EpicInput::default() }
    }

    /// Whether nothing is said of an epic that is there, but perhaps a time.
    pub fn is_empty(&self) -> bool {
        let times = EpicInput { updated_at: self.updated_at, ..EpicInput::default() };
        *self == times
    }

    /// The older names turned into what they mean.
    pub fn settled(mut self) -> EpicInput {
        if self.start_date != Patch::Absent {
            self.start_on = std::mem::take(&mut self.start_date);
            self.start_is_fixed = Some(true);
        }
        if self.end_date != Patch::Absent {
            self.due_on = std::mem::take(&mut self.end_date);
            self.due_is_fixed = Some(true);
        }
        self
    }
}

fn reread(tx: &mut Tx<'_>, id: i64) -> Result<Epic> {
    rows::by_id(tx, id)?.found("")
}

/// Makes an epic in a group; labels are told by their ids.
pub fn create(
    tx: &mut Tx<'_>, group_id: i64, author_id: Option<i64>, input: &EpicInput,
) -> Result<Epic> {
    let created_at = input.created_at.unwrap_or(tx.now());
    let blank = Epic {
        group_id,
        author_id,
        created_at,
        color: DEFAULT_COLOR.to_owned(),
        ..Epic::default()
    };
    let mut new = changed(tx, author_id, &blank, input)?;
    new.updated_at = created_at;
    new.iid = internal_ids::next(tx, Usage::Epics, group_id)?;
    let id = rows::insert(tx, &new)?;
    let made = reread(tx, id)?;
    let by = By { user_id: author_id, at: created_at };
    LABELS.begin(tx, made.id, by, &input.wears)?;
    activity::epic(tx, author_id, Action::Created, &made)?;
    Ok(made)
}

pub fn update(tx: &mut Tx<'_>, actor: Option<i64>, epic: &Epic, input: &EpicInput) -> Result<Epic> {
    let after = changed(tx, actor, epic, input)?;
    rows::update(tx, &after)?;
    if (epic.start_on(), epic.due_on()) != (after.start_on(), after.due_on()) {
        dates::refresh(tx, after.parent_id.into_iter().collect())?;
    }
    let by = By { user_id: actor, at: tx.now() };
    tell(tx, by, epic, &after)?;
    LABELS.change(tx, epic.id, by, &input.wears)?;
    reread(tx, epic.id)
}

fn changed(tx: &Tx<'_>, actor: Option<i64>, epic: &Epic, input: &EpicInput) -> Result<Epic> {
    let was = (epic.state, epic.closed_by_id, epic.closed_at);
    let by = By { user_id: actor, at: tx.now() };
    let (state, closed_by_id, closed_at) = changed::standing(was, input.state_event, by);
    let description = input.description.clone().over(epic.description.clone());
    let given = input.color.as_deref().map(color::parse);
    let after = Epic {
        title: input.title.as_deref().unwrap_or(&epic.title).trim().to_owned(),
        description: description.filter(|text| !text.is_empty()),
        state,
        color: given.clone().flatten().unwrap_or_else(|| epic.color.clone()),
        confidential: input.confidential.unwrap_or(epic.confidential),
        closed_by_id,
        closed_at,
        start_is_fixed: input.start_is_fixed.unwrap_or(epic.start_is_fixed),
        start_on_fixed: input.start_on.clone().over(epic.start_on_fixed),
        due_is_fixed: input.due_is_fixed.unwrap_or(epic.due_is_fixed),
        due_on_fixed: input.due_on.clone().over(epic.due_on_fixed),
        health_status: input.health_status.clone().over(epic.health_status),
        created_at: input.created_at.unwrap_or(epic.created_at),
        updated_at: input.updated_at.unwrap_or(tx.now()),
        ..epic.clone()
    };
    let mut problems = Problems::default();
    problems.note("title", title_error(&after.title));
    problems.note("description", text_error(after.text()));
    if given == Some(None) {
        problems.add("color", "must be a valid color code");
    }
    if after.start_is_fixed
        && after.due_is_fixed
        && let (Some(start), Some(due)) = (after.start_on_fixed, after.due_on_fixed)
        && due < start
    {
        problems.add("due_date", "must be greater than start date");
    }
    problems.check()?;
    Ok(after)
}

fn tell(tx: &mut Tx<'_>, by: By, before: &Epic, after: &Epic) -> Result<()> {
    if before.state != after.state {
        let action = match after.state {
            IssueState::Closed => Action::Closed,
            IssueState::Opened => Action::Reopened,
        };
        events::closed_or_reopened(tx, before.id, by, action.as_str())?;
        activity::epic(tx, by.user_id, action, before)?;
    }
    for text in remarks(before, after) {
        notes::system_at(tx, noteable(before), by.user_id, by.at, &text)?;
    }
    Ok(())
}

fn texts(of: &Epic) -> Texts<'_> {
    let description = of.description.as_deref();
    Texts { title: &of.title, description, confidential: of.confidential }
}

fn remarks(before: &Epic, after: &Epic) -> Vec<String> {
    let mut told = changed::remarks("epic", texts(before), texts(after));
    for (what, old, new) in [
        ("start date", before.start_on(), after.start_on()),
        ("due date", before.due_on(), after.due_on()),
    ] {
        if old != new {
            told.push(match new {
                Some(day) => format!("changed {what} to {}", day.strftime("%B %-d, %Y")),
                None => format!("removed {what}"),
            });
        }
    }
    if before.health_status != after.health_status {
        told.push(HealthStatus::remark(after.health_status));
    }
    told
}

const LABELS: LabelRows = LabelRows {
    present: rows::label_ids,
    add: rows::add_label,
    remove: rows::remove_label,
    tell: events::labelled,
};

/// Puts an epic below another, or below none, and tells it on all of them.
pub fn put_below(
    tx: &mut Tx<'_>, actor: Option<i64>, epic: &Epic, parent: Option<&Epic>,
) -> Result<Epic> {
    let old = match epic.parent_id {
        Some(id) => rows::by_id(tx, id)?,
        None => None,
    };
    tree::put(tx, epic.id, parent.map(|parent| parent.id))?;
    if let Some(old) = &old {
        beside(tx, old, actor, "removed child epic", epic)?;
        beside(tx, epic, actor, "removed parent epic", old)?;
    }
    if let Some(parent) = parent {
        beside(tx, parent, actor, "added child epic", epic)?;
        beside(tx, epic, actor, "added parent epic", parent)?;
    }
    let touched = [old.map(|old| old.id), parent.map(|parent| parent.id)];
    dates::refresh(tx, touched.into_iter().flatten().collect())?;
    reread(tx, epic.id)
}
