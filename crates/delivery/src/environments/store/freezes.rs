//! `freeze_periods`.

use crate::environments::model::FreezePeriod;
use ::store::{Tx, concat, sql};
use kernel::error::Result;

const SELECT: &str = concat!("select ", FreezePeriod::COLUMNS, " from freeze_periods ");

/// Those of a project, as they were made.
pub fn of_project(tx: &mut Tx<'_>, project_id: i64) -> Result<Vec<FreezePeriod>> {
    Ok(tx.all(sql!(SELECT, "where project_id = $1 order by id"), (project_id,))?)
}

pub fn one(tx: &mut Tx<'_>, project_id: i64, id: i64) -> Result<Option<FreezePeriod>> {
    Ok(tx.optional(sql!(SELECT, "where project_id = $1 and id = $2"), (project_id, id))?)
}

/// Adds one; its id is made.
pub fn insert(tx: &mut Tx<'_>, new: &FreezePeriod) -> Result<FreezePeriod> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "insert into freeze_periods (project_id, freeze_start, freeze_end, cron_timezone,
                created_at, updated_at)
             values ($1, $2, $3, $4, $5, $5) returning ",
            FreezePeriod::COLUMNS
        ),
        (new.project_id, &new.freeze_start, &new.freeze_end, &new.cron_timezone, now),
    )?)
}

pub fn update(tx: &mut Tx<'_>, changed: &FreezePeriod) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "update freeze_periods set freeze_start = $2, freeze_end = $3, cron_timezone = $4,
                updated_at = $5
             where id = $1"
        ),
        (
            changed.id,
            &changed.freeze_start,
            &changed.freeze_end,
            &changed.cron_timezone,
            now,
        ),
    )
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.run(sql!("delete from freeze_periods where id = $1"), (id,))
}
