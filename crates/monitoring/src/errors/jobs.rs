//! Forgetting what is old.

use super::limits::ErrorLimits;
use super::model::Status;
use super::store::counts::Changes;
use crate::tasks::ForgetEvents;
use jiff::{SignedDuration, Timestamp};
use kernel::error::Result;
use kernel::jobs::{Failure, Job, RegistryBuilder, Run};
use store::{Tx, sql};

/// Rows one transaction removes.
const BATCH: i64 = 500;
/// How often old rows are looked for, in seconds.
const EVERY: i64 = 60 * 60;

pub fn register(registry: &mut RegistryBuilder) {
    registry.add_periodic::<ForgetEvents>(EVERY);
}

type Remove = fn(&mut Tx<'_>, Timestamp) -> Result<u64>;

impl Job for ForgetEvents {
    const NAME: &'static str = "monitoring.forget_events";

    fn dedupe_key(&self) -> Option<String> {
        Some("one".into())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let limits: ErrorLimits = run.app.settings().get(&run.app).await?;
        let age = SignedDuration::from_hours(24 * limits.retention_days);
        let Ok(before) = run.app.now().checked_sub(age) else {
            return Ok(());
        };
        let kinds: [Remove; 3] = [remove_events, remove_hours, remove_errors];
        for remove in kinds {
            while run.app.write(move |tx| remove(tx, before)).await? > 0 {}
        }
        Ok(())
    }
}

fn remove_events(tx: &mut Tx<'_>, before: Timestamp) -> Result<u64> {
    Ok(tx.execute(
        sql!(
            "delete from error_tracking_events where id in
                (select id from error_tracking_events where received_at < $1
                 order by received_at, id limit $2)"
        ),
        (before, BATCH),
    )?)
}

fn remove_hours(tx: &mut Tx<'_>, before: Timestamp) -> Result<u64> {
    Ok(tx.execute(
        sql!(
            "delete from error_tracking_hours where (error_id, began_at) in
                (select error_id, began_at from error_tracking_hours where began_at < $1
                 order by began_at limit $2)"
        ),
        (before, BATCH),
    )?)
}

fn remove_errors(tx: &mut Tx<'_>, before: Timestamp) -> Result<u64> {
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

/// What a deleted project holds of events.
pub const CONTENTS: spaces::hooks::Contents = spaces::hooks::Contents {
    count: count_of_project,
    remove: remove_of_project,
};

fn count_of_project(tx: &mut Tx<'_>, project_id: i64) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from error_tracking_events where project_id = $1"),
        (project_id,),
    )?)
}

fn remove_of_project(tx: &mut Tx<'_>, project_id: i64, most: i64) -> Result<i64> {
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
