//! Mails of a day or a week: one for each who asked for them.

use crate::mail::{DigestLetter, Line, ThreadNews, deliver};
use crate::notifications::digests as rows;
use crate::notifications::digests::DigestItem;
use crate::notifications::many::seen_many;
use crate::notifications::recipients::gets_mail;
use crate::notifications::seen::Seen;
use crate::notifications::{rules, store};
use crate::tasks::{About, News};
use ::store::Tx;
use identity::entities::load_basic;
use kernel::app::App;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, Run, enqueue_at};
use kernel::mail::{Message, Thread};
use kernel::markup;
use serde::{Deserialize, Serialize};

/// How often it is looked who waits, in seconds.
pub const LOOK: i64 = 300;
/// People whose mails are enqueued in one transaction.
const PEOPLE: i64 = 200;
/// News in one mail; what is left goes in the next.
const MOST: i64 = 100;

/// Looks who has waited long enough.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct SendDigests {}

impl Job for SendDigests {
    const NAME: &'static str = "planning.send_digests";

    fn dedupe_key(&self) -> Option<String> {
        Some(String::new())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let mut after = 0;
        loop {
            let last = run.app.write(move |tx| enqueue_portion(tx, after)).await?;
            match last {
                Some(last) => after = last,
                None => return Ok(()),
            }
        }
    }
}

fn enqueue_portion(tx: &mut Tx<'_>, after: i64) -> Result<Option<i64>> {
    let now = tx.now();
    let users = rows::due(tx, after, PEOPLE)?;
    for user in &users {
        enqueue_at(tx, &SendDigest { user: *user }, now)?;
    }
    Ok(users.last().copied())
}

/// Sends somebody's mail. What it tells is claimed first, so that nobody else tells
/// it, and forgotten with the job once it is sent.
#[derive(Debug, Serialize, Deserialize)]
pub struct SendDigest {
    pub user: i64,
}

impl Job for SendDigest {
    const NAME: &'static str = "planning.send_digest";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.user.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (app, user) = (run.app.clone(), self.user);
        let items = app.write(move |tx| rows::claim(tx, user, MOST)).await?;
        if items.is_empty() {
            return Ok(());
        }
        let ids: Vec<i64> = items.iter().map(|item| item.id).collect();
        let reader = app.clone();
        let found = app.read(move |tx| mail(&reader, tx, user, &items)).await?;
        if let Some((message, thread)) = found {
            deliver(&app, message, thread).await?;
        }
        app.write(move |tx| {
            rows::forget(tx, &ids)?;
            let now = tx.now();
            match run.end(tx)? && ids.len() as i64 == MOST {
                true => enqueue_at(tx, &SendDigest { user }, now),
                false => Ok(()),
            }
        })
        .await?;
        Ok(())
    }
}

/// The mail of these news; none where all of it is hidden by now.
fn mail(
    app: &App, tx: &mut Tx<'_>, user: i64, items: &[DigestItem],
) -> Result<Option<(Message, Thread)>> {
    let actors = items.iter().filter_map(|item| item.news.0.news.actor);
    let people: Vec<i64> = actors.chain([user]).collect();
    let users = load_basic(tx, &people)?;
    let Some(to) = users.get(&user).filter(|user| gets_mail(user)) else {
        return Ok(None);
    };
    let mut threads: Vec<(About, ThreadNews)> = Vec::new();
    let all: Vec<&News> = items.iter().map(|item| &item.news.0.news).collect();
    // What they may see by now; what was hidden meanwhile is left out.
    let seen = seen_many(app, tx, &all, to)?;
    for (news, seen) in all.into_iter().zip(seen) {
        let Some(seen) = seen else {
            continue;
        };
        let actor = news.actor.and_then(|id| users.get(&id));
        let line = Line {
            happened: seen.sentence(news.event, actor),
            said: markup::line(seen.text(news.event)),
            link: seen.link(app),
        };
        match threads.iter_mut().find(|(about, _)| *about == news.about) {
            Some((_, thread)) => thread.lines.push(line),
            None => threads.push((news.about.clone(), thread_of(app, &seen, line))),
        }
    }
    if threads.is_empty() {
        return Ok(None);
    }
    let setting = store::find(tx, to.id, store::EVERYTHING)?;
    let letter = DigestLetter {
        app,
        to: rules::address(tx, to, &setting)?,
        user,
        last: items.last().map_or(0, |item| item.id),
        threads: threads.into_iter().map(|(_, thread)| thread).collect(),
    };
    Ok(Some((letter.message()?, letter.thread())))
}

fn thread_of(app: &App, seen: &Seen, line: Line) -> ThreadNews {
    ThreadNews {
        name: format!("{}{}", seen.told.place_path, seen.told.reference),
        title: seen.told.title.clone(),
        link: app.url(&seen.told.path),
        lines: vec![line],
    }
}
