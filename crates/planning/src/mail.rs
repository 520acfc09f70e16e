//! Mail about issues, and about things of rooms above. [`Notify`] decides who
//! is told, once, and leaves a job for each of them, so that a mail server
//! that fails delays one mail only.

use crate::entity::issues::web_path;
use crate::model::Issue;
use crate::rules::issues::participants;
use crate::rules::topic::Topic;
use crate::store::issues as rows;
use crate::store::notes::{self as note_rows, ISSUE, Note, Noteable};
use crate::store::subscriptions::{self, Target};
use crate::targets::{Kinds, Thing, Told};
use identity::entities::load_basic;
use identity::model::User;
use kernel::app::App;
use kernel::error::{BestEffort, Error, Result};
use kernel::ids::Reference;
use kernel::jobs::{Failure, Job, RegistryBuilder, Run, enqueue_at};
use kernel::mail::{Message, Thread};
use serde::{Deserialize, Serialize};
use spaces::access::find_project;
use std::collections::HashMap;
use store::Tx;

/// Most people told of one thing.
const MOST: usize = 1_000;

/// Registers the kinds of jobs.
pub fn jobs(registry: &mut RegistryBuilder) {
    registry.add::<Notify>();
    registry.add::<Tell>();
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// An issue was made.
    New,
    /// Somebody wrote a note.
    Note,
    /// It was closed.
    Closed,
    /// It was opened again.
    Reopened,
    /// Others are assigned.
    Reassigned,
    /// Its text changed; only those newly named are told.
    Edited,
}

/// Why somebody is told, the weightier first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// They are, or were, assigned.
    Assigned,
    /// They are named.
    Mentioned,
    /// They asked to be.
    Subscribed,
    /// They take part.
    Participating,
}

impl Reason {
    fn words(self) -> &'static str {
        match self {
            Reason::Assigned => "you have been assigned an item",
            Reason::Mentioned => "you have been mentioned",
            Reason::Subscribed => "you have subscribed to it",
            Reason::Participating => "you take part in it",
        }
    }
}

/// What something happened to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Its kind, `Issue`.
    pub kind: String,
    /// Its id.
    pub id: i64,
}

/// Decides who is told.
#[derive(Debug, Serialize, Deserialize)]
pub struct Notify {
    /// What happened.
    pub event: Event,
    /// To what.
    pub about: About,
    /// The note, if it is one.
    pub note: Option<i64>,
    /// Who did it.
    pub actor: Option<i64>,
    /// Who is told in any case, as far as they may know.
    pub direct: Vec<(i64, Reason)>,
}

impl Job for Notify {
    const NAME: &'static str = "planning.notify";

    async fn run(self, run: Run) -> Result<(), Failure> {
        run.app
            .write(move |tx| {
                let now = tx.now();
                for (user, reason) in recipients(tx, &self)? {
                    let tell = Tell {
                        event: self.event,
                        about: self.about.clone(),
                        note: self.note,
                        actor: self.actor,
                        user,
                        reason,
                    };
                    enqueue_at(tx, &tell, now)?;
                }
                Ok(())
            })
            .await?;
        Ok(())
    }
}

/// What mail is about, as it is now.
enum Subject {
    Issue(Box<Issue>),
    Thing(Thing),
}

impl Subject {
    fn read(tx: &mut Tx<'_>, about: &About) -> Result<Option<Subject>> {
        Ok(match about.kind == ISSUE {
            true => rows::by_id(tx, about.id)?.map(|issue| Subject::Issue(Box::new(issue))),
            false => tx
                .plugged::<Kinds>()?
                .thing(&about.kind, about.id)
                .map(Subject::Thing),
        })
    }

