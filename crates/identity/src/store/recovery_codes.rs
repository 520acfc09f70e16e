//! `recovery_codes`, by their digests.

use crate::model::UserId;
use kernel::error::Result;
use store::{Tx, sql};

/// How many still work.
pub fn left(tx: &mut Tx<'_>, user: UserId) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from recovery_codes where user_id = $1 and used_at is null"),
        (user,),
    )?)
}

/// Whether the user was given codes, used or not.
pub fn has_any(tx: &mut Tx<'_>, user: UserId) -> Result<bool> {
    let found: Option<i64> =
        tx.optional(sql!("select id from recovery_codes where user_id = $1 limit 1"), (user,))?;
    Ok(found.is_some())
}

pub fn remove(tx: &mut Tx<'_>, user: UserId) -> Result<()> {
    tx.run(sql!("delete from recovery_codes where user_id = $1"), (user,))
}

pub fn insert(tx: &mut Tx<'_>, user: UserId, digest: Vec<u8>) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!("insert into recovery_codes (user_id, digest, created_at) values ($1, $2, $3)"),
        (user, digest, now),
    )
}

/// Uses a code up; false when it is unknown or used.
pub fn use_up(tx: &mut Tx<'_>, user: UserId, digest: Vec<u8>) -> Result<bool> {
    let now = tx.now();
    let used = tx.execute(
        sql!(
            "update recovery_codes set used_at = $3
             where user_id = $1 and digest = $2 and used_at is null"
        ),
        (user, digest, now),
    )?;
    Ok(used > 0)
}
