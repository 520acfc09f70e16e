//! Clearing away what has ended, and mail.

mod destroy_user;
mod mail;
mod sign_up;

pub use mail::{ExpiringTokens, TokenExpires};
pub use sign_up::EndUnconfirmed;

use crate::{attempts, sign_in_locations, spam};
use kernel::jobs::{Failure, Job, Run};
use serde::{Deserialize, Serialize};

/// Seconds after which a window of attempts is surely closed.
const OLD: i64 = 86_400;

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Sweep {}

impl Job for Sweep {
    const NAME: &'static str = "identity.sweep";

    fn dedupe_key(&self) -> Option<String> {
        Some("all".into())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        run.app
            .write(|tx| {
                crate::store::sweep(tx)?;
                spam::logs::sweep(tx)?;
                sign_in_locations::sweep(tx)?;
                attempts::sweep(tx, OLD)
            })
            .await?;
        Ok(())
    }
}
