//! `totp`: sealed secrets of apps.

use crate::model::UserId;
use kernel::error::Result;
use kernel::time::Timestamp;
use store::{Tx, sql};

/// Since when the user's app gives codes.
pub fn since(tx: &mut Tx<'_>, user: UserId) -> Result<Option<Timestamp>> {
    Ok(tx.optional(sql!("select confirmed_at from totp where user_id = $1"), (user,))?)
}

/// Forgets the user's secret; false when there was none.
pub fn remove(tx: &mut Tx<'_>, user: UserId) -> Result<bool> {
    Ok(tx.execute(sql!("delete from totp where user_id = $1"), (user,))? > 0)
}

/// Stores a secret in place of the one before.
pub fn set(tx: &mut Tx<'_>, user: UserId, sealed: &str, step: i64) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "insert into totp (user_id, sealed, last_step, confirmed_at) values ($1, $2, $3, $4)
             on conflict (user_id) do update set sealed = excluded.sealed,
                last_step = excluded.last_step, confirmed_at = excluded.confirmed_at"
        ),
        (user, sealed, step, now),
    )
}

pub fn sealed(tx: &mut Tx<'_>, user: UserId) -> Result<Option<String>> {
    Ok(tx.optional(sql!("select sealed from totp where user_id = $1"), (user,))?)
}

/// Notes the step of a code; false when it or a later one was taken.
pub fn take_step(tx: &mut Tx<'_>, user: UserId, step: i64) -> Result<bool> {
    let taken = tx.execute(
        sql!("update totp set last_step = $2 where user_id = $1 and last_step < $2"),
        (user, step),
    )?;
    Ok(taken > 0)
}
