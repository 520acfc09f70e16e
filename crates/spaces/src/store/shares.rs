//! Shares of groups and projects with groups.

use crate::model::SourceKind;
use kernel::error::Result;
use kernel::time::Date;
use store::{Tx, sql};

type Source = (SourceKind, i64);

/// Adds a share, unless there is one with this group; its id.
pub fn insert(
    tx: &mut Tx<'_>, source: Source, group_id: i64, level: i64, expires_at: Option<Date>,
) -> Result<Option<i64>> {
    let now = tx.now();
    Ok(tx.optional(
        sql!(
            "insert into shares (source_type, source_id, group_id, access_level, expires_at,
                created_at) values ($1, $2, $3, $4, $5, $6)
             on conflict (source_type, source_id, group_id) do nothing
             returning id"
        ),
        (source.0, source.1, group_id, level, expires_at, now),
    )?)
}

pub fn is_locked(tx: &mut Tx<'_>, groups: &[i64]) -> Result<bool> {
    let locked: Option<i64> = tx.optional(
        sql!("select id from namespaces where id in_list($1) and share_with_group_lock limit 1"),
        (groups,),
    )?;
    Ok(locked.is_some())
}

pub fn delete(tx: &mut Tx<'_>, source: Source, group_id: i64) -> Result<bool> {
    let gone = tx.execute(
        sql!("delete from shares where source_type = $1 and source_id = $2 and group_id = $3"),
        (source.0, source.1, group_id),
    )?;
    Ok(gone > 0)
}
