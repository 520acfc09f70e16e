//! Removing what is old, and what deleted projects had, some rows at a time.

use super::counts::Changes;
use crate::errors::model::Status;
use jiff::Timestamp;
use kernel::error::Result;
use store::{Tx, sql};

/// Rows one transaction removes.
const BATCH: i64 = 500;

/// Removes some of the rows from before then; how many.
pub fn remove_events(tx: &mut Tx<'_>, before: Timestamp) -> Result<u64> {
    Ok(tx.execute(
        sql!(
            "delete from error_tracking_events where id in
                (select id from error_tracking_events where received_at < $1
                 order by received_at, id limit $2)"
        ),
        (before, BATCH),
    )?)
}

pub fn remove_hours(tx: &mut Tx<'_>, before: Timestamp) -> Result<u64> {
    Ok(tx.execute(
        sql!(
            "delete from error_tracking_hours where (error_id, began_at) in
                (select error_id, began_at from error_tracking_hours where began_at < $1
                 order by began_at limit $2)"
        ),
        (before, BATCH),
    )?)
}

pub fn remove_errors(tx: &mut Tx<'_>, before: Timestamp) -> Result<u64> {
    let removed: Vec<(i64, Status)> = tx.all(
        sql!(
            "delete from error_tracking_errors where id in
                (select e.id from error_tracking_errors e
                 where e.last_seen_at < $1 and e.status <> 'ignored' and not exists
                    (select 1 from error_tracking_events where error_id = e.id)
                 order by e.last_seen_at, e.id limit $2)
             returning project_id, status"
        ),
        (before, BATCH),
    )?;
    let mut changes = Changes::default();
    for (project_id, status) in &removed {
        changes.add(*project_id, *status, -1);
    }
    changes.write(tx)?;
    Ok(removed.len() as u64)
}

pub fn count_of_project(tx: &mut Tx<'_>, project_id: i64) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from error_tracking_events where project_id = $1"),
        (project_id,),
    )?)
}

pub fn remove_of_project(tx: &mut Tx<'_>, project_id: i64, most: i64) -> Result<i64> {
    let removed = tx.execute(
        sql!(
            "delete from error_tracking_events where id in
                (select id from error_tracking_events where project_id = $1
                 order by event_id limit $2)"
        ),
        (project_id, most),
    )?;
    Ok(removed as i64)
}
