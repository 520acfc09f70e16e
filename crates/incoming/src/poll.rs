//! Looks into a mailbox for answers, twice a minute, on one server at a time.

use crate::imap::{self, Mailbox};
use crate::receive::receive;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::jobs::{Failure, Job, Run};
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
        let looked = timeout(LOOK, look(&run.app, &url)).await;
        // The next look is the retry.
        match looked {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(Failure::GiveUp(error.to_string())),
            Err(_) => Err(Failure::GiveUp("the mail server takes too long".into())),
        }
    }
}

async fn look(app: &App, url: &url::Url) -> Result<()> {
    let place = imap::Place::of(url)?;
    let mut mailbox = Mailbox::open(&place).await?;
    for uid in mailbox.unread(MOST).await? {
        if let Some(bytes) = mailbox.fetch(uid).await? {
            match receive(app, bytes).await {
                // It stays unread, and so do those after it.
                Err(error @ (Error::Unavailable(_) | Error::Internal(_) | Error::Limited(_))) => {
                    return Err(error);
                }
                Err(error) => tracing::warn!(%error, uid, "a mail could not be read"),
                Ok(outcome) => tracing::info!(uid, ?outcome, "a mail came in"),
            }
        }
        mailbox.is_read(uid).await?;
    }
    mailbox.close().await
}
