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
use jiff::SignedDuration;
use kernel::secrets::Secret;
use kernel::time::Timestamp;
use store::{Row, Tx, sql};

/// Seconds an access token works.
pub const ACCESS_SECONDS: i64 = 7_200;
/// Seconds within which a repeated refresh counts as a race of one client.
const RACE_SECONDS: i64 = 10;

kernel::choices! {
    /// How a family began.
    pub enum GrantType {
        /// By consent in a browser.
        AuthorizationCode = "authorization_code",
        /// By the user's password.
        Password = "password",
        /// By a code typed in elsewhere.
        DeviceCode = "device_code",
    }
}

/// A family to begin.
#[derive(Debug, Clone)]
pub struct NewFamily {
    /// The application; `None` for the password grant without one.
    pub application_id: Option<i64>,
    /// Who allowed it.
    pub user_id: UserId,
    /// How.
    pub grant_type: GrantType,
    /// What was allowed.
    pub scopes: Vec<String>,
    /// Where the code was sent.
    pub redirect_uri: Option<String>,
    /// Returned in ID tokens.
    pub nonce: Option<String>,
    /// When the user last proved to be themselves.
    pub authenticated_at: Option<Timestamp>,
    /// Where the user allowed it from.
    pub ip_address: Option<String>,
    /// With which browser.
    pub user_agent: Option<String>,
}

/// A pair just made; its texts are known here and never again.
#[derive(Debug)]
pub struct Issued {
    /// The access token.
    pub access: Secret,
    /// The refresh token.
    pub refresh: Secret,
    /// What the pair allows.
    pub scopes: Vec<String>,
    /// Made then.
    pub created_at: Timestamp,
    /// Whose it is.
    pub user_id: UserId,
    /// Returned in the ID token.
    pub nonce: Option<String>,
    /// When the user last proved to be themselves.
    pub authenticated_at: Option<Timestamp>,
}

/// Begins a family and makes its first pair; also tells its id.
pub fn begin(tx: &mut Tx<'_>, new: &NewFamily) -> Result<(i64, Issued)> {
    let now = tx.now();
    let family: i64 = tx.one(
        sql!(
            "insert into oauth_families (application_id, user_id, grant_type, scopes, redirect_uri,
                nonce, authenticated_at, ip_address, user_agent, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning id"
        ),
        (
            new.application_id,
            new.user_id,
            new.grant_type,
            new.scopes.join(" "),
            new.redirect_uri.as_deref(),
            new.nonce.as_deref(),
            new.authenticated_at,
            new.ip_address.as_deref(),
            new.user_agent.as_deref(),
            now,
        ),
    )?;
    let (access, refresh) = make_pair(tx, family, &new.scopes)?;
    let issued = Issued {
        access,
        refresh,
        scopes: new.scopes.clone(),
        created_at: now,
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
    tx.execute(
        sql!(
            "insert into oauth_tokens (family_id, access_digest, refresh_digest, scopes,
                expires_at, refresh_expires_at, created_at)
             values ($1, $2, $3, $4, $5, $6, $7)"
        ),
        (
            family,
            digest(&access),
            digest(&refresh),
            scopes.join(" "),
            now + SignedDuration::from_secs(ACCESS_SECONDS),
            refresh_end,
            now,
        ),
    )?;
    Ok((Secret::new(access), Secret::new(refresh)))
}

/// A pair with its family.
#[derive(Debug, Clone)]
pub struct Pair {
    /// Id of the pair.
    pub id: i64,
    /// Id of the family.
    pub family: i64,
    /// The application, if one was named.
    pub application_id: Option<i64>,
    /// Its `client_id`.
    pub application_uid: Option<String>,
    /// Whose it is.
    pub user_id: UserId,
    /// Space-separated.
    pub scopes: String,
    /// The access token ends then.
    pub expires_at: Timestamp,
    /// The refresh token ends then; `None` is never.
    pub refresh_expires_at: Option<Timestamp>,
    /// Replaced by a newer pair then.
    pub rotated_at: Option<Timestamp>,
    /// The family ended then.
    pub revoked_at: Option<Timestamp>,
    /// Last noted use of the family.
    pub last_used_at: Option<Timestamp>,
    /// Where the code was sent.
    pub redirect_uri: Option<String>,
    /// Of the consent.
    pub nonce: Option<String>,
    /// Of the consent.
    pub authenticated_at: Option<Timestamp>,
    /// Made then.
    pub created_at: Timestamp,
}

