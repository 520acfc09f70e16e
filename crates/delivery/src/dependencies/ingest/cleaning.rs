//! Lists that others took the place of go, and uploads that nobody asks after any more.

use crate::dependencies::store::{self as rows, uploads};
use jiff::{SignedDuration, Timestamp};
use kernel::jobs::{Failure, Job, RegistryBuilder, Run};
use serde::{Deserialize, Serialize};

/// Seconds between two looks, and rows that one transaction takes.
const BETWEEN: i64 = 600;
const BATCH: i64 = 2_000;
/// How long it is known what became of an upload.
const KNOWN_FOR: SignedDuration = SignedDuration::from_hours(24 * 30);

pub fn register(registry: &mut RegistryBuilder) {
    registry.add_periodic::<DropLists>(BETWEEN);
}

/// Takes away lists of dependencies whose time is over.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct DropLists {}

impl Job for DropLists {
    const NAME: &'static str = "delivery.drop_dependency_lists";

    fn dedupe_key(&self) -> Option<String> {
        Some("one".into())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        loop {
            let more = run.app.write(|tx| match rows::ended(tx)? {
                Some(list) => rows::take_away(tx, list, BATCH).map(|_| true),
                None => Ok(false),
            });
            if !more.await? {
                break;
            }
        }
        loop {
            let gone = run.app.write(|tx| {
                let before = tx.now().saturating_sub(KNOWN_FOR).unwrap_or(Timestamp::MIN);
                uploads::take_away(tx, before, BATCH)
            });
            if gone.await? < BATCH.unsigned_abs() {
                return Ok(());
            }
        }
    }
}
