//! Mail about issues. [`Notify`] decides who is told, once, and leaves a job
//! for each of them, so that a mail server that fails delays one mail only.

use crate::model::Issue;
use crate::rules::issues::participants;
use crate::rules::news::may_know;
use crate::store::issues as rows;
use crate::store::notes::{self as note_rows, Note};
use crate::store::subscriptions::{self, Target};
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

/// Decides who is told.
#[derive(Debug, Serialize, Deserialize)]
pub struct Notify {
    /// What happened.
    pub event: Event,
    /// The issue.
    pub issue: i64,
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
                        issue: self.issue,
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

/// Who is told and why, one reason each.
fn recipients(tx: &mut Tx<'_>, news: &Notify) -> Result<Vec<(i64, Reason)>> {
    let Some(issue) = rows::by_id(tx, news.issue)? else {
        return Ok(Vec::new());
    };
    let Some(project) = find_project(tx, &Reference::Id(issue.project_id))? else {
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
        let assigned = rows::assignees_of(tx, &[issue.id])?.remove(&issue.id);
        let assigned = assigned.unwrap_or_default();
        all.extend(assigned.into_iter().map(|user| (user, Reason::Assigned)));
        let present = participants(tx, &issue, true)?;
        all.extend(
            present
                .into_iter()
                .map(|user| (user, Reason::Participating)),
        );
        asked.extend(subscriptions::of_target(tx, Target::Issue, issue.id)?);
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
    let mut told = Vec::new();
    for (user_id, reason) in reasons {
        let Some(user) = users.get(&user_id) else {
            continue;
        };
        let silent = Some(user_id) == news.actor || user.kind.is_bot();
        if !silent && may_know(tx, user, &project, &issue, internal)? {
            told.push((user_id, reason));
        }
    }
    told.sort_unstable();
    told.truncate(MOST);
    Ok(told)
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
    /// The issue.
    pub issue: i64,
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
                let Some(issue) = rows::by_id(tx, self.issue)? else {
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
                let thread = thread(&app, &issue, &self);
                let letter = |to| letter(&app, to, actor, &issue, note.as_ref(), &self);
                Ok(users.get(&self.user).map(|to| (letter(to), thread)))
            })
            .await?;
        match message {
            Some((message, thread)) => deliver(&run.app, message, thread).await,
            None => Ok(()),
        }
    }
}

/// The conversation about an issue, which its first mail begins. Ids are told
/// by what happened, so that all who are told of it have the same.
fn thread(app: &App, issue: &Issue, news: &Tell) -> Thread {
    let begun_by = format!("issue-{}", issue.id);
    let id = match (news.event, news.note) {
        (Event::New, _) => begun_by.clone(),
        (_, Some(note)) => format!("{begun_by}-note-{note}"),
        // The same may happen again: its time tells them apart.
        (event, None) => {
            let at = issue.updated_at.as_microsecond();
            format!("{begun_by}-{event:?}-{at}").to_lowercase()
        }
    };
    let mut parts: Vec<&str> = issue.project_path.split('/').collect();
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
    issue: &Issue,
    note: Option<&Note>,
    news: &Tell,
) -> Message {
    let who = actor.map_or("Somebody", |user| user.name.as_str());
    let name = format!("{}#{}", issue.project_path, issue.iid);
    let happened = match news.event {
        Event::New => format!("{who} made the issue {name}"),
        Event::Note => format!("{who} commented on {name}"),
        Event::Closed => format!("{who} closed the issue {name}"),
        Event::Reopened => format!("{who} opened the issue {name} again"),
        Event::Reassigned => format!("{who} changed who is assigned to {name}"),
        Event::Edited => format!("{who} named you in the issue {name}"),
    };
    let said = match (news.event, note) {
        (Event::Note, Some(note)) => note.body.as_str(),
        (Event::New | Event::Edited, _) => issue.description.as_deref().unwrap_or_default(),
        _ => "",
    };
    let mut link = crate::entity::issues::web_url(app, issue);
    if let Some(note) = note {
        link.push_str(&format!("#note_{}", note.id));
    }
    let said = match said.is_empty() {
        true => String::new(),
        false => format!("\n{said}\n"),
    };
    let again = if news.event == Event::New { "" } else { "Re: " };
    let project = issue.project_path.rsplit('/').next().unwrap_or_default();
    Message {
        to: to.email.clone(),
        subject: format!("{again}{project} | {} (#{})", issue.title, issue.iid),
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
