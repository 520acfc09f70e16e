//! Forgets which mails came in, once no copy of them can come any more.

use crate::{store, tries};
use kernel::jobs::{Failure, Job, Run};
use serde::{Deserialize, Serialize};

/// Days after which a copy of a mail would be taken for another one: longer than
/// keys are good.
const DAYS: i64 = 100;
/// Rows of one transaction.
const AT_ONCE: i64 = 1_000;

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ForgetMails {}

impl Job for ForgetMails {
    const NAME: &'static str = "incoming.forget";

    fn dedupe_key(&self) -> Option<String> {
        Some(String::new())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let before = run.app.now() - jiff::SignedDuration::from_hours(24 * DAYS);
        while run.app.write(move |tx| store::forget(tx, before, AT_ONCE)).await? > 0 {}
        while run.app.write(|tx| tries::forget(tx, AT_ONCE)).await? > 0 {}
        Ok(())
    }
}
