//! The external checker: a service that is sent what somebody made and answers
//! a verdict (docs/guide/sign-up-and-spam.md describes both).

use super::settings::Spam;
use super::{Actor, Subject, Verdict};
use http::{HeaderValue, header};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::outbound::Call;
use kernel::time::wire;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

/// Time for the whole question: people wait for it.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Largest answer in bytes.
const MAX_ANSWER: u64 = 64 * 1024;
/// Longest reason kept, in characters.
const MAX_REASON: usize = 255;

#[derive(Deserialize)]
struct CheckerAnswer {
    verdict: String,
    #[serde(default)]
    reason: Option<String>,
}

/// The checker's verdict and its reason. One that does not answer lets things
/// pass or refuses them for now, as administrators chose.
pub async fn ask(app: &App, rules: &Spam, subject: &Subject) -> Result<(Verdict, String)> {
    match answer(app, rules, subject).await? {
        Ok(told) => Ok(told),
        Err(cause) => {
            tracing::warn!(%cause, open = rules.fail_open, "the spam checker gave no verdict");
            match rules.fail_open {
                true => Ok((Verdict::Allow, String::new())),
                false => Err(Error::Unavailable("Spam cannot be checked now.".into())),
            }
        }
    }
}

async fn answer(
    app: &App, rules: &Spam, subject: &Subject,
) -> Result<std::result::Result<(Verdict, String), String>> {
    let mut call = Call::post_json(rules.check_url.clone(), &question(subject))
        .timeout(TIMEOUT)
        .max_answer(MAX_ANSWER);
    if let Some(sealed) = &rules.check_key {
        let key = app.secrets().unseal("spam_check_api_key", sealed)?;
        let mut bearer = HeaderValue::from_bytes(&[b"Bearer ", key.as_slice()].concat())
            .map_err(Error::internal)?;
        bearer.set_sensitive(true);
        call = call.header(header::AUTHORIZATION, bearer);
    }
    let answer = match app.outbound().await?.call(call).await {
        Ok(answer) => answer,
        Err(fault) => return Ok(Err(fault.to_string())),
    };
    if !answer.status.is_success() {
        return Ok(Err(format!("it answered {}", answer.status)));
    }
    let told: CheckerAnswer = match serde_json::from_slice(&answer.body) {
        Ok(told) => told,
        Err(error) => return Ok(Err(format!("its answer: {error}"))),
    };
    let verdict = match told.verdict.to_ascii_lowercase().as_str() {
        "allow" | "noop" => Verdict::Allow,
        "conditional_allow" => Verdict::Challenge,
        "disallow" => Verdict::Deny,
        "block_user" => Verdict::BlockUser,
        _ => return Ok(Err("its verdict is unknown".into())),
    };
    let reason = told.reason.unwrap_or_default();
    let reason: String = reason.chars().filter(|c| !c.is_control()).take(MAX_REASON).collect();
    Ok(Ok((verdict, reason)))
}

fn question(subject: &Subject) -> Value {
    let user = match &subject.actor {
        Actor::Stranger { .. } => Value::Null,
        Actor::User(user) => json!({
            "id": user.id,
            "username": user.username,
            "email": user.email,
            "email_confirmed": user.confirmed_at.is_some(),
            "created_at": wire::text(user.created_at),
        }),
    };
    json!({
        "action": subject.action,
        "type": subject.target_type,
        "title": subject.title,
        "description": subject.text,
        "ip_address": subject.ip,
        "user_agent": subject.agent,
        "via_api": subject.via_api,
        "user": user,
    })
}
