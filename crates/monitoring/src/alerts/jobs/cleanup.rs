//! Forgetting what is old, and what belongs to projects that go.

use crate::alerts::limits::AlertLimits;
use crate::alerts::store::{alerts as rows, history};
use crate::hours::{DAYS, before};
use crate::tasks::ForgetAlerts;
use jiff::SignedDuration;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, Run};
use store::{Tx, sql};

/// Rows one transaction removes.
const BATCH: i64 = 200;

impl Job for ForgetAlerts {
    const NAME: &'static str = "monitoring.forget_alerts";

    fn dedupe_key(&self) -> Option<String> {
        Some("one".into())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let first_shown = before(run.app.now(), 24 * DAYS);
        let hours = move |tx: &mut Tx<'_>| history::forget_hours(tx, first_shown, BATCH);
        while run.app.write(hours).await? > 0 {}
        let limits: AlertLimits = run.app.settings().get(&run.app).await?;
        if limits.retention_days == 0 {
            return Ok(());
        }
        let age = SignedDuration::from_hours(24 * limits.retention_days);
        let Ok(old) = run.app.now().checked_sub(age) else {
            return Ok(());
        };
        let forget = move |tx: &mut Tx<'_>| {
            let gone = rows::ended_before(tx, old, BATCH)?;
            rows::remove(tx, &gone)
        };
        while run.app.write(forget).await? > 0 {}
        Ok(())
    }
}

/// What a deleted project holds of alerts.
pub const CONTENTS: spaces::hooks::Contents =
    spaces::hooks::Contents { count: count_of_project, remove: remove_of_project };

fn count_of_project(tx: &mut Tx<'_>, project_id: i64) -> Result<i64> {
    Ok(tx.one(sql!("select count(*) from alerts where project_id = $1"), (project_id,))?)
}

fn remove_of_project(tx: &mut Tx<'_>, project_id: i64, most: i64) -> Result<i64> {
    let some = rows::some_of_project(tx, project_id, most)?;
    Ok(rows::remove(tx, &some)? as i64)
}
