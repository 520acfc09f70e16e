//! Who is told by mail about issues, and about things of rooms above. [`Notify`] decides who
//! is told, once, and leaves a job for each of them, so that a mail server
//! that fails delays one mail only.

use crate::mail::{deliver, letter, thread};
use crate::model::Issue;
use crate::rules::issues::participants;
use crate::rules::topic::OwnedTopic;
use crate::store::issues as rows;
use crate::store::notes::{self as note_rows, ISSUE, Noteable};
use crate::store::people;
use crate::store::subscriptions::{self, Target};
use crate::targets::{NoteableSummary, TargetKinds};
use crate::tasks::{About, Event, Notify, Reason, Tell};
use identity::entities::load_basic;
use kernel::error::Result;
use kernel::ids::Reference;
use kernel::jobs::{Failure, Job, RegistryBuilder, Run, enqueue_at};
use spaces::access::find_project;
use std::collections::HashMap;
use store::Tx;

const MOST: usize = 1_000;

pub fn jobs(registry: &mut RegistryBuilder) {
    registry.add::<Notify>();
    registry.add::<Tell>();
}

impl Job for Notify {
    const NAME: &'static str = "planning.notify";

    async fn run(self, run: Run) -> Result<(), Failure> {
        run.app
            .write(move |tx| {
                let now = tx.now();
                for (user, reason) in recipients(tx, &self)? {
                    let news = self.news.clone();
                    let tell = Tell { news, user, reason };
                    enqueue_at(tx, &tell, now)?;
                }
                Ok(())
            })
            .await?;
        Ok(())
    }
}

fn subject(tx: &mut Tx<'_>, about: &About) -> Result<Option<OwnedTopic>> {
    Ok(match about.kind == ISSUE {
        true => rows::by_id(tx, about.id)?.map(|issue| OwnedTopic::Issue(Box::new(issue))),
        false => {
            let thing = tx.plugged::<TargetKinds>()?.thing(&about.kind, about.id);
            thing.map(OwnedTopic::Thing)
        }
    })
}

impl OwnedTopic {
    fn summary(&self, tx: &mut Tx<'_>) -> Result<Option<NoteableSummary>> {
        match self {
            OwnedTopic::Issue(issue) => summary_of_issue(tx, issue).map(Some),
            OwnedTopic::Thing(thing) => (thing.talk.told)(tx, thing.id),
        }
    }

    fn participants(&self, tx: &mut Tx<'_>, told: &NoteableSummary) -> Result<Vec<i64>> {
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

    fn subscriptions(&self, tx: &mut Tx<'_>) -> Result<Vec<(i64, bool)>> {
        match self {
            OwnedTopic::Issue(issue) => subscriptions::of_target(tx, Target::Issue, issue.id),
            OwnedTopic::Thing(_) => Ok(Vec::new()),
        }
    }
}

fn summary_of_issue(tx: &mut Tx<'_>, issue: &Issue) -> Result<NoteableSummary> {
    Ok(NoteableSummary {
        noun: "issue",
        project_id: issue.project_id,
        project_path: issue.project_path.clone(),
        reference: format!("#{}", issue.iid),
        title: issue.title.clone(),
        text: issue.text().to_owned(),
        path: issue.path(),
        updated_at: issue.updated_at,
        assignees: rows::assignees_of_one(tx, issue.id)?,
    })
}

/// Who is told and why, one reason each.
fn recipients(tx: &mut Tx<'_>, job: &Notify) -> Result<Vec<(i64, Reason)>> {
    let news = &job.news;
    let Some(subject) = subject(tx, &news.about)? else {
        return Ok(Vec::new());
    };
    let Some(told) = subject.summary(tx)? else {
        return Ok(Vec::new());
    };
    let Some(project) = find_project(tx, &Reference::Id(told.project_id))? else {
        return Ok(Vec::new());
    };
    let internal = match news.note {
        Some(id) => match note_rows::by_id(tx, id)? {
            Some(note) => note.internal,
            None => return Ok(Vec::new()),
        },
        None => false,
    };
    if !people::emails_enabled(tx, &project.ancestors())? {
        return Ok(Vec::new());
    }
    let mut reasons: HashMap<i64, Reason> = HashMap::new();
    let mut asked: HashMap<i64, bool> = HashMap::new();
    let mut all = job.direct.clone();
    if news.event != Event::Edited {
        let assigned = told.assignees.iter();
        all.extend(assigned.map(|user| (*user, Reason::Assigned)));
        let present = subject.participants(tx, &told)?.into_iter();
        all.extend(present.map(|user| (user, Reason::Participating)));
        asked.extend(subject.subscriptions(tx)?);
        let wanted = asked.iter().filter(|(_, subscribed)| **subscribed);
        all.extend(wanted.map(|(user, _)| (*user, Reason::Subscribed)));
    }
    for (user, reason) in all {
        let held = reasons.entry(user).or_insert(reason);
        *held = (*held).min(reason);
    }
    // Who unsubscribed is told when named, and of nothing else.
    let is_mentioned = |user: &i64| job.direct.contains(&(*user, Reason::Mentioned));
    reasons.retain(|user, _| asked.get(user) != Some(&false) || is_mentioned(user));
    let ids: Vec<i64> = reasons.keys().copied().collect();
    let users = load_basic(tx, &ids)?;
    let topic = subject.topic();
    let mut found = Vec::new();
    for (user_id, reason) in reasons {
        let Some(user) = users.get(&user_id) else {
            continue;
        };
        let silent = Some(user_id) == news.actor || user.kind.is_bot();
        if !silent && topic.may_know(tx, user, &project, internal)? {
            found.push((user_id, reason));
        }
    }
    found.sort_unstable();
    found.truncate(MOST);
    Ok(found)
}

impl Job for Tell {
    const NAME: &'static str = "planning.tell";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let app = run.app.clone();
        let message = run
            .app
            .read(move |tx| {
                let Some(subject) = subject(tx, &self.news.about)? else {
                    return Ok(None);
                };
                let Some(told) = subject.summary(tx)? else {
                    return Ok(None);
                };
                let note = match self.news.note {
                    Some(id) => note_rows::by_id(tx, id)?,
                    None => None,
                };
                let people = [Some(self.user), self.news.actor];
                let people: Vec<i64> = people.into_iter().flatten().collect();
                let users = load_basic(tx, &people)?;
                let actor = self.news.actor.and_then(|id| users.get(&id));
                let thread = thread(&app, &told, &self.news);
                let letter = |to| letter(&app, to, actor, &told, note.as_ref(), &self);
                Ok(users.get(&self.user).map(|to| (letter(to), thread)))
            })
            .await?;
        match message {
            Some((message, thread)) => deliver(&run.app, message, thread).await,
            None => Ok(()),
        }
    }
}
