//! Environments that end by themselves.

use super::rules::stop_due;
use kernel::jobs::{Failure, Job, RegistryBuilder, Run};
use serde::{Deserialize, Serialize};

/// Seconds between two looks.
const BETWEEN: i64 = 3_600;
/// Environments that one transaction ends.
const MOST: i64 = 100;

/// Ends the environments whose time is over.
#[derive(Debug, Default, Serialize, Deserialize)]
struct StopDue {}

pub(crate) fn jobs(registry: &mut RegistryBuilder) {
    registry.add_periodic::<StopDue>(BETWEEN);
}

impl Job for StopDue {
    const NAME: &'static str = "delivery.stop_environments";

    fn dedupe_key(&self) -> Option<String> {
        Some(String::new())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        run.app.write(|tx| stop_due(tx, MOST)).await?;
        Ok(())
    }
}
