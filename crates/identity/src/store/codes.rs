//! `oauth_codes`, by their digests.

use crate::model::UserId;
use kernel::error::Result;
use kernel::time::Timestamp;
use store::{FromRow, IntoRow, Tx, sql};

pub fn by_digest(tx: &mut Tx<'_>, digest: Vec<u8>) -> Result<Option<Code>> {
    Ok(tx.optional(sql!("select * from oauth_codes where digest = $1"), (digest,))?)
}

/// Uses a code up; none when it was used.
pub fn use_up(tx: &mut Tx<'_>, id: i64, now: Timestamp) -> Result<u64> {
    Ok(tx.execute(
        sql!("update oauth_codes set used_at = $2 where id = $1 and used_at is null"),
        (id, now),
    )?)
}

pub fn set_family(tx: &mut Tx<'_>, id: i64, family: i64) -> Result<()> {
    tx.run(sql!("update oauth_codes set family_id = $2 where id = $1"), (id, family))
}

pub fn delete_before(tx: &mut Tx<'_>, old: Timestamp) -> Result<u64> {
    Ok(tx.execute(sql!("delete from oauth_codes where expires_at < $1"), (old,))?)
}

#[derive(FromRow)]
pub struct Code {
    pub id: i64,
    pub application_id: i64,
    pub user_id: UserId,
    pub redirect_uri: String,
    pub scopes: String,
    pub challenge: Option<String>,
    pub nonce: Option<String>,
    pub authenticated_at: Timestamp,
    pub ip_address: Option<String>,
    pub user_agent: Option<String>,
    pub expires_at: Timestamp,
    pub used_at: Option<Timestamp>,
    pub revoked: bool,
    pub family_id: Option<i64>,
}

#[derive(Clone, Default, IntoRow)]
#[table("oauth_codes")]
pub struct NewCode {
    pub application_id: i64,
    pub user_id: UserId,
    pub digest: Vec<u8>,
    pub redirect_uri: String,
    /// Space-separated.
    pub scopes: String,
    pub challenge: Option<String>,
    pub nonce: Option<String>,
    /// When the user last proved to be themselves.
    pub authenticated_at: Timestamp,
    /// Where the user allowed it from.
    pub ip_address: String,
    pub user_agent: String,
    pub expires_at: Timestamp,
    pub created_at: Timestamp,
}

pub fn insert(tx: &mut Tx<'_>, new: &NewCode) -> Result<()> {
    tx.run(sql!(NewCode::INSERT), new.values())
}
