//! What people are told whose mail could not be a note.

use kernel::error::{BestEffort, Error};
use kernel::jobs::{Failure, Job, Run};
use kernel::mail::Message;
use planning::rules::comments::refused_text;
use serde::{Deserialize, Serialize};

/// Tells somebody, once, why their answer is no note.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Refuse {
    pub to: String,
    /// What they wrote about, as `Issue`.
    pub of: String,
    /// A sentence.
    pub reason: String,
}

/// Why an answer was refused, as a sentence for who wrote it.
pub fn reason(error: &Error) -> String {
    if let Some(problem) = refused_text(error) {
        return format!("It {problem}.");
    }
    match error {
        Error::Invalid(fields) => {
            let said = fields.iter().flat_map(|(_, said)| said);
            let said: Vec<String> = said.map(|problem| format!("It {problem}.")).collect();
            said.join(" ")
        }
        Error::NotFound(_) | Error::NotFoundText(_) | Error::Unauthenticated => {
            "What you answered is gone, or you do not see it any longer.".into()
        }
        Error::Forbidden(_) | Error::InsufficientScope(_) => {
            "You may not write there any longer.".into()
        }
        Error::TooLarge => "A file that came with it is larger than files may be here.".into(),
        Error::Exact(..) => "It was taken for spam.".into(),
        Error::Conflict(_) => "Somebody changed the same thing at the same time.".into(),
        _ => "It could not be understood.".into(),
    }
}

impl Job for Refuse {
    const NAME: &'static str = "incoming.refuse";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let text = format!(
            "Your answer by mail could not be added. {}\n\nNothing of it was kept. You can answer \
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_sentences() {
        let long = "Note {\"note\"=>[\"is too long (maximum is 1000000 characters)\"]}";
        for (error, said) in [
            (Error::NotFound("Issue"), "gone"),
            (Error::Forbidden("This discussion is locked".into()), "may not write"),
            (Error::invalid("note", "says nothing besides what it quotes"), "It says nothing"),
            (
                Error::BadRequest(long.into()),
                "It is too long (maximum is 1000000 characters).",
            ),
            (Error::BadRequest("x".into()), "understood"),
            (Error::TooLarge, "larger than files may be"),
            (Error::Exact(400, serde_json::json!({"message": {"error": "spam"}})), "spam"),
            (Error::Conflict("Issue(s) already assigned".into()), "at the same time"),
            (Error::Parameters(vec!["file is invalid".into()]), "understood"),
        ] {
            let reason = reason(&error);
            assert!(reason.contains(said), "{reason}");
            assert!(reason.ends_with('.') && !reason.contains(['"', '{', '[']), "{reason}");
        }
    }
}
