//! Maintenance windows.

use crate::alerts::model::{NewWindow, Window};
use crate::rows::rows_below;
use kernel::error::Result;
use store::{Tx, sql};

rows_below!(Window, "alert_windows", "project_id", order "ends_at desc, id desc");

/// Those that are open now.
pub fn open(tx: &mut Tx<'_>, project_id: i64) -> Result<Vec<Window>> {
    let now = tx.now();
    Ok(tx.all(
        sql!(
            "select * from alert_windows
             where project_id = $1 and ends_at > $2 and starts_at <= $2 order by id"
        ),
        (project_id, now),
    )?)
}

pub fn insert(
    tx: &mut Tx<'_>, project_id: i64, author_id: Option<i64>, new: &NewWindow,
) -> Result<Window> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "insert into alert_windows (project_id, integration_id, name, starts_at, ends_at,
                created_by_id, created_at)
             values ($1, $2, $3, $4, $5, $6, $7) returning *"
        ),
        (
            project_id,
            new.integration_id,
            new.name.trim(),
            new.starts_at.unwrap_or(now),
            new.ends_at,
            author_id,
            now,
        ),
    )?)
}

/// Removes one; what it was.
pub fn remove(tx: &mut Tx<'_>, project_id: i64, id: i64) -> Result<Option<Window>> {
    Ok(tx.optional(
        sql!("delete from alert_windows where project_id = $1 and id = $2 returning *"),
        (project_id, id),
    )?)
}
