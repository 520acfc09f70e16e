//! What pages tell of an alert's past. Counts by hour are kept as long as
//! charts show them.

use crate::alerts::model::Alert;
use jiff::Timestamp;
use kernel::error::Result;
use store::{Tx, sql};

const MOST: i64 = 10_000;

/// When this alert and those equal to it began, since a time; only itself if
/// nothing tells it from others.
pub fn begun(tx: &mut Tx<'_>, alert: &Alert, since: Timestamp) -> Result<Vec<Timestamp>> {
    let Some(fingerprint) = &alert.fingerprint else {
        return Ok(vec![alert.started_at]);
    };
    Ok(tx.all(
        sql!(
            "select started_at from alerts
             where project_id = $1 and fingerprint = $2 and started_at >= $3
             order by started_at desc limit $4"
        ),
        (alert.project_id, fingerprint, since, MOST),
    )?)
}

/// How often an alert was sent, by hour since a time.
pub fn hours(tx: &mut Tx<'_>, alert_id: i64, since: Timestamp) -> Result<Vec<(Timestamp, i64)>> {
    Ok(tx.all(
        sql!(
            "select began_at, events from alert_hours
             where alert_id = $1 and began_at > $2 order by began_at"
        ),
        (alert_id, since),
    )?)
}

/// How often alerts of a project were sent, by hour since a time.
pub fn hours_of_project(
    tx: &mut Tx<'_>, project_id: i64, since: Timestamp,
) -> Result<Vec<(Timestamp, i64)>> {
    Ok(tx.all(
        sql!(
            "select began_at, cast(sum(events) as bigint) from alert_hours
             where project_id = $1 and began_at > $2 group by began_at order by began_at"
        ),
        (project_id, since),
    )?)
}

/// Forgets counts of hours before a time; how many.
pub fn forget_hours(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    Ok(tx.execute(
        sql!(
            "delete from alert_hours where (alert_id, began_at) in
                (select alert_id, began_at from alert_hours where began_at < $1
                 order by began_at limit $2)"
        ),
        (before, limit),
    )?)
}

pub fn integration_name(tx: &mut Tx<'_>, id: i64) -> Result<Option<String>> {
    Ok(tx.optional(sql!("select name from alert_integrations where id = $1"), (id,))?)
}