    fn topic(&self) -> Topic<'_> {
        match self {
            Subject::Issue(issue) => Topic::Issue(issue),
            Subject::Thing(thing) => Topic::Thing(*thing),
        }
    }

    fn told(&self, tx: &mut Tx<'_>) -> Result<Option<Told>> {
        match self {
            Subject::Issue(issue) => issue_told(tx, issue).map(Some),
            Subject::Thing(thing) => (thing.talk.told)(tx, thing.id),
        }
    }

    /// Who takes part in it by what they wrote.
    fn participants(&self, tx: &mut Tx<'_>, told: &Told) -> Result<Vec<i64>> {
        match self {
            Subject::Issue(issue) => participants(tx, issue, true),
            Subject::Thing(thing) => {
                let noteable = Noteable {
                    kind: thing.kind,
                    id: thing.id,
                    project_id: Some(told.project_id),
                };
                note_rows::authors(tx, noteable, true)
            }
        }
    }

    /// Who asked to be told, or no longer to be told.
    fn asked(&self, tx: &mut Tx<'_>) -> Result<Vec<(i64, bool)>> {
        match self {
            Subject::Issue(issue) => subscriptions::of_target(tx, Target::Issue, issue.id),
            Subject::Thing(_) => Ok(Vec::new()),
        }
    }
}

/// An issue as mail tells of it.
fn issue_told(tx: &mut Tx<'_>, issue: &Issue) -> Result<Told> {
    let assignees = rows::assignees_of(tx, &[issue.id])?.remove(&issue.id);
    Ok(Told {
        noun: "issue",
        project_id: issue.project_id,
        project_path: issue.project_path.clone(),
        reference: format!("#{}", issue.iid),
        title: issue.title.clone(),
        text: issue.description.clone().unwrap_or_default(),
        path: web_path(issue),
        updated_at: issue.updated_at,
        assignees: assignees.unwrap_or_default(),
    })
}

