//! Mail about tokens, and clearing away what has ended.

use super::{codes, devices, families, keys};
use crate::tasks::TellReuse;
use kernel::jobs::{Failure, Job, Run};
use kernel::mail::Message;
use serde::{Deserialize, Serialize};

/// Rows deleted in one transaction.
const PORTION: i64 = 1_000;

/// Deletes ended codes, device grants and families; replaces old keys.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Sweep {}

impl Job for Sweep {
    const NAME: &'static str = "identity.oauth_sweep";

    fn dedupe_key(&self) -> Option<String> {
        Some("all".into())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        run.app
            .write(|tx| {
                codes::sweep(tx)?;
                devices::sweep(tx)
            })
            .await?;
        while run.app.write(|tx| families::sweep(tx, PORTION)).await? > 0 {}
        keys::rotate(&run.app).await?;
        Ok(())
    }
}

impl Job for TellReuse {
    const NAME: &'static str = "identity.tell_token_reuse";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.family.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let family = self.family;
        let found: Option<(String, Option<String>)> =
            run.app.read(move |tx| crate::store::families::owner(tx, family)).await?;
        let Some((email, name)) = found else {
            return Ok(());
        };
        let name = name.unwrap_or_else(|| "A program".into());
        let text = format!(
            "{name} used a token of your account that had been replaced before. That happens when \
             somebody copied it, so all tokens of that sign-in have ended.\n\nSign in to the \
             application again. If you did not expect this, look at what acts for you:\n{}\n",
            run.app.url("/-/user_settings/applications")
        );
        let message = Message {
            to: email,
            subject: "Access of an application was ended".into(),
            text,
            html: None,
        };
        run.app.mailer().send(&message).await?;
        Ok(())
    }
}
