//! `user_avatars`: users' pictures.

use crate::model::{User, UserId};
use kernel::error::Result;
use kernel::time::Timestamp;
use store::{Tx, sql};

/// Stores a picture in place of the one before.
pub fn set(tx: &mut Tx<'_>, user: UserId, media_type: &str, bytes: &[u8]) -> Result<u64> {
    Ok(tx.execute(
        sql!(
            "insert into user_avatars (user_id, media_type, bytes) values ($1, $2, $3)
                 on conflict (user_id) do update
                 set media_type = excluded.media_type, bytes = excluded.bytes"
        ),
        (user, media_type, bytes),
    )?)
}

pub fn delete(tx: &mut Tx<'_>, user: UserId) -> Result<u64> {
    Ok(tx.execute(sql!("delete from user_avatars where user_id = $1"), (user,))?)
}

pub fn set_key(tx: &mut Tx<'_>, user: UserId, key: Option<&str>, now: Timestamp) -> Result<User> {
    Ok(tx.one(
        sql!("update users set avatar_key = $2, updated_at = $3 where id = $1 returning *"),
        (user, key, now),
    )?)
}

/// Media type and bytes of the picture at an address.
pub fn avatar(tx: &mut Tx<'_>, user: UserId, key: &str) -> Result<Option<(String, Vec<u8>)>> {
    Ok(tx.optional(
        sql!(
            "select a.media_type, a.bytes from user_avatars a join users u on u.id = a.user_id
             where a.user_id = $1 and u.avatar_key = $2"
        ),
        (user, key),
    )?)
}
