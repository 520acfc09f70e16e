//! From what happened to the mail of each who is told.

use crate::mail::{Letter, deliver};
use crate::notifications::recipients::{self, Recipient};
use crate::notifications::seen::{Seen, seen, subject};
use crate::notifications::store::source_of;
use crate::notifications::{digests, rules, sent, store};
use crate::rules::references::Links;
use crate::store::notes::{self as note_rows, Note};
use crate::tasks::{News, Notify, Tell};
use ::store::Tx;
use identity::entities::load_basic;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, Run, enqueue_at};
use kernel::mail::{Message, Thread};
use kernel::markup;
use kernel::time::date_of;
use spaces::activity::Where;

/// Mails of one project or group that one recipient gets in a day.
const MAILS_A_DAY: i64 = 1_000;

impl Job for Notify {
    const NAME: &'static str = "planning.notify";

    /// Who is told is read apart: however many they are, nobody's request waits for it.
    async fn run(self, run: Run) -> Result<(), Failure> {
        let job = self.clone();
        let found = run.app.read(move |tx| recipients(tx, &job)).await?;
        let app = run.app.clone();
        app.write(move |tx| match run.end(tx)? {
            true => tell_all(tx, &self.news, &found),
            false => Ok(()),
        })
        .await?;
        Ok(())
    }
}

/// Who is told of something, and where that is; nobody where it is gone.
type Found = Option<(Vec<Recipient>, Where)>;

/// Who is told of what happened, as far as it is still there.
fn recipients(tx: &mut Tx<'_>, job: &Notify) -> Result<Found> {
    let Some(subject) = subject(tx, &job.news.about)? else {
        return Ok(None);
    };
    let Some(told) = subject.summary(tx)? else {
        return Ok(None);
    };
    let internal = match job.news.note {
        Some(id) => match note_rows::by_id(tx, id)? {
            Some(note) => note.internal,
            None => return Ok(None),
        },
        None => false,
    };
    let found = recipients::recipients(tx, &subject, job, internal)?;
    Ok(Some((found, told.place)))
}

fn tell_all(tx: &mut Tx<'_>, news: &News, found: &Found) -> Result<()> {
    let now = tx.now();
    let Some((found, place)) = found else {
        return Ok(());
    };
    for one in found {
        match one.digest.due(now) {
            Some(due) => digests::add(tx, one, *place, news, due)?,
            None => {
                let tell = Tell { news: news.clone(), user: one.user, reason: one.reason };
                enqueue_at(tx, &tell, now)?;
            }
        }
    }
    Ok(())
}

impl Job for Tell {
    const NAME: &'static str = "planning.tell";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (app, user) = (run.app.clone(), self.user);
        let written = app.clone();
        let found = app.write(move |tx| mail(&written, tx, &self)).await?;
        let Some((place, message, thread)) = found else {
            return Ok(());
        };
        deliver(&app, message, thread).await?;
        app.write(move |tx| {
            let today = date_of(tx.now());
            match run.end(tx)? {
                true => store::count_mail(tx, user, source_of(place), today).map(drop),
                false => Ok(()),
            }
        })
        .await?;
        Ok(())
    }
}

/// The mail to one recipient, and where it is of; none where there is nothing
/// to tell any longer, or they had enough of that project for a day.
fn mail(app: &App, tx: &mut Tx<'_>, job: &Tell) -> Result<Option<(Where, Message, Thread)>> {
    let people = [Some(job.user), job.news.actor];
    let people: Vec<i64> = people.into_iter().flatten().collect();
    let users = load_basic(tx, &people)?;
    let Some(to) = users.get(&job.user) else {
        return Ok(None);
    };
    let Some(seen) = seen(tx, &job.news, to)? else {
        return Ok(None);
    };
    let (place, today) = (seen.told.place, date_of(tx.now()));
    if store::mails_on(tx, job.user, source_of(place), today)? >= MAILS_A_DAY {
        return Ok(None);
    }
    let letter = Letter {
        app,
        address: rules::address_for(tx, to, &seen.place)?,
        actor: job.news.actor.and_then(|id| users.get(&id)),
        key: sent::create(tx, to.id, place, &job.news)?,
        news: &job.news,
        reason: job.reason,
        before: before(tx, seen.note.as_ref())?,
        html: said(app, tx, &seen, job, to)?,
        seen: &seen,
    };
    Ok(Some((place, letter.message()?, letter.thread())))
}

/// The note that began the thread in which a note answers.
fn before(tx: &mut Tx<'_>, note: Option<&Note>) -> Result<Option<i64>> {
    let Some(note) = note else {
        return Ok(None);
    };
    let first = note_rows::began(tx, &note.discussion_id)?;
    Ok(first.filter(|id| *id != note.id))
}

/// What was said, as HTML with links to what the recipient sees.
fn said(app: &App, tx: &mut Tx<'_>, seen: &Seen, job: &Tell, to: &User) -> Result<String> {
    let text = seen.text(job.news.event);
    if text.is_empty() {
        return Ok(String::new());
    }
    let viewer = Viewer::addressed(to.clone());
    let links = Links::find(tx, &viewer, app.base_url(), &seen.place, [text])?;
    Ok(markup::for_mail(&links.render(text), &app.url("/")))
}
