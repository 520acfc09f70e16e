//! Mails that were acted on.

use kernel::error::Result;
use kernel::time::Timestamp;
use store::{Tx, sql};

/// Takes a mail, so that no other copy of it acts; false where one did.
pub fn take(tx: &mut Tx<'_>, digest: &[u8], user_id: i64) -> Result<bool> {
    let now = tx.now();
    let taken = tx.execute(
        sql!(
            "insert into incoming_mails (digest, user_id, created_at) values ($1, $2, $3)
             on conflict (digest) do nothing"
        ),
        (digest, user_id, now),
    )?;
    Ok(taken > 0)
}

pub fn is_taken(tx: &mut Tx<'_>, digest: &[u8]) -> Result<bool> {
    let found: Option<i64> =
        tx.optional(sql!("select user_id from incoming_mails where digest = $1"), (digest,))?;
    Ok(found.is_some())
}

/// How many mails of a user were acted on after this time.
pub fn count_after(tx: &mut Tx<'_>, user_id: i64, after: Timestamp) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from incoming_mails where user_id = $1 and created_at > $2"),
        (user_id, after),
    )?)
}

/// Forgets those of before this time, so many at once; how many.
pub fn forget(tx: &mut Tx<'_>, before: Timestamp, most: i64) -> Result<u64> {
    Ok(tx.execute(
        sql!(
            "delete from incoming_mails where digest in
                (select digest from incoming_mails where created_at < $1
                 order by created_at limit $2)"
        ),
        (before, most),
    )?)
}