impl store::FromRow for Pair {
    fn from_row(row: &mut Row<'_>) -> store::Result<Self> {
        Ok(Pair {
            id: row.at(0)?,
            family: row.at(1)?,
            scopes: row.at(2)?,
            expires_at: row.at(3)?,
            refresh_expires_at: row.at(4)?,
            rotated_at: row.at(5)?,
            created_at: row.at(6)?,
            application_id: row.at(7)?,
            user_id: row.at(8)?,
            redirect_uri: row.at(9)?,
            nonce: row.at(10)?,
            authenticated_at: row.at(11)?,
            revoked_at: row.at(12)?,
            last_used_at: row.at(13)?,
            application_uid: row.at(14)?,
        })
    }
}

impl Pair {
    /// Whether the pair was ended, by rotation or with its family.
    pub fn is_revoked(&self) -> bool {
        self.rotated_at.is_some() || self.revoked_at.is_some()
    }

    /// Whether the access token works at `now`.
    pub fn is_alive(&self, now: Timestamp) -> bool {
        !self.is_revoked() && self.expires_at > now
    }

    /// Whether the refresh token works at `now`.
    pub fn can_refresh(&self, now: Timestamp) -> bool {
        !self.is_revoked() && self.refresh_expires_at.is_none_or(|end| end > now)
    }

    /// Its scopes, one by one.
    pub fn scopes(&self) -> Vec<String> {
        scopes::split(&self.scopes)
    }
}

/// The pair of an access token.
pub fn by_access(tx: &mut Tx<'_>, text: &str) -> kernel::error::Result<Option<Pair>> {
    Ok(tx.optional(
        sql!(
            "select t.id, t.family_id, t.scopes, t.expires_at, t.refresh_expires_at, t.rotated_at,
                t.created_at, f.application_id, f.user_id, f.redirect_uri, f.nonce,
                f.authenticated_at, f.revoked_at, f.last_used_at, a.uid
             from oauth_tokens t join oauth_families f on f.id = t.family_id
                left join applications a on a.id = f.application_id
             where t.access_digest = $1"
        ),
        (digest(text),),
    )?)
}

/// The pair of a refresh token.
pub fn by_refresh(tx: &mut Tx<'_>, text: &str) -> kernel::error::Result<Option<Pair>> {
    Ok(tx.optional(
        sql!(
            "select t.id, t.family_id, t.scopes, t.expires_at, t.refresh_expires_at, t.rotated_at,
                t.created_at, f.application_id, f.user_id, f.redirect_uri, f.nonce,
                f.authenticated_at, f.revoked_at, f.last_used_at, a.uid
             from oauth_tokens t join oauth_families f on f.id = t.family_id
                left join applications a on a.id = f.application_id
             where t.refresh_digest = $1"
        ),
        (digest(text),),
    )?)
}

/// What a refresh asks for.
#[derive(Debug, Clone)]
pub struct Refresh {
    /// The refresh token.
    pub token: String,
    /// May only narrow.
    pub scope: Option<String>,
    /// If sent, the one of the consent.
    pub redirect_uri: Option<String>,
}

/// Replaces a pair by a new one. `application` is who asks; `None` only where
/// the family has none.
pub fn refresh(
    tx: &mut Tx<'_>,
    application: Option<&Application>,
    asked: &Refresh,
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
    let won = tx.execute(
        sql!("update oauth_tokens set rotated_at = $2 where id = $1 and rotated_at is null"),
        (pair.id, now),
    )?;
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
    kernel::jobs::enqueue_at(
        tx,
        &super::jobs::TellReuse {
            family: pair.family,
        },
        tx.now(),
    )?;
    Ok(())
}

/// Writes down what happened to a family.
pub(super) fn note(tx: &mut Tx<'_>, pair: &Pair, action: &'static str) -> Result<()> {
    kernel::audit::write(
        tx,
        kernel::audit::Record {
            author_id: None,
            action,
            target_type: "User",
            target_id: pair.user_id,
            target_name: pair.application_uid.as_deref().unwrap_or(""),
            details: serde_json::json!({"family": pair.family, "scopes": pair.scopes}),
            ip_address: None,
        },
    )?;
    Ok(())
}

/// Ends a family.
pub fn revoke(tx: &mut Tx<'_>, family: i64) -> kernel::error::Result<u64> {
    let now = tx.now();
    Ok(tx.execute(
        sql!("update oauth_families set revoked_at = $2 where id = $1 and revoked_at is null"),
        (family, now),
    )?)
}

/// Ends every family of a user, and the codes not yet used.
pub fn revoke_all_of(tx: &mut Tx<'_>, user: UserId) -> kernel::error::Result<()> {
    let now = tx.now();
    tx.execute(
        sql!("update oauth_families set revoked_at = $2 where user_id = $1 and revoked_at is null"),
        (user, now),
    )?;
    tx.execute(
        sql!("update oauth_codes set revoked = true where user_id = $1 and revoked = false"),
        (user,),
    )?;
    Ok(())
}

