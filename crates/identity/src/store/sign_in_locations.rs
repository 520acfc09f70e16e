//! `sign_in_places`: where users have signed in from.

use crate::model::UserId;
use kernel::error::Result;
use kernel::time::Timestamp;
use store::{Tx, sql};

/// Notes another sign-in from a place; none when it is not known.
pub fn touch(tx: &mut Tx<'_>, user: UserId, digest: Vec<u8>, now: Timestamp) -> Result<u64> {
    Ok(tx.execute(
        sql!("update sign_in_places set last_used_at = $3 where user_id = $1 and digest = $2"),
        (user, digest, now),
    )?)
}

/// Stores a place; none when it was known.
pub fn insert(tx: &mut Tx<'_>, user: UserId, digest: Vec<u8>, now: Timestamp) -> Result<u64> {
    Ok(tx.execute(
        sql!(
            "insert into sign_in_places (user_id, digest, last_used_at, created_at)
             values ($1, $2, $3, $3) on conflict (user_id, digest) do nothing"
        ),
        (user, digest, now),
    )?)
}

/// Deletes all places of a user but those used last.
pub fn keep_newest(tx: &mut Tx<'_>, user: UserId, most: i64) -> Result<u64> {
    Ok(tx.execute(
        sql!(
            "delete from sign_in_places where user_id = $1 and id not in (
                select id from sign_in_places where user_id = $1
                order by last_used_at desc, id desc limit $2)"
        ),
        (user, most),
    )?)
}

/// Deletes places that were not used since.
pub fn delete_before(tx: &mut Tx<'_>, before: Timestamp) -> Result<u64> {
    Ok(tx.execute(sql!("delete from sign_in_places where last_used_at < $1"), (before,))?)
}
