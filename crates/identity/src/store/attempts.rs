//! `attempts`: how often something was tried.

use kernel::error::Result;
use kernel::time::Timestamp;
use store::{Tx, sql};

/// Counts one attempt; how many since when. A window from before `began` is over.
pub fn count(
    tx: &mut Tx<'_>, key: &str, now: Timestamp, began: Timestamp,
) -> Result<(i64, Timestamp)> {
    Ok(tx.one(
        sql!(
            "insert into attempts (key, count, window_started_at) values ($1, 1, $2)
             on conflict (key) do update set
                count = case when attempts.window_started_at <= $3 then 1
                    else attempts.count + 1 end,
                window_started_at = case when attempts.window_started_at <= $3
                    then excluded.window_started_at else attempts.window_started_at end
             returning count, window_started_at"
        ),
        (key, now, began),
    )?)
}

/// When a window began that has so many attempts.
pub fn window_of(
    tx: &mut Tx<'_>, key: &str, limit: i64, began: Timestamp,
) -> Result<Option<Timestamp>> {
    Ok(tx.optional(
        sql!(
            "select window_started_at from attempts
             where key = $1 and count >= $2 and window_started_at > $3"
        ),
        (key, limit, began),
    )?)
}

pub fn delete_before(tx: &mut Tx<'_>, began: Timestamp) -> Result<u64> {
    Ok(tx.execute(sql!("delete from attempts where window_started_at < $1"), (began,))?)
}
