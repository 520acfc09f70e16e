//! What clients of projects say they dropped.

use crate::errors::model::Dropped;
use crate::rows::rows_below;
use kernel::error::Result;
use std::collections::BTreeMap;
use store::{Tx, sql};

rows_below!(Dropped, "error_tracking_drops", "project_id", order "reason, category");

/// Adds to what clients of the project say they dropped.
pub fn add(tx: &mut Tx<'_>, project_id: i64, drops: &BTreeMap<(&str, &str), i64>) -> Result<()> {
    for ((reason, category), quantity) in drops {
        tx.execute(
            sql!(
                "insert into error_tracking_drops (project_id, reason, category, quantity)
                 values ($1, $2, $3, $4)
                 on conflict (project_id, reason, category) do update
                 set quantity = error_tracking_drops.quantity + excluded.quantity"
            ),
            (project_id, *reason, *category, *quantity),
        )?;
    }
    Ok(())
}
