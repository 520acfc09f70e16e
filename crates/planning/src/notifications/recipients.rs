//! Who is told by mail of one thing that happened, and why.

use super::model::{Digest, Happened, NEW_EPIC, Tie, is_told};
use super::{rules, store};
use crate::access::Parent;
use crate::model::epics::EPIC;
use crate::rules::topic::OwnedTopic;
use crate::store::notes::MERGE_REQUEST;
use crate::store::people;
use crate::tasks::{Event, News, Notify, Reason};
use ::store::Tx;
use identity::entities::load_basic;
use identity::model::{User, UserState};
use kernel::error::Result;
use kernel::time::date_of;
use spaces::model::Project;
use std::collections::{BTreeMap, HashMap};

/// People who are told of one thing at most, and who are asked for by what they set.
pub const MOST: usize = 1_000;

impl News {
    /// What decides who is told of it.
    fn happened(&self) -> Happened {
        let is_epic = self.about.kind == EPIC;
        let event = match self.event {
            Event::Note => "new_note",
            Event::New if is_epic => NEW_EPIC,
            // No switch asks for it.
            _ if is_epic => "",
            event if self.about.kind == MERGE_REQUEST => of_merge_request(event),
            Event::New => "new_issue",
            Event::Closed => "close_issue",
            Event::Reopened => "reopen_issue",
            Event::Reassigned => "reassign_issue",
            Event::Due => "issue_due",
            _ => "",
        };
        let is_watched = !self.event.is_for_few() && self.event != Event::Due;
        Happened { event, is_watched }
    }
}

/// The switch that asks for what happens to merge requests.
fn of_merge_request(event: Event) -> &'static str {
    match event {
        Event::New => "new_merge_request",
        Event::Pushed => "push_to_merge_request",
        Event::Reopened => "reopen_merge_request",
        Event::Closed => "close_merge_request",
        Event::Reassigned => "reassign_merge_request",
        Event::Reviewers => "change_reviewer_merge_request",
        Event::Merged => "merge_merge_request",
        Event::AutoMerge => "merge_when_pipeline_succeeds",
        _ => "",
    }
}

/// What ties people to something, and why they would be told.
#[derive(Default)]
struct Candidates(BTreeMap<i64, Vec<(Tie, Reason)>>);

impl Candidates {
    fn add(&mut self, users: impl IntoIterator<Item = i64>, tie: Tie, reason: Reason) {
        for user in users {
            self.0.entry(user).or_default().push((tie, reason));
        }
    }
}

/// Somebody who is told, and why.
#[derive(Debug, Clone, Copy)]
pub struct Recipient {
    pub user: i64,
    pub reason: Reason,
    /// Whether they get a mail of it, or wait for that of several.
    pub digest: Digest,
}

/// Who is told and why, one reason each.
pub fn recipients(
    tx: &mut Tx<'_>, subject: &OwnedTopic, job: &Notify, internal: bool,
) -> Result<Vec<Recipient>> {
    let news = &job.news;
    let Some(told) = subject.summary(tx)? else {
        return Ok(Vec::new());
    };
    let Some(place) = Parent::at(tx, told.place)? else {
        return Ok(Vec::new());
    };
    if !people::emails_enabled(tx, &place.groups())? {
        return Ok(Vec::new());
    }
    let mut candidates = Candidates::default();
    for (user, reason) in &job.direct {
        let tie = match reason {
            Reason::Mentioned => Tie::Mentioned,
            Reason::Subscribed => Tie::Subscribed,
            _ => Tie::TakesPart,
        };
        candidates.add([*user], tie, *reason);
    }
    let mut asked: HashMap<i64, bool> = HashMap::new();
    asked.extend(subject.subscriptions(tx)?);
    if !news.event.is_for_few() {
        let part = subject.participants(tx, &told)?;
        let subscribed = asked.iter().filter(|(_, wants)| **wants).map(|(user, _)| *user);
        candidates.add(told.assignees.iter().copied(), Tie::TakesPart, Reason::Assigned);
        let reviewers = told.reviewers.iter().copied();
        candidates.add(reviewers, Tie::TakesPart, Reason::ReviewRequested);
        candidates.add(part, Tie::TakesPart, Reason::Participating);
        candidates.add(subscribed, Tie::Subscribed, Reason::Subscribed);
        candidates.add(eager(tx, &place)?, Tie::None, Reason::Watching);
    }
    // Who unsubscribed is told when named, and of nothing else.
    for (user, ties) in &mut candidates.0 {
        if asked.get(user) == Some(&false) {
            ties.retain(|(tie, _)| *tie == Tie::Mentioned);
        }
    }
    let wanted = wanted(tx, candidates, &place, job)?;
    let ids: Vec<i64> = wanted.iter().map(|one| one.user).collect();
    let users = load_basic(tx, &ids)?;
    let topic = subject.topic();
    let mut found = Vec::new();
    for one in wanted {
        let Some(user) = users.get(&one.user).filter(|user| gets_mail(user)) else {
            continue;
        };
        if found.len() < MOST && topic.may_know(tx, user, place.project(), internal)? {
            found.push(one);
        }
    }
    Ok(found)
}

/// People who asked by the custom level to be told of such an event in a project, but
/// for who did it. What they may see of it is asked where it is told.
pub fn asked_for(
    tx: &mut Tx<'_>, project: &Project, event: &'static str, actor: Option<i64>,
) -> Result<Vec<i64>> {
    if !people::emails_enabled(tx, &project.ancestors())? {
        return Ok(Vec::new());
    }
    let today = date_of(tx.now()).to_string();
    let ids = store::eager(tx, &project.into(), &today, MOST as i64)?;
    let levels = rules::levels(tx, &ids, project)?;
    let happened = Happened { event, is_watched: false };
    let wants = |user: &i64| {
        let holds = levels.get(user)?;
        let told = is_told(holds.level, &holds.switches, Tie::None, happened);
        (told && (Some(*user) != actor || holds.own_activity)).then_some(*user)
    };
    Ok(ids.iter().filter_map(wants).collect())
}

/// Whether somebody gets mail of what happens at all.
pub fn gets_mail(user: &User) -> bool {
    user.state == UserState::Active && !user.kind.is_bot()
}

fn eager(tx: &mut Tx<'_>, place: &Parent) -> Result<Vec<i64>> {
    let today = date_of(tx.now()).to_string();
    store::eager(tx, &place.into(), &today, MOST as i64)
}

/// Those of them who want to be told of this, each with the weightiest reason.
fn wanted(
    tx: &mut Tx<'_>, candidates: Candidates, place: &Parent, job: &Notify,
) -> Result<Vec<Recipient>> {
    let happened = job.news.happened();
    let ids: Vec<i64> = candidates.0.keys().copied().collect();
    let levels = rules::levels(tx, &ids, place)?;
    let reason = |(user, ties): (i64, Vec<(Tie, Reason)>)| {
        let holds = levels.get(&user)?;
        let told =
            |(tie, _): &&(Tie, Reason)| is_told(holds.level, &holds.switches, *tie, happened);
        let reason = ties.iter().filter(told).map(|(_, reason)| *reason).min()?;
        let recipient = |reason| Recipient { user, reason, digest: holds.digest };
        match Some(user) == job.news.actor {
            true => holds.own_activity.then(|| recipient(Reason::OwnActivity)),
            false => Some(recipient(reason)),
        }
    };
    Ok(candidates.0.into_iter().filter_map(reason).collect())
}
