//! `sessions`: who is signed in, by digests of cookies.

use crate::model::UserId;
use kernel::error::Result;
use kernel::time::Timestamp;
use store::{FromRow, IntoRow, Tx, sql};

#[derive(Debug, Clone, FromRow)]
#[columns("sessions")]
pub struct Session {
    pub id: i64,
    pub user_id: UserId,
    /// Where it was last used from.
    pub ip_address: Option<String>,
    pub user_agent: Option<String>,
    pub remembered: bool,
    /// Last use, exact to ten minutes.
    pub last_used_at: Timestamp,
    /// Ends then unless used before.
    pub expires_at: Timestamp,
    pub created_at: Timestamp,
    /// Last proved then that it is still the same person; sign-in counts.
    #[column("coalesce(proved_at, created_at)")]
    pub proved_at: Timestamp,
    /// Has an administrator's rights until then, where these are asked for.
    pub admin_until: Option<Timestamp>,
}

const SESSION: &str = store::concat!("select ", Session::COLUMNS, " from sessions where ");

/// When a living session's user signed in.
pub fn began(tx: &mut Tx<'_>, id: i64) -> Result<Option<Timestamp>> {
    Ok(tx.optional(sql!("select created_at from sessions where id = $1"), (id,))?)
}

pub fn prove(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.run(sql!("update sessions set proved_at = $2 where id = $1"), (id, now))
}

/// Gives the session an administrator's rights until then, or none.
pub fn set_admin_until(tx: &mut Tx<'_>, id: i64, until: Option<Timestamp>) -> Result<()> {
    tx.run(sql!("update sessions set admin_until = $2 where id = $1"), (id, until))
}

/// A user's living sessions, the last used first.
pub fn list(tx: &mut Tx<'_>, user: UserId) -> Result<Vec<Session>> {
    let now = tx.now();
    Ok(tx.all(
        sql!(
            SESSION,
            "user_id = $1 and expires_at > $2 order by last_used_at desc, id desc limit 100"
        ),
        (user, now),
    )?)
}

/// Ends one of a user's sessions; false when there is none.
pub fn revoke(tx: &mut Tx<'_>, user: UserId, id: i64) -> Result<bool> {
    let ended =
        tx.execute(sql!("delete from sessions where id = $1 and user_id = $2"), (id, user))?;
    Ok(ended > 0)
}

/// Ends all of a user's sessions but one.
pub fn revoke_others(tx: &mut Tx<'_>, user: UserId, kept: Option<i64>) -> Result<u64> {
    Ok(tx.execute(
        sql!("delete from sessions where user_id = $1 and id <> $2"),
        (user, kept.unwrap_or(0)),
    )?)
}

/// A session that begins.
#[derive(IntoRow)]
#[table("sessions")]
pub struct NewSession<'s> {
    pub digest: Vec<u8>,
    pub user_id: UserId,
    pub ip_address: &'s str,
    pub user_agent: String,
    pub remembered: bool,
    pub last_used_at: Timestamp,
    pub expires_at: Timestamp,
    pub created_at: Timestamp,
}

pub fn insert(tx: &mut Tx<'_>, new: &NewSession<'_>) -> Result<()> {
    tx.run(sql!(NewSession::INSERT), new.values())
}

pub fn living(tx: &mut Tx<'_>, digest: Vec<u8>) -> Result<Option<Session>> {
    let now = tx.now();
    Ok(tx.optional(sql!(SESSION, "digest = $1 and expires_at > $2"), (digest, now))?)
}

pub fn touch(tx: &mut Tx<'_>, id: i64, expires_at: Timestamp, ip: &str) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "update sessions set last_used_at = $2, expires_at = $3, ip_address = $4 where id = $1"
        ),
        (id, now, expires_at, ip),
    )
}
