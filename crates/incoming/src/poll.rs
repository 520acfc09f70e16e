//! Looks into a mailbox for answers, twice a minute, on one server at a time. One mail
//! is in memory at a time.

use crate::imap::{self, Mailbox};
use crate::receive::receive;
use crate::tries::{self, Try};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::jobs::{Failure, Job, Run, forget_failed};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::time::timeout;

/// How often it is looked, in seconds.
pub const EVERY: i64 = 30;
/// How long one look may take.
const LOOK: Duration = Duration::from_secs(120);
/// Mails of one look; the others wait for the next.
const MOST: usize = 50;

/// Reads the mails that came since.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Poll {}

impl Job for Poll {
    const NAME: &'static str = "incoming.poll";

    fn dedupe_key(&self) -> Option<String> {
        Some(String::new())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let Some(url) = run.app.config().incoming_mail.mailbox.clone() else {
            return Ok(());
        };
        run.app.write(|tx| forget_failed(tx, Poll::NAME)).await?;
        let looked = timeout(LOOK, look(&run.app, &url)).await;
        // The next look is the retry.
        match looked {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(Failure::GiveUp(why(&error))),
            Err(_) => Err(Failure::GiveUp("the mail server takes too long".into())),
        }
    }
}

/// What went wrong, for administrators.
fn why(error: &Error) -> String {
    match error {
        Error::Unavailable(text) => text.clone(),
        Error::Limited(_) => "Its sender wrote too much in a short time.".to_owned(),
        other => other.to_string(),
    }
}

async fn look(app: &App, url: &url::Url) -> Result<()> {
    let place = imap::Place::of(url, &app.config().trust)?;
    let mut mailbox = Mailbox::open(&place).await?;
    let key = mailbox.key().to_owned();
    let waiting = app.read(move |tx| tries::waiting(tx, &key)).await?;
    for uid in mailbox.unread(&waiting, MOST).await? {
        take(app, &mut mailbox, uid).await?;
    }
    mailbox.close().await
}

/// Reads one mail. One over which the server fails waits for its next try, and in the
/// end for a person; those behind it are read all the same.
async fn take(app: &App, mailbox: &mut Mailbox, uid: u32) -> Result<()> {
    let key = mailbox.key().to_owned();
    let of = key.clone();
    let is_last = match app.write(move |tx| tries::begin(tx, &of, uid)).await? {
        Try::Now { is_last } => is_last,
        Try::Never(why) => return set_aside(app, mailbox, uid, why).await,
    };
    let taken = match mailbox.fetch(uid).await? {
        Some(bytes) => receive(app, bytes).await,
        None => Err(Error::TooLarge),
    };
    match taken {
        Ok(outcome) => tracing::info!(uid, ?outcome, "a mail came in"),
        Err(error @ (Error::Unavailable(_) | Error::Internal(_) | Error::Limited(_))) => {
            let why = why(&error);
            tracing::warn!(uid, why, "a mail could not be taken yet");
            return match is_last {
                true => set_aside(app, mailbox, uid, why).await,
                false => app.write(move |tx| tries::failed(tx, &key, uid, &why)).await,
            };
        }
        Err(error) => tracing::warn!(%error, uid, "a mail could not be read"),
    }
    mailbox.is_read(uid).await?;
    app.write(move |tx| tries::done(tx, &key, uid)).await
}

async fn set_aside(app: &App, mailbox: &mut Mailbox, uid: u32, why: String) -> Result<()> {
    tracing::error!(uid, why, "a mail is set aside: it is flagged in the mailbox");
    mailbox.set_aside(uid).await?;
    let key = mailbox.key().to_owned();
    app.write(move |tx| tries::set_aside(tx, &key, uid, &why)).await
}
