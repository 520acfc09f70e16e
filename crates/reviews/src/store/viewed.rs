//! `merge_request_viewed_files`.

use ::store::{Tx, sql};
use kernel::error::Result;
use std::collections::HashMap;

/// Most files of one merge request that somebody has marked.
pub const MOST: i64 = 3_000;

/// Which change of each file somebody has looked at, by the digest of its path.
pub fn of_user(tx: &mut Tx<'_>, request_id: i64, user_id: i64) -> Result<HashMap<String, String>> {
    Ok(tx.pairs(
        sql!(
            "select path_digest, change_digest from merge_request_viewed_files
             where merge_request_id = $1 and user_id = $2 limit $3"
        ),
        (request_id, user_id, MOST),
    )?)
}

/// Notes that somebody has looked at a change of a file. Where there are too many, what was
/// marked first is forgotten.
pub fn mark(
    tx: &mut Tx<'_>, (request_id, user_id): (i64, i64), (path, change): (&str, &str),
) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into merge_request_viewed_files (merge_request_id, user_id, path_digest,
                change_digest, created_at)
             values ($1, $2, $3, $4, $5)
             on conflict (merge_request_id, user_id, path_digest)
             do update set change_digest = $4, created_at = $5"
        ),
        (request_id, user_id, path, change, now),
    )?;
    tx.execute(
        sql!(
            "delete from merge_request_viewed_files where merge_request_id = $1 and user_id = $2
                and path_digest in (select path_digest from merge_request_viewed_files
                    where merge_request_id = $1 and user_id = $2
                    order by created_at desc, path_digest limit $4 offset $3)"
        ),
        (request_id, user_id, MOST, MOST),
    )?;
    Ok(())
}

/// Forgets that.
pub fn unmark(tx: &mut Tx<'_>, (request_id, user_id): (i64, i64), path: &str) -> Result<()> {
    tx.execute(
        sql!(
            "delete from merge_request_viewed_files
             where merge_request_id = $1 and user_id = $2 and path_digest = $3"
        ),
        (request_id, user_id, path),
    )?;
    Ok(())
}
