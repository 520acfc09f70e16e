//! Labels, milestones, issues, and what is said of these.

use super::Desk;
use crate::model::{Event, Issue, Kind, Note, Person};
use ::planning::notes;
use ::planning::store::issues::events::{self, By, EventDetail};
use ::planning::store::notes::Noteable;
use ::planning::transfer::write::{self, Marks};
use ::planning::transfer::{self as plan, Happening};
use kernel::error::{Found, Result};
use store::Tx;

/// Writes a label.
pub(super) fn label(tx: &mut Tx<'_>, desk: &mut Desk<'_>, label: &plan::Label) -> Result<()> {
    let key = label.name.to_lowercase();
    match desk.known(tx, Kind::Label, &key)? {
        Some(id) if desk.import.is_update() => write::update_label(tx, desk.parent(), id, label),
        Some(_) => Ok(()),
        None => {
            let id = write::label(tx, desk.parent(), label)?;
            desk.note(tx, Kind::Label, &key, id)
        }
    }
}

/// Writes a milestone.
pub(super) fn milestone(
    tx: &mut Tx<'_>, desk: &mut Desk<'_>, milestone: &plan::Milestone,
) -> Result<()> {
    let key = milestone.number.to_string();
    let known = desk.known(tx, Kind::Milestone, &key)?;
    if known.is_some() && !desk.import.is_update() {
        return Ok(());
    }
    let mut milestone = milestone.clone();
    if let Some(text) = &milestone.description {
        milestone.description = Some(desk.text(tx, text)?);
    }
    if let Some(id) = known {
        return write::update_milestone(tx, desk.parent(), id, &milestone);
    }
    let id = write::milestone(tx, desk.parent(), &milestone)?;
    desk.note(tx, Kind::Milestone, &key, id)
}

/// Writes an issue.
pub(super) fn issue(tx: &mut Tx<'_>, desk: &mut Desk<'_>, issue: &Issue) -> Result<()> {
    let key = issue.number.to_string();
    let known = desk.known(tx, Kind::Issue, &key)?;
    if known.is_some() && !desk.import.is_update() {
        return Ok(());
    }
    let author = desk.people.author(tx, issue.author.as_ref())?;
    let mut local =
        issue.clone().with_people(&mut |person: Person| desk.people.user(tx, &person))?;
    local.author = Some(author);
    if let Some(text) = &local.description {
        local.description = Some(desk.text(tx, text)?);
    }
    let marks = Marks {
        labels: desk.labels(tx, &local.labels)?,
        milestone_id: desk.milestone(tx, local.milestone.as_deref())?,
        imported_from: desk.imported_from().map(str::to_owned),
    };
    if let Some(id) = known {
        return write::update_issue(tx, id, &local, &marks);
    }
    let id = write::issue(tx, desk.project.id, &local, &marks)?;
    desk.note(tx, Kind::Issue, &key, id)
}

/// Writes a note about an issue.
pub(super) fn note(tx: &mut Tx<'_>, desk: &mut Desk<'_>, note: &Note) -> Result<()> {
    let known = desk.known(tx, Kind::Note, &note.key)?;
    if known.is_some() && !desk.import.is_update() {
        return Ok(());
    }
    let about = desk.noteable(tx, note.on)?;
    let author = desk.people.author(tx, note.author.as_ref())?;
    let mut local =
        note.clone().with_people(&mut |person: Person| desk.people.user(tx, &person))?;
    local.author = Some(author);
    local.text = desk.text(tx, &local.text)?;
    if let Some(id) = known {
        return write::update_note(tx, id, &local);
    }
    let id = write::note(tx, about, &local)?;
    desk.note(tx, Kind::Note, &note.key, id)
}

/// Writes what was done with an issue.
pub(super) fn event(tx: &mut Tx<'_>, desk: &mut Desk<'_>, event: &Event) -> Result<()> {
    if desk.known(tx, Kind::IssueEvent, &event.key)?.is_some() {
        return Ok(());
    }
    let about = desk.noteable(tx, event.on)?;
    let by = By {
        user_id: Some(desk.people.author(tx, event.by.as_ref())?),
        at: event.at,
    };
    match detail(tx, desk, &event.what)? {
        Some(detail) => events::write(tx, about.id, by, detail)?,
        None => tell(tx, desk, (about, by), &event.what)?,
    }
    desk.note(tx, Kind::IssueEvent, &event.key, about.id)
}

/// The event that it is here; none of what is told by a note.
fn detail(tx: &mut Tx<'_>, desk: &mut Desk<'_>, what: &Happening) -> Result<Option<EventDetail>> {
    Ok(Some(match what {
        Happening::Closed => EventDetail::State("closed"),
        Happening::Reopened => EventDetail::State("reopened"),
        Happening::LabelAdded { label } => EventDetail::Label("add", desk.label(tx, label)?),
        Happening::LabelRemoved { label } => EventDetail::Label("remove", desk.label(tx, label)?),
        Happening::MilestoneAdded { title } => {
            EventDetail::Milestone("add", milestone_id(tx, desk, title)?)
        }
        Happening::MilestoneRemoved { title } => {
            EventDetail::Milestone("remove", milestone_id(tx, desk, title)?)
        }
        Happening::Weight { weight } => EventDetail::Weight(*weight),
        Happening::Merged | Happening::Told { .. } => return Ok(None),
    }))
}

fn milestone_id(tx: &mut Tx<'_>, desk: &mut Desk<'_>, title: &str) -> Result<i64> {
    desk.milestone(tx, Some(title))?.found("Milestone")
}

/// Writes the note of the program that tells it.
fn tell(
    tx: &mut Tx<'_>, desk: &Desk<'_>, (about, by): (Noteable, By), what: &Happening,
) -> Result<()> {
    let text = match what {
        Happening::Told { text } => desk.text(tx, text)?,
        _ => "merged".to_owned(),
    };
    notes::system_at(tx, about, by.user_id, by.at, &text).map(drop)
}
