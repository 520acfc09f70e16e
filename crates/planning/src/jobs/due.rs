//! Mail about what is due tomorrow: each day at ten to one of the server.

use crate::notifications::store as rows;
use crate::store::notes::ISSUE;
use crate::tasks::{About, Event, News, Notify, TellDue};
use ::store::Tx;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, Run, enqueue_at};
use kernel::secrets::random_bytes;
use kernel::time::{date_of, start_of};
use serde::{Deserialize, Serialize};

/// How often it is looked whether the time has come, in seconds.
pub const LOOK: i64 = 300;
/// Minutes after midnight when it has.
const MINUTES: i64 = 50;
/// Issues told of in one transaction.
const PORTION: i64 = 200;

/// Begins to tell of what is due, once a day.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct LookForDue {}

impl Job for LookForDue {
    const NAME: &'static str = "planning.look_for_due";

    fn dedupe_key(&self) -> Option<String> {
        Some(String::new())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        run.app.write(look_for_due).await?;
        Ok(())
    }
}

/// Begins it where the time has come and nobody has begun it today.
fn look_for_due(tx: &mut Tx<'_>) -> Result<()> {
    let now = tx.now();
    let today = date_of(now);
    let begins = start_of(today) + jiff::SignedDuration::from_mins(MINUTES);
    if now < begins || !rows::begin_day(tx, today)? {
        return Ok(());
    }
    match today.tomorrow() {
        Ok(day) => enqueue_at(tx, &TellDue { day: day.to_string(), after: 0 }, now),
        Err(_) => Ok(()),
    }
}

impl Job for TellDue {
    const NAME: &'static str = "planning.tell_due";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let app = run.app.clone();
        app.write(move |tx| match run.end(tx)? {
            true => tell_portion(tx, &self),
            false => Ok(()),
        })
        .await?;
        Ok(())
    }
}

fn tell_portion(tx: &mut Tx<'_>, job: &TellDue) -> Result<()> {
    let now = tx.now();
    let issues = rows::issues_due(tx, &job.day, job.after, PORTION)?;
    for id in &issues {
        let news = News {
            event: Event::Due,
            about: About { kind: ISSUE.to_owned(), id: *id },
            note: None,
            actor: None,
            mark: hex::encode(random_bytes::<12>()),
        };
        enqueue_at(tx, &Notify { news, direct: Vec::new() }, now)?;
    }
    match issues.last() {
        Some(last) if issues.len() as i64 == PORTION => {
            enqueue_at(tx, &TellDue { day: job.day.clone(), after: *last }, now)
        }
        _ => Ok(()),
    }
}
