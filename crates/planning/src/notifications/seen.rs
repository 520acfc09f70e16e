//! What people are told of, as it is when they are told.

use super::recipients;
use crate::model::Issue;
use crate::rules::issues::participants;
use crate::rules::topic::OwnedTopic;
use crate::store::issues as rows;
use crate::store::notes::{self as note_rows, ISSUE, Note, Noteable};
use crate::store::subscriptions::{self, Target};
use crate::targets::{NoteableSummary, TargetKinds};
use crate::tasks::{About, News};
use ::store::Tx;
use identity::model::User;
use kernel::error::Result;
use kernel::ids::Reference;
use spaces::access::find_project;
use spaces::model::Project;

/// What somebody is told of, as it is now.
pub struct Seen {
    pub subject: OwnedTopic,
    pub told: NoteableSummary,
    pub project: Project,
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
    let Some(project) = find_project(tx, &Reference::Id(told.project_id))? else {
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
        && subject.topic().may_know(tx, user, Some(&project), internal)?;
    Ok(knows.then_some(Seen { subject, told, project, note }))
}

/// What something is about, if it is still there.
pub(crate) fn subject(tx: &mut Tx<'_>, about: &About) -> Result<Option<OwnedTopic>> {
    Ok(match about.kind == ISSUE {
        true => rows::by_id(tx, about.id)?.map(|issue| OwnedTopic::Issue(Box::new(issue))),
        false => {
            let thing = tx.plugged::<TargetKinds>()?.thing(&about.kind, about.id);
            thing.map(OwnedTopic::Thing)
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
            OwnedTopic::Thing(thing) => Ok((thing.talk.told)(tx, &[thing.id])?.remove(&thing.id)),
        }
    }

    pub(crate) fn participants(&self, tx: &mut Tx<'_>, told: &NoteableSummary) -> Result<Vec<i64>> {
        match self {
            OwnedTopic::Issue(issue) => participants(tx, issue, true),
            OwnedTopic::Thing(thing) => {
                let noteable = Noteable {
                    kind: thing.kind,
                    id: thing.id,
                    project_id: Some(told.project_id),
                };
                note_rows::authors(tx, noteable, true)
            }
        }
    }

    pub(crate) fn subscriptions(&self, tx: &mut Tx<'_>) -> Result<Vec<(i64, bool)>> {
        match self {
            OwnedTopic::Issue(issue) => subscriptions::of_target(tx, Target::Issue, issue.id),
            OwnedTopic::Thing(it) => subscriptions::of_target(tx, Target::Thing(it.kind), it.id),
        }
    }
}

pub(super) fn summary_of_issue(issue: &Issue, assignees: Vec<i64>) -> NoteableSummary {
    NoteableSummary {
        noun: "issue",
        project_id: issue.project_id,
        project_path: issue.project_path.clone(),
        reference: format!("#{}", issue.iid),
        title: issue.title.clone(),
        text: issue.text().to_owned(),
        path: issue.path(),
        updated_at: issue.updated_at,
        assignees,
    }
}
