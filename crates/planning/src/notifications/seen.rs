//! What people are told of, as it is when they are told.

use super::recipients;
use crate::access::Parent;
use crate::access::switches::has_epics;
use crate::model::Issue;
use crate::model::epics::{EPIC, Epic};
use crate::rules::epics::said;
use crate::rules::issues::participants;
use crate::rules::topic::OwnedTopic;
use crate::store::epics;
use crate::store::issues as rows;
use crate::store::notes::{self as note_rows, ISSUE, Note, Noteable};
use crate::store::subscriptions::{self, Target};
use crate::targets::{NoteableSummary, TargetKinds};
use crate::tasks::{About, News};
use ::store::Tx;
use identity::model::User;
use kernel::error::Result;
use kernel::ids::Reference;
use spaces::access::find_group;
use spaces::activity::Where;

/// What somebody is told of, as it is now.
pub struct Seen {
    pub subject: OwnedTopic,
    pub told: NoteableSummary,
    /// The project or group it is in.
    pub place: Parent,
    pub note: Option<Note>,
}

/// What happened, as far as a user may know of it now; what is gone is not told.
pub fn seen(tx: &mut Tx<'_>, news: &News, user: &User) -> Result<Option<Seen>> {
    let Some(subject) = subject(tx, &news.about)? else {
        return Ok(None);
    };
    let Some(told) = subject.summary(tx)? else {
        return Ok(None);
    };
    let Some(place) = Parent::at(tx, told.place)? else {
        return Ok(None);
    };
    let note = match news.note {
        Some(id) => note_rows::by_id(tx, id)?,
        None => None,
    };
    let internal = note.as_ref().is_some_and(|note| note.internal);
    let is_gone = news.note.is_some() && note.is_none();
    let knows = recipients::gets_mail(user)
        && !is_gone
        && subject.topic().may_know(tx, user, place.project(), internal)?;
    Ok(knows.then_some(Seen { subject, told, place, note }))
}

/// What something is about, if it is still there.
pub(crate) fn subject(tx: &mut Tx<'_>, about: &About) -> Result<Option<OwnedTopic>> {
    Ok(match about.kind.as_str() {
        ISSUE => rows::by_id(tx, about.id)?.map(|issue| OwnedTopic::Issue(Box::new(issue))),
        EPIC => epic(tx, about.id)?.map(|epic| OwnedTopic::Epic(Box::new(epic))),
        other => {
            let thing = tx.plugged::<TargetKinds>()?.thing(other, about.id);
            thing.map(OwnedTopic::Thing)
        }
    })
}

/// An epic, unless its group has none any longer.
fn epic(tx: &mut Tx<'_>, id: i64) -> Result<Option<Epic>> {
    let Some(epic) = epics::by_id(tx, id)? else {
        return Ok(None);
    };
    let group = find_group(tx, &Reference::Id(epic.group_id))?;
    Ok(match group {
        Some(group) if has_epics(tx, &group)? => Some(epic),
        _ => None,
    })
}

impl OwnedTopic {
    pub(crate) fn summary(&self, tx: &mut Tx<'_>) -> Result<Option<NoteableSummary>> {
        match self {
            OwnedTopic::Issue(issue) => {
                let assignees = rows::assignees_of_one(tx, issue.id)?;
                Ok(Some(summary_of_issue(issue, assignees)))
            }
            OwnedTopic::Epic(epic) => Ok(Some(summary_of_epic(epic))),
            OwnedTopic::Thing(thing) => Ok((thing.talk.told)(tx, &[thing.id])?.remove(&thing.id)),
        }
    }

    pub(crate) fn participants(&self, tx: &mut Tx<'_>, told: &NoteableSummary) -> Result<Vec<i64>> {
        match self {
            OwnedTopic::Issue(issue) => participants(tx, issue, true),
            OwnedTopic::Epic(epic) => said::participants(tx, epic, true),
            OwnedTopic::Thing(thing) => {
                let noteable = Noteable {
                    kind: thing.kind,
                    id: thing.id,
                    project_id: told.place.project_id(),
                };
                let mut people = note_rows::authors(tx, noteable, true)?;
                people.extend(told.author.filter(|author| !people.contains(author)));
                Ok(people)
            }
        }
    }

    pub(crate) fn subscriptions(&self, tx: &mut Tx<'_>) -> Result<Vec<(i64, bool)>> {
        match self {
            OwnedTopic::Issue(issue) => subscriptions::of_target(tx, Target::Issue, issue.id),
            OwnedTopic::Epic(epic) => subscriptions::of_target(tx, Target::Epic, epic.id),
            OwnedTopic::Thing(it) => subscriptions::of_target(tx, Target::Thing(it.kind), it.id),
        }
    }
}

pub(super) fn summary_of_issue(issue: &Issue, assignees: Vec<i64>) -> NoteableSummary {
    NoteableSummary {
        noun: "issue",
        place: Where::Project(issue.project_id),
        place_path: issue.project_path.clone(),
        reference: format!("#{}", issue.iid),
        title: issue.title.clone(),
        text: issue.text().to_owned(),
        path: issue.path(),
        updated_at: issue.updated_at,
        author: issue.author_id,
        assignees,
    }
}

fn summary_of_epic(epic: &Epic) -> NoteableSummary {
    NoteableSummary {
        noun: "epic",
        place: Where::Group(epic.group_id),
        place_path: epic.group_path.clone(),
        reference: epic.reference(),
        title: epic.title.clone(),
        text: epic.text().to_owned(),
        path: epic.path(),
        updated_at: epic.updated_at,
        author: epic.author_id,
        assignees: Vec::new(),
    }
}
