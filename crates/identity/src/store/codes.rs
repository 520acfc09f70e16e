//! `oauth_codes`, by their digests.

use crate::model::UserId;
use kernel::error::Result;
use kernel::time::Timestamp;
use store::{FromRow, Tx, sql};

pub fn by_digest(tx: &mut Tx<'_>, digest: Vec<u8>) -> Result<Option<Code>> {
    Ok(tx.optional(
        sql!("select * from oauth_codes where digest = $1"),
        (digest,),
    )?)
}

/// Uses a code up; none when it was used.
pub fn use_up(tx: &mut Tx<'_>, id: i64, now: Timestamp) -> Result<u64> {
    Ok(tx.execute(
        sql!("update oauth_codes set used_at = $2 where id = $1 and used_at is null"),
        (id, now),
    )?)
}

pub fn set_family(tx: &mut Tx<'_>, id: i64, family: i64) -> Result<()> {
    tx.execute(
        sql!("update oauth_codes set family_id = $2 where id = $1"),
        (id, family),
    )?;
    Ok(())
}

pub fn delete_before(tx: &mut Tx<'_>, old: Timestamp) -> Result<u64> {
    Ok(tx.execute(
        sql!("delete from oauth_codes where expires_at < $1"),
        (old,),
    )?)
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

pub fn insert(
    tx: &mut Tx<'_>,
    new: &NewCode,
    digest: Vec<u8>,
    expires_at: Timestamp,
) -> Result<()> {
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
            digest,
            new.redirect_uri.as_str(),
            new.scopes.join(" "),
            new.challenge.as_deref(),
            new.nonce.as_deref(),
            new.authenticated_at,
            new.ip_address.as_str(),
            new.user_agent.as_str(),
            expires_at,
            now,
        ),
    )?;
    Ok(())
}

#[derive(Debug, Clone)]
pub struct NewCode {
    pub application_id: i64,
    pub user_id: UserId,
    pub redirect_uri: String,
    pub scopes: Vec<String>,
    pub challenge: Option<String>,
    pub nonce: Option<String>,
    /// When the user last proved to be themselves.
    pub authenticated_at: Timestamp,
    /// Where the user allowed it from.
    pub ip_address: String,
    pub user_agent: String,
}
