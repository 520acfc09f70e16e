//! Forgets what is needed no longer.

use crate::notifications::{sent, store};
use kernel::error::Result;
use kernel::jobs::{Failure, Job, Run};
use kernel::time::date_of;
use serde::{Deserialize, Serialize};

/// How often, in seconds.
pub const PERIOD: i64 = 24 * 3_600;
/// Keys forgotten in one transaction.
const PORTION: i64 = 1_000;

/// Forgets how many mails were sent on days that are over.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ForgetCounts {}

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

/// Forgets keys of mails that are good no longer.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ForgetSent {}

impl Job for ForgetSent {
    const NAME: &'static str = "planning.forget_sent_notifications";

    fn dedupe_key(&self) -> Option<String> {
        Some(String::new())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        while run.app.write(|tx| sent::forget(tx, PORTION)).await? > 0 {}
        Ok(())
    }
}