/// Who is told and why, one reason each.
fn recipients(tx: &mut Tx<'_>, news: &Notify) -> Result<Vec<(i64, Reason)>> {
    let Some(subject) = Subject::read(tx, &news.about)? else {
        return Ok(Vec::new());
    };
    let Some(told) = subject.told(tx)? else {
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
    if !emails_enabled(tx, &project.ancestors())? {
        return Ok(Vec::new());
    }
    let mut reasons: HashMap<i64, Reason> = HashMap::new();
    let mut asked: HashMap<i64, bool> = HashMap::new();
    let mut all = news.direct.clone();
    if news.event != Event::Edited {
        let assigned = told.assignees.iter();
        all.extend(assigned.map(|user| (*user, Reason::Assigned)));
        let present = subject.participants(tx, &told)?.into_iter();
        all.extend(present.map(|user| (user, Reason::Participating)));
        asked.extend(subject.asked(tx)?);
        let wanted = asked.iter().filter(|(_, subscribed)| **subscribed);
        all.extend(wanted.map(|(user, _)| (*user, Reason::Subscribed)));
    }
    for (user, reason) in all {
        let held = reasons.entry(user).or_insert(reason);
        *held = (*held).min(reason);
    }
    // Who unsubscribed is told when named, and of nothing else.
    let is_mentioned = |user: &i64| news.direct.contains(&(*user, Reason::Mentioned));
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

/// Whether no group above switched mail off.
fn emails_enabled(tx: &mut Tx<'_>, groups: &[i64]) -> Result<bool> {
    let silent: Option<i64> = tx.optional(
        store::sql!(
            "select id from namespaces where id in_list($1) and not emails_enabled limit 1"
        ),
        (groups,),
    )?;
    Ok(silent.is_none())
}

/// Tells one user.
#[derive(Debug, Serialize, Deserialize)]
pub struct Tell {
    /// What happened.
    pub event: Event,
    /// To what.
    pub about: About,
    /// The note, if it is one.
    pub note: Option<i64>,
    /// Who did it.
    pub actor: Option<i64>,
    /// Who is told.
    pub user: i64,
    /// Why.
    pub reason: Reason,
}

impl Job for Tell {
    const NAME: &'static str = "planning.tell";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let app = run.app.clone();
        let message = run
            .app
            .read(move |tx| {
                let Some(subject) = Subject::read(tx, &self.about)? else {
                    return Ok(None);
                };
                let Some(told) = subject.told(tx)? else {
                    return Ok(None);
                };
                let note = match self.note {
                    Some(id) => note_rows::by_id(tx, id)?,
                    None => None,
                };
                let people = [Some(self.user), self.actor];
                let people: Vec<i64> = people.into_iter().flatten().collect();
                let users = load_basic(tx, &people)?;
                let actor = self.actor.and_then(|id| users.get(&id));
                let thread = thread(&app, &told, &self);
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

/// The conversation about something, which the first mail begins. Ids are
/// told by what happened, so that all who are told of it have the same.
fn thread(app: &App, told: &Told, news: &Tell) -> Thread {
    let begun_by = format!("{}-{}", told.noun, news.about.id);
    let id = match (news.event, news.note) {
        (Event::New, _) => begun_by.clone(),
        (_, Some(note)) => format!("{begun_by}-note-{note}"),
        // The same may happen again: its time tells them apart.
        (event, None) => {
            let at = told.updated_at.as_microsecond();
            format!("{begun_by}-{event:?}-{at}").to_lowercase()
        }
    };
    let mut parts: Vec<&str> = told.project_path.split('/').collect();
    parts.reverse();
    Thread {
        begun_by: (id != begun_by).then_some(begun_by),
        id,
        list: parts.join("."),
        host: host(app),
    }
}

/// The instance's host, as ids of mails end.
fn host(app: &App) -> String {
    let url = url::Url::parse(app.base_url()).ok();
    let host = url.as_ref().and_then(url::Url::host_str);
    host.unwrap_or("localhost").to_owned()
}

fn letter(
    app: &App,
    to: &User,
    actor: Option<&User>,
    told: &Told,
    note: Option<&Note>,
    news: &Tell,
) -> Message {
    let who = actor.map_or("Somebody", |user| user.name.as_str());
    let (noun, reference) = (told.noun, told.reference.as_str());
    let name = format!("{}{reference}", told.project_path);
    let happened = match news.event {
        Event::New => format!("{who} made the {noun} {name}"),
        Event::Note => format!("{who} commented on {name}"),
        Event::Closed => format!("{who} closed the {noun} {name}"),
        Event::Reopened => format!("{who} opened the {noun} {name} again"),
        Event::Reassigned => format!("{who} changed who is assigned to {name}"),
        Event::Edited => format!("{who} named you in the {noun} {name}"),
    };
    let said = match (news.event, note) {
        (Event::Note, Some(note)) => note.body.as_str(),
        (Event::New | Event::Edited, _) => told.text.as_str(),
        _ => "",
    };
    let mut link = app.url(&told.path);
    if let Some(note) = note {
        link.push_str(&format!("#note_{}", note.id));
    }
    let said = match said.is_empty() {
        true => String::new(),
        false => format!("\n{said}\n"),
    };
    let again = if news.event == Event::New { "" } else { "Re: " };
    let project = told.project_path.rsplit('/').next().unwrap_or_default();
    Message {
        to: to.email.clone(),
        subject: format!("{again}{project} | {} ({reference})", told.title),
        text: format!(
            "{happened}:\n{said}\n{link}\n\n-- \nYou are told because {}.\n",
            news.reason.words()
        ),
        html: None,
    }
}

/// Sends a mail; an address the mail server refuses for good is let go.
async fn deliver(app: &App, message: Message, thread: Thread) -> Result<(), Failure> {
    match app.mailer().send_in(&message, &thread).await {
        Err(refused @ (Error::BadRequest(_) | Error::Unprocessable(_))) => {
            Err::<(), _>(refused).best_effort("send a mail");
            Ok(())
        }
        sent => Ok(sent?),
    }
}
