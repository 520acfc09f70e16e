//! Events are kept for some years.

use jiff::SignedDuration;
use kernel::jobs::{Failure, Job, RegistryBuilder, Run};
use serde::{Deserialize, Serialize};
use store::sql;

/// Days for which events are kept (docs/interface/collaboration.md 4).
const KEPT_DAYS: i64 = 3 * 365;
/// Events that one transaction removes.
const BATCH: i64 = 1_000;
/// How often old ones are looked for, in seconds.
const PERIOD: i64 = 24 * 3_600;

pub fn jobs(registry: &mut RegistryBuilder) {
    registry.add_periodic::<ForgetOld>(PERIOD);
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct ForgetOld {}

impl Job for ForgetOld {
    const NAME: &'static str = "activity.forget_old";

    fn dedupe_key(&self) -> Option<String> {
        Some(String::new())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        loop {
            let removed = run
                .app
                .write(|tx| {
                    let end = tx.now() - SignedDuration::from_hours(24 * KEPT_DAYS);
                    Ok(tx.execute(
                        sql!(
                            "delete from activity_events where id in
                                (select id from activity_events where created_at < $1
                                 order by created_at limit $2)"
                        ),
                        (end, BATCH),
                    )?)
                })
                .await?;
            if removed == 0 {
                return Ok(());
            }
        }
    }
}
