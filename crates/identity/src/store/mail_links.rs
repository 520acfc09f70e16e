//! `mail_links`: one-time links by their digests.

use crate::mail_links::purpose::Purpose;
use crate::model::UserId;
use kernel::error::Result;
use kernel::time::Timestamp;
use store::{FromRow, IntoRow, Tx, sql};

#[derive(Debug, Clone, FromRow)]
pub struct Link {
    pub id: i64,
    pub user_id: UserId,
    /// The further address to confirm; `None` is the primary one.
    pub email_id: Option<i64>,
}

/// Ends a user's links of one purpose.
pub fn forget(tx: &mut Tx<'_>, user: UserId, purpose: Purpose) -> Result<()> {
    tx.run(
        sql!("delete from mail_links where user_id = $1 and purpose = $2"),
        (user, purpose),
    )
}

/// Ends a user's link of one purpose for one address.
pub fn forget_of(
    tx: &mut Tx<'_>, user: UserId, purpose: Purpose, email_id: Option<i64>,
) -> Result<()> {
    tx.run(
        sql!(
            "delete from mail_links where user_id = $1 and purpose = $2
                and coalesce(email_id, 0) = $3"
        ),
        (user, purpose, email_id.unwrap_or(0)),
    )
}

#[derive(IntoRow)]
#[table("mail_links")]
pub struct NewLink {
    pub digest: Vec<u8>,
    pub user_id: UserId,
    pub purpose: Purpose,
    pub email_id: Option<i64>,
    pub expires_at: Timestamp,
    pub created_at: Timestamp,
}

pub fn insert(tx: &mut Tx<'_>, new: &NewLink) -> Result<()> {
    tx.run(sql!(NewLink::INSERT), new.values())
}

pub fn living(tx: &mut Tx<'_>, digest: Vec<u8>, purpose: Purpose) -> Result<Option<Link>> {
    let now = tx.now();
    Ok(tx.optional(
        sql!(
            "select id, user_id, email_id from mail_links
             where digest = $1 and purpose = $2 and expires_at > $3"
        ),
        (digest, purpose, now),
    )?)
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<u64> {
    Ok(tx.execute(sql!("delete from mail_links where id = $1"), (id,))?)
}
