//! Spam: what people make is looked at before it is kept (docs/interface/identity.md 8.3).
//!
//! A room wraps the transaction that makes something in [`guard`]. Built-in
//! rules ([`rules`]) and an external checker ([`checker`]) judge it; what is
//! refused is written down ([`logs`]) and, where a challenge is configured
//! ([`captcha`]), may be repeated once with its solution.

pub mod captcha;
mod checker;
pub mod logs;
mod rules;
pub mod settings;

use crate::attempts;
use crate::author::Author;
use crate::model::User;
use crate::users::{self, Transition};
use captcha::{Captcha, Solution};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::graph::Fault;
use kernel::graph::fault::Denied;
use serde_json::{Value, json};
use settings::Spam;
use std::sync::Arc;
use store::Tx;

/// Seconds over which things made are counted.
const WINDOW: i64 = 60;

kernel::choices! {
    /// What is decided about a thing, from mild to hard.
    pub enum Verdict {
        /// It may be made.
        Allow = "allow",
        /// It may be made by who solves a challenge.
        Challenge = "challenge",
        /// It may not be made.
        Deny = "deny",
        /// Nor may its maker make anything else.
        BlockUser = "block_user",
    }
}

impl Verdict {
    /// What was decided, for people.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Allow => "allowed",
            Verdict::Challenge => "challenged",
            Verdict::Deny => "denied",
            Verdict::BlockUser => "denied, user blocked",
        }
    }
}

#[derive(Debug, Clone)]
pub enum Actor {
    User(Box<User>),
    /// Somebody before sign-up, told by what binds the form to their browser.
    Stranger {
        form: String,
    },
}

/// What somebody is about to make.
#[derive(Debug, Clone)]
pub struct Subject {
    pub actor: Actor,
    pub ip: String,
    pub agent: String,
    pub via_api: bool,
    /// What they do, `create_issue`: an id of a refusal serves one action.
    pub action: &'static str,
    /// To what, `Issue`.
    pub target_type: &'static str,
    /// What people call it, `issue`.
    pub noun: &'static str,
    pub title: String,
    pub text: String,
    /// A challenge solved after a refusal.
    pub solution: Option<Solution>,
    /// A challenge was solved for this already.
    pub solved: bool,
}

/// Why something was not made.
#[derive(Debug, Clone)]
pub enum Refused {
    Spam {
        noun: &'static str,
    },
    /// It may be spam: the same again with a solved challenge is taken.
    Challenge {
        noun: &'static str,
        spam_log_id: i64,
        site_key: String,
    },
}

impl Refused {
    /// What people are told.
    pub fn text(&self) -> String {
        match self {
            Refused::Spam { noun } => {
                format!("Your {noun} has been recognized as spam and has been discarded.")
            }
            Refused::Challenge { noun, .. } => format!(
                "Your {noun} has been recognized as spam. Please, change the content or solve \
                 the CAPTCHA to proceed."
            ),
        }
    }

    /// The refusal as the REST API answers it.
    pub fn rest(&self) -> Error {
        let message = json!({"error": self.text()});
        match self {
            Refused::Spam { .. } => Error::Exact(400, json!({"message": message})),
            Refused::Challenge { spam_log_id, site_key, .. } => Error::Exact(
                409,
                json!({
                    "needs_captcha_response": true,
                    "spam_log_id": spam_log_id,
                    "captcha_site_key": site_key,
                    "message": message,
                }),
            ),
        }
    }

    /// Message and extensions of the refusal as GraphQL answers it.
    pub fn graphql(&self) -> (&'static str, Value) {
        match self {
            Refused::Spam { .. } => ("Request denied. Spam detected", json!({"spam": true})),
            Refused::Challenge { spam_log_id, site_key, .. } => (
                "Request denied. Solve CAPTCHA challenge and retry",
                json!({
                    "needsCaptchaResponse": true,
                    "captchaSiteKey": site_key,
                    "spamLogId": spam_log_id,
                }),
            ),
        }
    }

    /// The refusal as a mutation gives it: an error of the operation beside a
    /// payload without the thing.
    pub fn fault(&self) -> Fault {
        let (message, told) = self.graphql();
        let extensions = match told {
            Value::Object(extensions) => extensions,
            _ => Default::default(),
        };
        let denied = Denied {
            sentence: self.text(),
            message: message.to_owned(),
            code: match self {
                Refused::Spam { .. } => "spam",
                Refused::Challenge { .. } => "needsCaptchaResponse",
            },
            extensions,
        };
        Fault::Denied(Box::new(denied))
    }
}

/// What became of it.
#[derive(Debug)]
pub enum Guarded<T> {
    Made(T),
    Refused(Refused),
}

impl<T> Guarded<T> {
    /// What was made, or the refusal as the REST API answers it.
    pub fn rest(self) -> Result<T> {
        match self {
            Guarded::Made(made) => Ok(made),
            Guarded::Refused(refused) => Err(refused.rest()),
        }
    }

