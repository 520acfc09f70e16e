//! Authorization codes: ten minutes, once, for one client and one address
//! (RFC 6749 section 4.1).

use super::applications::{Application, random_hex};
use super::families::{self, GrantType, Issued, NewFamily};
use super::refusal::{Refusal, Result};
use super::{digest, pkce};
use crate::store::codes::Code;
pub use crate::store::codes::NewCode;
use jiff::SignedDuration;
use kernel::secrets::Secret;
use store::Tx;

/// Seconds a code works.
const SECONDS: i64 = 600;
/// Seconds within which a repeated exchange counts as a race of one client.
const RACE_SECONDS: i64 = 20;

/// Makes a code for what somebody allowed; only its digest is kept.
pub fn create(tx: &mut Tx<'_>, allowed: NewCode) -> kernel::error::Result<Secret> {
    let (text, now) = (random_hex(), tx.now());
    let new = NewCode {
        digest: digest(&text),
        expires_at: now + SignedDuration::from_secs(SECONDS),
        created_at: now,
        ..allowed
    };
    crate::store::codes::insert(tx, &new)?;
    Ok(Secret::new(text))
}

/// What a client sends for a code.
#[derive(Debug, Clone)]
pub struct Exchange {
    pub code: String,
    /// The same as in the authorization request.
    pub redirect_uri: String,
    pub verifier: Option<String>,
}

/// Exchanges a code for tokens. Whoever is not the one it was made for leaves
/// it as it was; of two at once one wins.
pub fn exchange(tx: &mut Tx<'_>, application: &Application, asked: &Exchange) -> Result<Issued> {
    let code: Code =
        crate::store::codes::by_digest(tx, digest(&asked.code))?.ok_or(Refusal::InvalidGrant)?;
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
    let won = crate::store::codes::use_up(tx, code.id, now)?;
    if won == 0 {
        return Err(Refusal::InvalidGrant);
    }
    let (family, issued) = families::begin(
        tx,
        &NewFamily {
            application_id: Some(application.id),
            user_id: code.user_id,
            grant_type: GrantType::AuthorizationCode,
            scopes: code.scopes,
            redirect_uri: Some(code.redirect_uri),
            nonce: code.nonce,
            authenticated_at: Some(code.authenticated_at),
            ip_address: code.ip_address,
            user_agent: code.user_agent,
            created_at: now,
        },
    )?;
    crate::store::codes::set_family(tx, code.id, family)?;
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
        kernel::audit::record(
            tx,
            kernel::audit::Author::default(),
            "oauth.code_replayed",
            ("User", code.user_id, ""),
            serde_json::json!({"family": family}),
        )?;
    }
    Ok(())
}

/// Deletes codes that ended a day ago: until then a replay is noticed.
pub fn sweep(tx: &mut Tx<'_>) -> kernel::error::Result<u64> {
    let old = tx.now() - SignedDuration::from_hours(24);
    crate::store::codes::delete_before(tx, old)
}
