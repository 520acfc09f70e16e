//! What people are told whose mail could not be a note.

use kernel::error::{BestEffort, Error};
use kernel::jobs::{Failure, Job, Run};
use kernel::mail::Message;
use serde::{Deserialize, Serialize};

/// Tells somebody, once, why their answer is no note.
#[derive(Debug, Serialize, Deserialize)]
pub struct Refuse {
    pub to: String,
    /// What they wrote about, as `Issue`.
    pub of: String,
    pub reason: String,
}

impl Job for Refuse {
    const NAME: &'static str = "incoming.refuse";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let text = format!(
            "Your answer by mail could not be added: {}.\n\nNothing of it was kept. You can answer \
             on the page instead; the mail you answered has its address.\n\n{}\n",
            self.reason,
            run.app.base_url()
        );
        let message = Message {
            to: self.to,
            subject: format!("Your answer about the {} was not added", self.of.to_lowercase()),
            text,
            html: None,
        };
        match run.app.mailer().send(&message).await {
            Err(refused @ (Error::BadRequest(_) | Error::Unprocessable(_))) => {
                Err::<(), _>(refused).best_effort("send a mail");
                Ok(())
            }
            sent => Ok(sent?),
        }
    }
}