/// Ends what one user allowed one application; `None` is what they allowed
/// clients without a name. Tells how many families ended.
pub fn revoke_application(
    tx: &mut Tx<'_>,
    user: UserId,
    application: Option<i64>,
) -> kernel::error::Result<u64> {
    let now = tx.now();
    let Some(application) = application else {
        return Ok(tx.execute(
            sql!(
                "update oauth_families set revoked_at = $2
                 where user_id = $1 and application_id is null and revoked_at is null"
            ),
            (user, now),
        )?);
    };
    tx.execute(
        sql!(
            "update oauth_codes set revoked = true
             where user_id = $1 and application_id = $2 and revoked = false"
        ),
        (user, application),
    )?;
    Ok(tx.execute(
        sql!(
            "update oauth_families set revoked_at = $3
             where user_id = $1 and application_id = $2 and revoked_at is null"
        ),
        (user, application, now),
    )?)
}

/// Notes a use of a family.
pub fn touch(tx: &mut Tx<'_>, family: i64, user: UserId, ip: &str) -> kernel::error::Result<()> {
    let now = tx.now();
    tx.execute(
        sql!("update oauth_families set last_used_at = $2, last_used_ip = $3 where id = $1"),
        (family, now, ip),
    )?;
    crate::users::note_activity(tx, user)
}

/// Whether the user already allowed the application exactly these scopes.
pub fn has_consent(
    tx: &mut Tx<'_>,
    user: UserId,
    application: i64,
    wanted: &[String],
) -> kernel::error::Result<bool> {
    let known: Vec<String> = tx.all(
        sql!(
            "select distinct scopes from oauth_families
             where user_id = $1 and application_id = $2 and revoked_at is null limit 100"
        ),
        (user, application),
    )?;
    Ok(known
        .iter()
        .any(|scopes| scopes::same(&scopes::split(scopes), wanted)))
}

/// An application that a user allowed to act for them.
#[derive(Debug, Clone)]
pub struct Authorized {
    /// The application; `None` for programs that used the password alone.
    pub application_id: Option<i64>,
    /// Its name.
    pub name: Option<String>,
    /// When it was first allowed, of what lives.
    pub created_at: Timestamp,
    /// Last use, exact to ten minutes.
    pub last_used_at: Option<Timestamp>,
    /// Scopes of its families, space-separated, with repetitions.
    pub scopes: String,
}

/// The applications that act for a user, the last allowed first.
pub fn authorized(tx: &mut Tx<'_>, user: UserId) -> kernel::error::Result<Vec<Authorized>> {
    let rows: Vec<(
        Option<i64>,
        Option<String>,
        Timestamp,
        Option<Timestamp>,
        String,
    )> = tx.all(
        sql!(
            "select f.application_id, a.name, f.created_at, f.last_used_at, f.scopes
             from oauth_families f left join applications a on a.id = f.application_id
             where f.user_id = $1 and f.revoked_at is null order by f.id desc limit 1000"
        ),
        (user,),
    )?;
    let mut found: Vec<Authorized> = Vec::new();
    for (application_id, name, created_at, last_used_at, scopes) in rows {
        match found
            .iter_mut()
            .find(|one| one.application_id == application_id)
        {
            Some(one) => {
                one.created_at = one.created_at.min(created_at);
                one.last_used_at = one.last_used_at.max(last_used_at);
                one.scopes = format!("{} {scopes}", one.scopes);
            }
            None => found.push(Authorized {
                application_id,
                name,
                created_at,
                last_used_at,
                scopes,
            }),
        }
    }
    Ok(found)
}

/// Deletes what can never work again, in portions of `limit` rows.
pub fn sweep(tx: &mut Tx<'_>, limit: i64) -> kernel::error::Result<u64> {
    let now = tx.now();
    let old = now - SignedDuration::from_hours(24 * 30);
    let families = tx.execute(
        sql!(
            "delete from oauth_families where id in (
                select id from oauth_families where revoked_at < $1 limit $2)"
        ),
        (old, limit),
    )?;
    // Rotated refresh tokens are remembered for a month, to notice a copy.
    let pairs = tx.execute(
        sql!(
            "delete from oauth_tokens where id in (
                select id from oauth_tokens
                where rotated_at < $1 or (expires_at < $1 and refresh_expires_at < $2) limit $3)"
        ),
        (old, now, limit),
    )?;
    let empty = tx.execute(
        sql!(
            "delete from oauth_families where id in (
                select f.id from oauth_families f where f.created_at < $1 and not exists (
                    select 1 from oauth_tokens t where t.family_id = f.id) limit $2)"
        ),
        (old, limit),
    )?;
    Ok(families + pairs + empty)
}
