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
use ::store::{Fragment, Tx};
use identity::model::User;
use kernel::error::Result;
use kernel::ids::Reference;
use spaces::access::find_group;
use spaces::activity::Where;
use std::collections::{BTreeMap, HashMap};

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

/// What is told of things by their kinds and ids, whoever sees them, in a constant number
/// of statements; nothing of what is gone.
pub fn summaries<'n>(
    tx: &mut Tx<'_>, named: impl IntoIterator<Item = (&'n str, i64)>,
) -> Result<HashMap<(String, i64), NoteableSummary>> {
    let mut ids: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for (kind, id) in named {
        ids.entry(kind).or_default().push(id);
    }
    let mut told = HashMap::new();
    for (kind, ids) in ids {
        let of_kind = summaries_of(tx, kind, &ids)?.into_iter();
        told.extend(of_kind.map(|(id, one)| ((kind.to_owned(), id), one)));
    }
    Ok(told)
}

/// The same of things of one kind, by their ids.
fn summaries_of(tx: &mut Tx<'_>, kind: &str, ids: &[i64]) -> Result<HashMap<i64, NoteableSummary>> {
    let mut wanted = Fragment::default();
    Ok(match kind {
        ISSUE => {
            wanted.in_list("issues.id", ids);
            let issues = rows::of_condition(tx, wanted)?.into_iter();
            issues.map(|one| (one.id, summary_of_issue(&one, Vec::new()))).collect()
        }
        EPIC => {
            wanted.in_list("epics.id", ids);
            let epics = epics::of_condition(tx, wanted)?.into_iter();
            epics.map(|one| (one.id, summary_of_epic(&one))).collect()
        }
        other => {
            let talk = tx.plugged::<TargetKinds>()?.named(other).and_then(|kind| kind.talk);
            match talk {
                Some(talk) => (talk.told)(tx, ids)?,
                None => HashMap::new(),
            }
        }
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
        state: issue.state.to_string(),
        author: issue.author_id,
        assignees,
        reviewers: Vec::new(),
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
        state: epic.state.to_string(),
        author: epic.author_id,
        assignees: Vec::new(),
        reviewers: Vec::new(),
    }
}
