//! What integrations received of late.

use crate::alerts::model::{DELIVERIES, Delivered};
use crate::rows::rows_below;
use kernel::error::Result;
use store::{Fragment, Json, Tx, grouped, sql};

#[derive(Debug, Clone)]
pub struct Entry {
    pub integration_id: i64,
    pub status: i64,
    pub reason: Option<&'static str>,
    pub iids: Vec<i64>,
}

/// Notes deliveries, and forgets those too long ago.
pub fn write(tx: &mut Tx<'_>, entries: &[Entry]) -> Result<()> {
    let by_integration = grouped(entries.iter().map(|entry| (entry.integration_id, entry)));
    for (integration, entries) in by_integration {
        let last = entries.len().saturating_sub(DELIVERIES as usize);
        for some in entries[last..].chunks(20) {
            insert(tx, integration, some)?;
        }
        forget(tx, integration)?;
    }
    Ok(())
}

fn insert(tx: &mut Tx<'_>, integration_id: i64, entries: &[&Entry]) -> Result<()> {
    let now = tx.now();
    let mut query = Fragment::new(
        "insert into alert_deliveries (integration_id, status, reason, iids, created_at) values",
    );
    for (at, entry) in entries.iter().enumerate() {
        query
            .push(if at == 0 { " (" } else { ", (" }, integration_id)
            .push(", ", entry.status)
            .push(", ", entry.reason)
            .push(", ", Json(&entry.iids))
            .push(", ", now)
            .raw(")");
    }
    query.raw(" returning id");
    tx.query::<i64>(query)?;
    Ok(())
}

fn forget(tx: &mut Tx<'_>, integration_id: i64) -> Result<()> {
    tx.execute(
        sql!(
            "delete from alert_deliveries where integration_id = $1 and id <=
                (select id from alert_deliveries where integration_id = $1
                 order by id desc limit 1 offset $2)"
        ),
        (integration_id, DELIVERIES),
    )?;
    Ok(())
}

rows_below!(Delivered, "alert_deliveries", "integration_id", order "id desc");
