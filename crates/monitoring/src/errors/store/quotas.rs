//! What projects received in their present windows.

use crate::errors::quota::Quota;
use kernel::error::Result;
use store::{Tx, sql};

pub fn of_project(tx: &mut Tx<'_>, project_id: i64) -> Result<Option<Quota>> {
    Ok(tx.optional(
        sql!(
            "select short_from, short_count, long_from, long_count
             from error_tracking_quotas where project_id = $1"
        ),
        (project_id,),
    )?)
}

pub fn put(tx: &mut Tx<'_>, project_id: i64, quota: &Quota) -> Result<()> {
    tx.execute(
        sql!(
            "insert into error_tracking_quotas
                    (project_id, short_from, short_count, long_from, long_count)
                 values ($1, $2, $3, $4, $5)
                 on conflict (project_id) do update
                 set short_from = excluded.short_from, short_count = excluded.short_count,
                     long_from = excluded.long_from, long_count = excluded.long_count"
        ),
        (
            project_id,
            quota.short_from,
            quota.short_count,
            quota.long_from,
            quota.long_count,
        ),
    )?;
    Ok(())
}
