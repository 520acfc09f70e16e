//! Authorization codes: ten minutes, once, for one client and one address
//! (RFC 6749 section 4.1).

use super::applications::{Application, random_hex};
use super::families::{self, GrantType, Issued, NewFamily};
use super::refusal::{Refusal, Result};
use super::{digest, pkce, scopes};
use crate::model::UserId;
use jiff::SignedDuration;
use kernel::secrets::Secret;
use kernel::time::Timestamp;
use store::{Tx, sql};

/// Seconds a code works.
const SECONDS: i64 = 600;
/// Seconds within which a repeated exchange counts as a race of one client.
const RACE_SECONDS: i64 = 20;

/// A code to be made.
#[derive(Debug, Clone)]
pub struct NewCode {
    /// For whom.
    pub application_id: i64,
    /// Who allowed it.
    pub user_id: UserId,
    /// Where it is sent.
    pub redirect_uri: String,
    /// What was allowed.
    pub scopes: Vec<String>,
    /// The PKCE challenge.
    pub challenge: Option<String>,
    /// For the ID token.
    pub nonce: Option<String>,
    /// When the user last proved to be themselves.
    pub authenticated_at: Timestamp,
    /// Where the user allowed it from.
    pub ip_address: String,
    /// With which browser.
    pub user_agent: String,
}

/// Makes a code; its text is returned here and never again.
pub fn create(tx: &mut Tx<'_>, new: &NewCode) -> kernel::error::Result<Secret> {
    let text = random_hex();
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into oauth_codes (application_id, user_id, digest, redirect_uri, scopes,
                challenge, nonce, authenticated_at, ip_address, user_agent, expires_at, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
        ),
        (
            new.application_id,
            new.user_id,
            digest(&text),
            new.redirect_uri.as_str(),
            new.scopes.join(" "),
            new.challenge.as_deref(),
            new.nonce.as_deref(),
            new.authenticated_at,
            new.ip_address.as_str(),
            new.user_agent.as_str(),
            now + SignedDuration::from_secs(SECONDS),
            now,
        ),
    )?;
    Ok(Secret::new(text))
}

struct Code {
    id: i64,
    application_id: i64,
    user_id: UserId,
    redirect_uri: String,
    scopes: String,
    challenge: Option<String>,
    nonce: Option<String>,
    authenticated_at: Timestamp,
    ip_address: Option<String>,
    user_agent: Option<String>,
    expires_at: Timestamp,
    used_at: Option<Timestamp>,
    revoked: bool,
    family_id: Option<i64>,
}

store::from_row! { Code {
    id, application_id, user_id, redirect_uri, scopes, challenge, nonce, authenticated_at,
    ip_address, user_agent, expires_at, used_at, revoked, family_id
} }

/// What a client sends for a code.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The code.
    pub code: String,
    /// The same as in the authorization request.
    pub redirect_uri: String,
    /// The PKCE verifier.
    pub verifier: Option<String>,
}

/// Exchanges a code for tokens. Whoever is not the one it was made for leaves
/// it as it was; of two at once one wins.
pub fn exchange(tx: &mut Tx<'_>, application: &Application, asked: &Exchange) -> Result<Issued> {
    let code: Code = tx
        .optional(
            sql!("select * from oauth_codes where digest = $1"),
            (digest(&asked.code),),
        )?
        .ok_or(Refusal::InvalidGrant)?;
    let now = tx.now();
    if code.application_id != application.id {
        return Err(Refusal::InvalidGrant);
    }
    if let Some(used) = code.used_at {
        if now.duration_since(used).as_secs() >= RACE_SECONDS {
            end_replayed(tx, &code)?;
        }
        return Err(Refusal::InvalidGrant);
    }
    if code.revoked || code.expires_at <= now || code.redirect_uri != asked.redirect_uri {
        return Err(Refusal::InvalidGrant);
    }
    check_verifier(code.challenge.as_deref(), asked.verifier.as_deref())?;
    families::active_user(tx, code.user_id)?;
    let won = tx.execute(
        sql!("update oauth_codes set used_at = $2 where id = $1 and used_at is null"),
        (code.id, now),
    )?;
    if won == 0 {
        return Err(Refusal::InvalidGrant);
    }
    let (family, issued) = families::begin(
        tx,
        &NewFamily {
            application_id: Some(application.id),
            user_id: code.user_id,
            grant_type: GrantType::AuthorizationCode,
            scopes: scopes::split(&code.scopes),
            redirect_uri: Some(code.redirect_uri),
            nonce: code.nonce,
            authenticated_at: Some(code.authenticated_at),
            ip_address: code.ip_address,
            user_agent: code.user_agent,
        },
    )?;
    tx.execute(
        sql!("update oauth_codes set family_id = $2 where id = $1"),
        (code.id, family),
    )?;
    Ok(issued)
}

/// A verifier without a challenge is refused like a wrong one: it would hide
/// that the challenge was stripped on the way (RFC 9700 section 4.8).
fn check_verifier(challenge: Option<&str>, verifier: Option<&str>) -> Result<()> {
    match (challenge, verifier) {
        (None, None) => Ok(()),
        (Some(_), None) => Err(Refusal::missing("code_verifier")),
        (Some(challenge), Some(verifier)) if pkce::fits(challenge, verifier) => Ok(()),
        _ => Err(Refusal::InvalidGrant),
    }
}

/// Ends the tokens of a code that came a second time (RFC 6749 section 4.1.2).
fn end_replayed(tx: &mut Tx<'_>, code: &Code) -> Result<()> {
    let Some(family) = code.family_id else {
        return Ok(());
    };
    if families::revoke(tx, family)? > 0 {
        kernel::audit::write(
            tx,
            kernel::audit::Record {
                author_id: None,
                action: "oauth.code_replayed",
                target_type: "User",
                target_id: code.user_id,
                target_name: "",
                details: serde_json::json!({"family": family}),
                ip_address: None,
            },
        )?;
    }
    Ok(())
}

/// Deletes codes that ended a day ago: until then a replay is noticed.
pub fn sweep(tx: &mut Tx<'_>) -> kernel::error::Result<u64> {
    let old = tx.now() - SignedDuration::from_hours(24);
    Ok(tx.execute(
        sql!("delete from oauth_codes where expires_at < $1"),
        (old,),
    )?)
}
