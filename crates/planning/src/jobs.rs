//! Who is told by mail about issues, and about things of rooms above. [`Notify`] decides who
//! is told, once, and leaves a job for each of them, so that a mail server
//! that fails delays one mail only.

use crate::mail::{deliver, letter, thread};
use crate::model::Issue;
use crate::notifications::{recipients, rules, store};
use crate::rules::issues::participants;
use crate::rules::topic::OwnedTopic;
use crate::store::issues as rows;
use crate::store::notes::{self as note_rows, ISSUE, Noteable};
use crate::store::subscriptions::{self, Target};
use crate::targets::{NoteableSummary, TargetKinds};
use crate::tasks::{About, Notify, Reason, Tell};
use ::store::Tx;
use identity::entities::load_basic;
use kernel::app::App;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, RegistryBuilder, Run, enqueue_at};
use kernel::mail::{Message, Thread};
use kernel::time::date_of;
use serde::{Deserialize, Serialize};

/// Mails of one project that one recipient gets in a day.
const MAILS_A_DAY: i64 = 1_000;
/// How often counts of mails are forgotten, in seconds.
const PERIOD: i64 = 24 * 3_600;

pub fn jobs(registry: &mut RegistryBuilder) {
    registry.add::<Notify>();
    registry.add::<Tell>();
    registry.add_periodic::<ForgetCounts>(PERIOD);
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
    pub(crate) fn summary(&self, tx: &mut Tx<'_>) -> Result<Option<NoteableSummary>> {
        match self {
            OwnedTopic::Issue(issue) => summary_of_issue(tx, issue).map(Some),
            OwnedTopic::Thing(thing) => (thing.talk.told)(tx, thing.id),
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

/// Who is told of what happened, as far as it is still there.
fn recipients(tx: &mut Tx<'_>, job: &Notify) -> Result<Vec<(i64, Reason)>> {
    let Some(subject) = subject(tx, &job.news.about)? else {
        return Ok(Vec::new());
    };
    let internal = match job.news.note {
        Some(id) => match note_rows::by_id(tx, id)? {
            Some(note) => note.internal,
            None => return Ok(Vec::new()),
        },
        None => false,
    };
    recipients::recipients(tx, &subject, job, internal)
}

impl Job for Tell {
    const NAME: &'static str = "planning.tell";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let app = run.app.clone();
        let user = self.user;
        let found = run.app.read(move |tx| mail(&app, tx, &self)).await?;
        let Some((project, message, thread)) = found else {
            return Ok(());
        };
        deliver(&run.app, message, thread).await?;
        run.app
            .write(move |tx| {
                let today = date_of(tx.now());
                store::count_mail(tx, user, project, today)
            })
            .await?;
        Ok(())
    }
}

/// The mail to one recipient, and the project it is of; none where there is nothing
/// to tell any longer, or they had enough of that project for a day.
fn mail(app: &App, tx: &mut Tx<'_>, job: &Tell) -> Result<Option<(i64, Message, Thread)>> {
    let Some(subject) = subject(tx, &job.news.about)? else {
        return Ok(None);
    };
    let Some(told) = subject.summary(tx)? else {
        return Ok(None);
    };
    let today = date_of(tx.now());
    if store::mails_on(tx, job.user, told.project_id, today)? >= MAILS_A_DAY {
        return Ok(None);
    }
    let note = match job.news.note {
        Some(id) => note_rows::by_id(tx, id)?,
        None => None,
    };
    let people = [Some(job.user), job.news.actor];
    let people: Vec<i64> = people.into_iter().flatten().collect();
    let users = load_basic(tx, &people)?;
    let actor = job.news.actor.and_then(|id| users.get(&id));
    let Some(to) = users.get(&job.user) else {
        return Ok(None);
    };
    let setting = store::find(tx, to.id, store::EVERYTHING)?;
    let address = rules::address(tx, to, &setting)?;
    let message = letter(app, address, actor, &told, note.as_ref(), job);
    Ok(Some((told.project_id, message, thread(app, &told, &job.news))))
}

/// Forgets how many mails were sent on days that are over.
#[derive(Debug, Default, Serialize, Deserialize)]
struct ForgetCounts {}

impl Job for ForgetCounts {
    const NAME: &'static str = "planning.forget_mail_counts";

    fn dedupe_key(&self) -> Option<String> {
        Some(String::new())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        run.app
            .write(|tx| {
                let today = date_of(tx.now());
                store::forget_counts(tx, today)
            })
            .await?;
        Ok(())
    }
}
