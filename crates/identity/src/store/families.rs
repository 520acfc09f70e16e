//! `oauth_families` and `oauth_tokens`, their pairs.

use crate::model::UserId;
use crate::oauth::{digest, scopes};
use jiff::SignedDuration;
use kernel::error::Result;
use kernel::time::Timestamp;
use store::{FromRow, IntoRow, Tx, sql};

kernel::choices! {
    pub enum GrantType {
        AuthorizationCode = "authorization_code",
        Password = "password",
        /// By a code typed in elsewhere.
        DeviceCode = "device_code",
    }
}

#[derive(Debug, Clone, FromRow)]
#[columns("f")]
pub struct Pair {
    #[column("t.id")]
    pub id: i64,
    #[column("t.family_id")]
    pub family: i64,
    /// Space-separated.
    #[column("t.scopes")]
    pub scopes: String,
    /// The access token ends then.
    #[column("t.expires_at")]
    pub expires_at: Timestamp,
    /// The refresh token ends then; `None` is never.
    #[column("t.refresh_expires_at")]
    pub refresh_expires_at: Option<Timestamp>,
    /// Replaced by a newer pair then.
    #[column("t.rotated_at")]
    pub rotated_at: Option<Timestamp>,
    #[column("t.created_at")]
    pub created_at: Timestamp,
    /// The application, if one was named.
    pub application_id: Option<i64>,
    pub user_id: UserId,
    /// Where the code was sent.
    pub redirect_uri: Option<String>,
    pub nonce: Option<String>,
    pub authenticated_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    /// Last noted use of the family.
    pub last_used_at: Option<Timestamp>,
    /// Its `client_id`.
    #[column("a.uid")]
    pub application_uid: Option<String>,
}

#[derive(Debug, Clone, IntoRow)]
#[table("oauth_families")]
pub struct NewFamily {
    /// The application; `None` for the password grant without one.
    pub application_id: Option<i64>,
    pub user_id: UserId,
    pub grant_type: GrantType,
    /// Space-separated.
    pub scopes: String,
    /// Where the code was sent.
    pub redirect_uri: Option<String>,
    pub nonce: Option<String>,
    /// When the user last proved to be themselves.
    pub authenticated_at: Option<Timestamp>,
    /// Where the user allowed it from.
    pub ip_address: Option<String>,
    pub user_agent: Option<String>,
    pub created_at: Timestamp,
}

const PAIR: &str = store::concat!(
    "select ",
    Pair::COLUMNS,
    " from oauth_tokens t join oauth_families f on f.id = t.family_id
        left join applications a on a.id = f.application_id
     where "
);

pub fn by_access(tx: &mut Tx<'_>, text: &str) -> Result<Option<Pair>> {
    Ok(tx.optional(sql!(PAIR, "t.access_digest = $1"), (digest(text),))?)
}

pub fn by_refresh(tx: &mut Tx<'_>, text: &str) -> Result<Option<Pair>> {
    Ok(tx.optional(sql!(PAIR, "t.refresh_digest = $1"), (digest(text),))?)
}

pub fn revoke(tx: &mut Tx<'_>, family: i64) -> Result<u64> {
    let now = tx.now();
    Ok(tx.execute(
        sql!("update oauth_families set revoked_at = $2 where id = $1 and revoked_at is null"),
        (family, now),
    )?)
}

/// Ends every family of a user, and the codes not yet used.
pub fn revoke_all_of(tx: &mut Tx<'_>, user: UserId) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!("update oauth_families set revoked_at = $2 where user_id = $1 and revoked_at is null"),
        (user, now),
    )?;
    tx.run(
        sql!("update oauth_codes set revoked = true where user_id = $1 and revoked = false"),
        (user,),
    )
}

/// Ends what one user allowed one application; `None` is what they allowed
/// clients without a name. Tells how many families ended.
pub fn revoke_application(tx: &mut Tx<'_>, user: UserId, application: Option<i64>) -> Result<u64> {
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

/// Deletes what can never work again, in portions of `limit` rows.
pub fn sweep(tx: &mut Tx<'_>, limit: i64) -> Result<u64> {
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

    pub fn scopes(&self) -> Vec<String> {
        scopes::split(&self.scopes)
    }
}

/// Notes that a pair was replaced; none when it was already.
pub fn rotate_pair(tx: &mut Tx<'_>, id: i64, now: Timestamp) -> Result<u64> {
    Ok(tx.execute(
        sql!("update oauth_tokens set rotated_at = $2 where id = $1 and rotated_at is null"),
        (id, now),
    )?)
}

pub fn note_use(tx: &mut Tx<'_>, family: i64, now: Timestamp, ip: &str) -> Result<()> {
    tx.run(
        sql!("update oauth_families set last_used_at = $2, last_used_ip = $3 where id = $1"),
        (family, now, ip),
    )
}

/// What a user allowed an application, once for each set of scopes.
pub fn scopes_given(tx: &mut Tx<'_>, user: UserId, application: i64) -> Result<Vec<String>> {
    Ok(tx.all(
        sql!(
            "select distinct scopes from oauth_families
             where user_id = $1 and application_id = $2 and revoked_at is null limit 100"
        ),
        (user, application),
    )?)
}

/// Stores a family; its id.
pub fn insert(tx: &mut Tx<'_>, new: &NewFamily) -> Result<i64> {
    Ok(tx.one(sql!(NewFamily::INSERT, " returning id"), new.values())?)
}

/// Two tokens by their digests.
#[derive(IntoRow)]
#[table("oauth_tokens")]
pub struct NewPair {
    pub family_id: i64,
    pub access_digest: Vec<u8>,
    pub refresh_digest: Vec<u8>,
    /// Space-separated.
    pub scopes: String,
    pub expires_at: Timestamp,
    pub refresh_expires_at: Option<Timestamp>,
    pub created_at: Timestamp,
}

pub fn insert_pair(tx: &mut Tx<'_>, new: &NewPair) -> Result<()> {
    tx.run(sql!(NewPair::INSERT), new.values())
}

/// An application that a user allowed to act for them.
#[derive(Debug, Clone, FromRow)]
#[columns("f")]
pub struct Authorized {
    /// The application; `None` for programs that used the password alone.
    pub application_id: Option<i64>,
    #[column("a.name")]
    pub name: Option<String>,
    /// When it was first allowed, of what lives.
    pub created_at: Timestamp,
    /// Last use, exact to ten minutes.
    pub last_used_at: Option<Timestamp>,
    /// Scopes of its families, space-separated, with repetitions.
    pub scopes: String,
}

impl Authorized {
    pub fn scopes(&self) -> Vec<String> {
        scopes::split(&self.scopes)
    }
}

/// Each living family of a user, the newest first.
pub fn living(tx: &mut Tx<'_>, user: UserId) -> Result<Vec<Authorized>> {
    Ok(tx.all(
        sql!(
            "select ",
            Authorized::COLUMNS,
            " from oauth_families f left join applications a on a.id = f.application_id
             where f.user_id = $1 and f.revoked_at is null order by f.id desc limit 1000"
        ),
        (user,),
    )?)
}

/// The address of a family's user and the application's name.
pub fn owner(tx: &mut Tx<'_>, family: i64) -> Result<Option<(String, Option<String>)>> {
    Ok(tx.optional(
        sql!(
            "select u.email, a.name from oauth_families f
                join users u on u.id = f.user_id
                left join applications a on a.id = f.application_id
             where f.id = $1"
        ),
        (family,),
    )?)
}
