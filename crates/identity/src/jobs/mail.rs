//! Mail to users. All of it is plain text, so nothing in a name is markup.

use crate::mail_links::{self, Purpose};
use crate::model::{AccessToken, User};
use crate::settings::SignIn;
use crate::tasks::{Change, Notify, SendLink};
use crate::{tokens, users};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::jobs::{Failure, Job, Run};
use kernel::mail::Message;
use serde::{Deserialize, Serialize};
use store::Tx;

impl Job for SendLink {
    const NAME: &'static str = "identity.send_link";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let purpose = Purpose::from_text(&self.purpose)
            .ok_or_else(|| Failure::GiveUp(format!("unknown purpose {}", self.purpose)))?;
        let app = run.app.clone();
        let message = run.app.write(move |tx| link_mail(&app, tx, &self, purpose)).await?;
        match message {
            Some(message) => post(&run.app, message).await,
            None => Ok(()),
        }
    }
}

fn link_mail(
    app: &App, tx: &mut Tx<'_>, job: &SendLink, purpose: Purpose,
) -> Result<Option<Message>> {
    let user = users::find(tx, job.user)?.filter(|user| mail_links::may_use(user, purpose));
    let Some(user) = user else {
        return Ok(None);
    };
    let to = match job.email {
        None => Some(user.email.clone()),
        Some(id) => users::email(tx, user.id, id)?.map(|email| email.email),
    };
    let Some(to) = to else {
        return Ok(None);
    };
    let rules: SignIn = kernel::settings::read(tx)?;
    let secret = mail_links::create(tx, user.id, purpose, job.email)?;
    let link = app.url(&format!("{}{}", purpose.page(), secret.expose()));
    let (subject, before, after) = match purpose {
        Purpose::Password => (
            "Choose a password",
            format!("a new password was asked for, for the account {}.", user.username),
            "The link works once, for two days. If nobody of you asked for it, ignore this \
             mail: the password stays as it is."
                .to_owned(),
        ),
        Purpose::Unlock => (
            "Your account is locked",
            format!(
                "the account {} was locked because somebody tried wrong passwords. It opens by \
                 itself in {} minutes, or at once with this link.",
                user.username, rules.unlock_minutes
            ),
            "If that was not you, choose a longer password.".to_owned(),
        ),
        Purpose::Confirm => (
            "Confirm your e-mail address",
            format!(
                "this address was entered for the account {}. Confirm that it is yours.",
                user.username
            ),
            "The link works once, for one day. If the account is not yours, ignore this mail."
                .to_owned(),
        ),
    };
    let text = format!("Hello {},\n\n{before}\n\n{link}\n\n{after}\n", user.name);
    Ok(Some(plain(to, subject, text)))
}

impl Change {
    /// The mail's subject, and what its sentence says before and after the name.
    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Change::Password => {
                ("Your password was changed", "the password of the account", "was changed")
            }
            Change::Email => (
                "Your e-mail address was changed",
                "the e-mail address of the account",
                "was changed",
            ),
            Change::Addresses => (
                "Your e-mail addresses were changed",
                "the further e-mail addresses of the account",
                "were changed",
            ),
            Change::Token => (
                "An access token was made",
                "a new access token for the account",
                "was made in a browser",
            ),
            Change::ApplicationSecret => (
                "An application's secret was made",
                "a new secret of an application of the account",
                "was made in a browser",
            ),
            Change::TwoFactorOn => (
                "Two-factor authentication is on",
                "two-factor authentication of the account",
                "was turned on",
            ),
            Change::TwoFactorOff => (
                "Two-factor authentication is off",
                "two-factor authentication of the account",
                "was turned off",
            ),
            Change::RecoveryCodes => (
                "You have new recovery codes",
                "the recovery codes of the account",
                "were replaced; the old ones work no more",
            ),
            Change::RecoveryCodeUsed => (
                "A recovery code was used",
                "a recovery code of the account",
                "was used in place of a second factor",
            ),
            Change::KeyAdded => {
                ("A security key was added", "a security key of the account", "was added")
            }
            Change::KeyRemoved => {
                ("A security key was removed", "a security key of the account", "was removed")
            }
            Change::SshKeyAdded => {
                ("An SSH key was added", "a new SSH key for the account", "was added")
            }
            Change::GpgKeyAdded => {
                ("A GPG key was added", "a new GPG key for the account", "was added")
            }
            Change::KeyCopied => (
                "There may be a copy of your security key",
                "a security key of the account",
                "was refused because it counted backwards, as a copy of it would; remove it",
            ),
        }
    }
}

