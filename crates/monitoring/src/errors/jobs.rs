//! Forgetting what is old.

use super::limits::ErrorLimits;
use super::store::old;
use crate::tasks::ForgetEvents;
use jiff::{SignedDuration, Timestamp};
use kernel::error::Result;
use kernel::jobs::{Failure, Job, RegistryBuilder, Run};
use store::Tx;

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
        let kinds: [Remove; 3] = [old::remove_events, old::remove_hours, old::remove_errors];
        for remove in kinds {
            while run.app.write(move |tx| remove(tx, before)).await? > 0 {}
        }
        Ok(())
    }
}

/// What a deleted project holds of events.
pub const CONTENTS: spaces::hooks::Contents =
    spaces::hooks::Contents { count: old::count_of_project, remove: old::remove_of_project };