    /// What was made, or the refusal as a mutation answers it.
    pub fn mutated(self) -> std::result::Result<T, Fault> {
        match self {
            Guarded::Made(made) => Ok(made),
            Guarded::Refused(refused) => Err(refused.fault()),
        }
    }
}

/// Makes something in one transaction unless it is spam. A solution is used up
/// by that very transaction, so one refusal opens one success however many try
/// at once, and a failed try costs nothing.
///
/// Administrators are not looked at.
pub async fn guard<T, F>(app: &App, subject: &Subject, work: F) -> Result<Guarded<T>>
where
    T: Send + 'static,
    F: Fn(&mut Tx<'_>) -> Result<T> + Send + Sync + 'static,
{
    if let Actor::User(user) = &subject.actor
        && user.is_admin
    {
        return app.write(work).await.map(Guarded::Made);
    }
    let work = Arc::new(work);
    let captcha: Captcha = app.settings().get(app).await?;
    if captcha.enabled
        && let Some(solution) = &subject.solution
        && let Some(made) = repeat(app, &captcha, subject, solution, work.clone()).await?
    {
        return Ok(Guarded::Made(made));
    }
    let (verdict, reason) = judge(app, subject).await?;
    let passes = verdict == Verdict::Challenge && subject.solved;
    if verdict == Verdict::Allow || passes {
        let subject = passes.then(|| subject.clone());
        let made = app.write(move |tx| {
            if let Some(subject) = &subject {
                logs::write(tx, subject, verdict, &reason, true)?;
            }
            work(tx)
        });
        return made.await.map(Guarded::Made);
    }
    let refused = subject.clone();
    let spam_log_id = app.write(move |tx| note(tx, &refused, verdict, &reason)).await?;
    let noun = subject.noun;
    Ok(Guarded::Refused(match verdict == Verdict::Challenge && captcha.enabled {
        false => Refused::Spam { noun },
        true => Refused::Challenge { noun, spam_log_id, site_key: captcha.site_key },
    }))
}

/// What was refused before, with a solution: nothing unless that is good, and
/// good for this.
async fn repeat<T, F>(
    app: &App, captcha: &Captcha, subject: &Subject, solution: &Solution, work: Arc<F>,
) -> Result<Option<T>>
where
    T: Send + 'static,
    F: Fn(&mut Tx<'_>) -> Result<T> + Send + Sync + 'static,
{
    let response = solution.response.expose();
    if !captcha.verify(app, response, &subject.ip).await? {
        return Ok(None);
    }
    let (subject, id) = (subject.clone(), solution.spam_log_id);
    app.write(move |tx| match logs::redeem(tx, id, &subject)? {
        true => work(tx).map(Some),
        false => Ok(None),
    })
    .await
}

/// The hardest of all verdicts, and its reason.
async fn judge(app: &App, subject: &Subject) -> Result<(Verdict, String)> {
    let rules: Spam = app.settings().get(app).await?;
    let whole = format!("{}\n{}", subject.title, subject.text);
    let (mut verdict, reason) = rules::judge(&rules, &whole);
    let mut reason = reason.to_owned();
    let mut harden = |found: Verdict, why: String| {
        if found as u8 > verdict as u8 {
            (verdict, reason) = (found, why);
        }
        verdict
    };
    if rules.per_minute > 0 {
        let (counted, most) = (subject.clone(), rules.per_minute);
        if app.write(move |tx| is_frequent(tx, &counted, most)).await? {
            harden(Verdict::Challenge, "came too fast".into());
        }
    }
    if rules.check_enabled && harden(Verdict::Allow, String::new()) != Verdict::Deny {
        let (found, why) = checker::ask(app, &rules, subject).await?;
        harden(found, why);
    }
    Ok((verdict, reason))
}

/// Counts a thing for its maker and the address, whatever becomes of it.
fn is_frequent(tx: &mut Tx<'_>, subject: &Subject, most: i64) -> Result<bool> {
    let mut keys = vec![format!("spam:ip:{}", kernel::limits::counted_as(&subject.ip))];
    if let Actor::User(user) = &subject.actor {
        keys.push(format!("spam:user:{}", user.id));
    }
    let mut frequent = false;
    for key in keys {
        match attempts::count(tx, &key, most, WINDOW) {
            Ok(()) => {}
            Err(Error::Limited(_)) => frequent = true,
            Err(error) => return Err(error),
        }
    }
    Ok(frequent)
}

/// Writes a refusal down, and blocks its maker where the verdict says so.
fn note(tx: &mut Tx<'_>, subject: &Subject, verdict: Verdict, reason: &str) -> Result<i64> {
    if let (Verdict::BlockUser, Actor::User(user)) = (verdict, &subject.actor) {
        let by = Author::at(None, &subject.ip);
        match users::transition(tx, &by, user.id, Transition::Block) {
            // Whoever is gone or cannot be blocked is refused all the same.
            Ok(_) | Err(Error::Forbidden(_) | Error::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
    }
    logs::write(tx, subject, verdict, reason, false)
}
