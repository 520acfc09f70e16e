//! The end of a user, in portions.

use crate::hooks::Hooks;
use crate::tasks::DestroyUser;
use kernel::jobs::{Failure, Job, Run};

/// Rows one transaction hands over.
const BATCH: i64 = 1_000;

impl Job for DestroyUser {
    const NAME: &'static str = "identity.destroy_user";

    async fn run(self, run: Run) -> std::result::Result<(), Failure> {
        let (user, heir) = (self.user, self.heir);
        let leaving: Option<i64> =
            run.app.read(move |tx| crate::store::users::leaving(tx, user)).await?;
        if leaving.is_none() {
            return Ok(());
        }
        let hooks: &Hooks = run.app.plugged()?;
        for &hand_over in &hooks.handing_over {
            loop {
                let moved = run.app.write(move |tx| hand_over(tx, user, heir, BATCH)).await?;
                if moved == 0 {
                    break;
                }
            }
        }
        run.app.write(move |tx| crate::store::users::delete_leaving(tx, user)).await?;
        Ok(())
    }
}