impl Job for Notify {
    const NAME: &'static str = "identity.notify";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let id = self.user;
        let user = run.app.read(move |tx| users::find(tx, id)).await?;
        let Some(user) = user.filter(User::is_human) else {
            return Ok(());
        };
        let change = Change::from_text(&self.change)
            .ok_or_else(|| Failure::GiveUp(format!("unknown change {}", self.change)))?;
        let (subject, what, done) = change.words();
        let text = format!(
            "Hello {},\n\n{what} {} at {} {done}.\n\nIf that was neither you nor an \
             administrator at your wish, tell your administrator now.\n",
            user.name,
            user.username,
            run.app.base_url(),
        );
        post(&run.app, plain(self.to, subject, text)).await
    }
}

/// Days before the end of a personal token at which its owner is told.
const STAGES: [i64; 3] = [60, 30, 7];
/// Tokens one transaction looks through.
const BATCH: i64 = 200;

/// Looks for personal tokens that end soon and have their owners told, once
/// for each of [`STAGES`].
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ExpiringTokens {}

impl Job for ExpiringTokens {
    const NAME: &'static str = "identity.expiring_tokens";

    fn dedupe_key(&self) -> Option<String> {
        Some("all".into())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        for stage in STAGES.into_iter().rev() {
            let mut after = 0;
            while let Some(last) = run.app.write(move |tx| mark(tx, stage, after)).await? {
                after = last;
            }
        }
        Ok(())
    }
}

/// Marks some tokens as told of and enqueues their mails, in one transaction;
/// the last id, or none when there are no more. The nearest stage comes
/// first, so that a token found late is told of once. A token made for less
/// time than the stage is not told of at once.
fn mark(tx: &mut Tx<'_>, stage: i64, after: i64) -> Result<Option<i64>> {
    let now = tx.now();
    let today = kernel::time::date_of(now);
    let horizon = today.saturating_add(jiff::Span::new().days(stage));
    let found: Vec<AccessToken> =
        crate::store::tokens::ending(tx, today, horizon, stage, after, BATCH)?;
    for token in &found {
        crate::store::tokens::note_told(tx, token.id, stage)?;
        let made = kernel::time::date_of(token.created_at);
        let told = made.saturating_add(jiff::Span::new().days(stage));
        if token.expires_at.is_some_and(|end| end > told) {
            kernel::jobs::enqueue_at(tx, &TokenExpires { token: token.id }, now)?;
        }
    }
    Ok(found.last().map(|token| token.id))
}

#[derive(Debug, Serialize, Deserialize)]
pub struct TokenExpires {
    pub token: i64,
}

impl Job for TokenExpires {
    const NAME: &'static str = "identity.token_expires";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let id = self.token;
        let found = run.app.read(move |tx| {
            let now = tx.now();
            let Some(token) = tokens::find(tx, id)?.filter(|token| token.is_active(now)) else {
                return Ok(None);
            };
            let user = users::find(tx, token.user_id)?;
            Ok(user.map(|user| (token, user)))
        });
        let Some((token, user)) = found.await? else {
            return Ok(());
        };
        let end = token.expires_at.map(|day| day.to_string());
        let text = format!(
            "Hello {},\n\nyour personal access token «{}» stops working on {}, at 00:00 UTC.\n\n\
             Make a new one, or rotate it, here:\n\n{}\n",
            user.name,
            token.name,
            end.unwrap_or_default(),
            run.app.url("/-/user_settings/tokens"),
        );
        let subject = "Your personal access token expires soon";
        post(&run.app, plain(user.email, subject, text)).await
    }
}

pub(super) fn plain(to: String, subject: &str, text: String) -> Message {
    Message { to, subject: subject.to_owned(), text, html: None }
}

/// Sends a mail; one that will never be taken is given up.
pub(super) async fn post(app: &App, message: Message) -> Result<(), Failure> {
    match app.mailer().send(&message).await {
        Err(error @ (Error::BadRequest(_) | Error::Unprocessable(_))) => {
            Err(Failure::GiveUp(error.to_string()))
        }
        sent => Ok(sent?),
    }
}
