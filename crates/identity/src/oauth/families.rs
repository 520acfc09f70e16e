//! Token families: what one consent gave, through all its rotations.
//!
//! A family holds pairs of an access and a refresh token, of which one is
//! alive. Rotating kills the old pair and makes a new one. A refresh token
//! shown again long after its rotation was copied by someone: the family ends
//! (RFC 9700 section 4.14.2).

use super::applications::{Application, random_hex};
use super::digest;
use super::refusal::{Refusal, Result};
use super::scopes;
use super::settings::OAuth;
use crate::access;
use crate::model::{User, UserId};
use crate::store::families::NewPair;
pub use crate::store::families::{
    Authorized, GrantType, NewFamily, Pair, by_access, by_refresh, revoke, revoke_all_of,
    revoke_application, sweep,
};
use jiff::SignedDuration;
use kernel::secrets::Secret;
use kernel::time::Timestamp;
use store::Tx;

/// Seconds an access token works.
pub const ACCESS_SECONDS: i64 = 7_200;
/// Seconds within which a repeated refresh counts as a race of one client.
const RACE_SECONDS: i64 = 10;

/// A pair just made; its texts are known here and never again.
#[derive(Debug)]
pub struct Issued {
    pub access: Secret,
    pub refresh: Secret,
    pub scopes: Vec<String>,
    pub created_at: Timestamp,
    pub user_id: UserId,
    /// Returned in the ID token.
    pub nonce: Option<String>,
    /// When the user last proved to be themselves.
    pub authenticated_at: Option<Timestamp>,
}

/// Begins a family and makes its first pair; also tells its id.
pub fn begin(tx: &mut Tx<'_>, new: &NewFamily) -> Result<(i64, Issued)> {
    let family = crate::store::families::insert(tx, new)?;
    let scopes = scopes::split(&new.scopes);
    let (access, refresh) = make_pair(tx, family, &scopes)?;
    let issued = Issued {
        access,
        refresh,
        scopes,
        created_at: new.created_at,
        user_id: new.user_id,
        nonce: new.nonce.clone(),
        authenticated_at: new.authenticated_at,
    };
    Ok((family, issued))
}

fn make_pair(tx: &mut Tx<'_>, family: i64, scopes: &[String]) -> Result<(Secret, Secret)> {
    let rules: OAuth = kernel::settings::read(tx)?;
    let (access, refresh) = (random_hex(), random_hex());
    let now = tx.now();
    let refresh_end =
        (rules.refresh_days > 0).then(|| now + SignedDuration::from_hours(24 * rules.refresh_days));
    let new = NewPair {
        family_id: family,
        access_digest: digest(&access),
        refresh_digest: digest(&refresh),
        scopes: scopes.join(" "),
        expires_at: now + SignedDuration::from_secs(ACCESS_SECONDS),
        refresh_expires_at: refresh_end,
        created_at: now,
    };
    crate::store::families::insert_pair(tx, &new)?;
    Ok((Secret::new(access), Secret::new(refresh)))
}

/// What a refresh asks for.
#[derive(Debug, Clone)]
pub struct Refresh {
    pub token: String,
    /// May only narrow.
    pub scope: Option<String>,
    /// If sent, the one of the consent.
    pub redirect_uri: Option<String>,
}

/// Replaces a pair by a new one. `application` is who asks; `None` only where
/// the family has none.
pub fn refresh(
    tx: &mut Tx<'_>, application: Option<&Application>, asked: &Refresh,
) -> Result<Issued> {
    let pair = by_refresh(tx, &asked.token)?.ok_or(Refusal::InvalidGrant)?;
    if pair.application_id != application.map(|application| application.id) {
        return Err(Refusal::InvalidGrant);
    }
    let now = tx.now();
    if let Some(rotated) = pair.rotated_at
        && pair.revoked_at.is_none()
        && now.duration_since(rotated).as_secs() >= RACE_SECONDS
    {
        reused(tx, &pair)?;
    }
    if !pair.can_refresh(now) {
        return Err(Refusal::InvalidGrant);
    }
    if asked.redirect_uri.is_some() && asked.redirect_uri != pair.redirect_uri {
        return Err(Refusal::InvalidGrant);
    }
    active_user(tx, pair.user_id)?;
    let scopes = match &asked.scope {
        Some(text) => scopes::chosen(Some(text), &pair.scopes())?,
        None => pair.scopes(),
    };
    let won = crate::store::families::rotate_pair(tx, pair.id, now)?;
    if won == 0 {
        return Err(Refusal::InvalidGrant);
    }
    let (access, refresh) = make_pair(tx, pair.family, &scopes)?;
    Ok(Issued {
        access,
        refresh,
        scopes,
        created_at: now,
        user_id: pair.user_id,
        nonce: None, // only the first ID token answers the request's nonce
        authenticated_at: pair.authenticated_at,
    })
}

/// The user of a grant, if they may act.
pub fn active_user(tx: &mut Tx<'_>, id: UserId) -> Result<User> {
    access::active_user(tx, id)?.ok_or(Refusal::InvalidGrant)
}

/// Ends a family whose refresh token came a second time, and tells the user.
fn reused(tx: &mut Tx<'_>, pair: &Pair) -> Result<()> {
    revoke(tx, pair.family)?;
    note(tx, pair, "oauth.refresh_reused")?;
    kernel::jobs::enqueue_at(tx, &crate::tasks::TellReuse { family: pair.family }, tx.now())?;
    Ok(())
}

pub(super) fn note(tx: &mut Tx<'_>, pair: &Pair, action: &'static str) -> Result<()> {
    kernel::audit::record(
        tx,
        kernel::audit::Author::default(),
        action,
        ("User", pair.user_id, pair.application_uid.as_deref().unwrap_or("")),
        serde_json::json!({"family": pair.family, "scopes": pair.scopes}),
    )?;
    Ok(())
}

pub fn touch(tx: &mut Tx<'_>, family: i64, user: UserId, ip: &str) -> kernel::error::Result<()> {
    let now = tx.now();
    crate::store::families::note_use(tx, family, now, ip)?;
    crate::users::note_activity(tx, user)
}

/// Whether the user already allowed the application exactly these scopes.
pub fn has_consent(
    tx: &mut Tx<'_>, user: UserId, application: i64, wanted: &[String],
) -> kernel::error::Result<bool> {
    let known: Vec<String> = crate::store::families::scopes_given(tx, user, application)?;
    Ok(known.iter().any(|scopes| scopes::same(&scopes::split(scopes), wanted)))
}

/// The applications that act for a user, the last allowed first.
pub fn authorized(tx: &mut Tx<'_>, user: UserId) -> kernel::error::Result<Vec<Authorized>> {
    let mut found: Vec<Authorized> = Vec::new();
    for family in crate::store::families::living(tx, user)? {
        let application = family.application_id;
        match found.iter_mut().find(|one| one.application_id == application) {
            Some(one) => {
                one.created_at = one.created_at.min(family.created_at);
                one.last_used_at = one.last_used_at.max(family.last_used_at);
                one.scopes = format!("{} {}", one.scopes, family.scopes);
            }
            None => found.push(family),
        }
    }
    Ok(found)
}
