//! What goes on after somebody ordered it: rebases, merges whose checks pass, branches
//! that go, and locks and rebases that a crash left.

use super::viewer;
use crate::rules::{auto_merge, landed, rebasing, source_branch};
use crate::store::merging as rows;
use crate::tasks::{AutoMerge, Rebase, RemoveSource, Sweep};
use ::store::Tx;
use jiff::SignedDuration;
use kernel::error::{Error, Result};
use kernel::jobs::{Failure, Job, RegistryBuilder, Run, enqueue_at};

/// Seconds between looks at what waits.
const OFTEN: i64 = 60;

pub(crate) fn jobs(registry: &mut RegistryBuilder) {
    registry.add::<AutoMerge>();
    registry.add::<Rebase>();
    registry.add::<RemoveSource>();
    registry.add_periodic::<Sweep>(OFTEN);
}

impl Job for AutoMerge {
    const NAME: &'static str = "reviews.auto_merge";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.request.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        Ok(auto_merge::go_on(&run.app, self.request).await?)
    }
}

impl Job for Rebase {
    const NAME: &'static str = "reviews.rebase";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.request.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let by = viewer(&run.app, Some(self.user)).await?;
        Ok(rebasing::run(&run.app, by.as_ref(), &self).await?)
    }
}

impl Job for RemoveSource {
    const NAME: &'static str = "reviews.remove_source";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.request.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        match viewer(&run.app, self.user).await? {
            Some(by) => Ok(source_branch::remove(&run.app, &by, self.request).await?),
            None => Ok(()),
        }
    }
}

impl Job for Sweep {
    const NAME: &'static str = "reviews.sweep";

    fn dedupe_key(&self) -> Option<String> {
        Some(String::new())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        run.app.write(free_crashed).await?;
        let mut after = 0;
        while let Some(last) = run.app.write(move |tx| try_ordered(tx, after)).await? {
            after = last;
        }
        Ok(())
    }
}

/// Opens again what a merge locked that nobody makes any more, and ends such rebases.
fn free_crashed(tx: &mut Tx<'_>) -> Result<()> {
    let lease = SignedDuration::from_secs(landed::LEASE);
    let before = tx.now().checked_sub(lease).map_err(Error::internal)?;
    for request in rows::locked_before(tx, before)? {
        landed::open_again(tx, request)?;
    }
    for request in rows::rebasing_before(tx, before)? {
        rebasing::give_up(tx, request)?;
    }
    Ok(())
}

/// Has jobs try what was ordered; the last of them.
fn try_ordered(tx: &mut Tx<'_>, after: i64) -> Result<Option<i64>> {
    let ordered = rows::ordered(tx, after)?;
    let now = tx.now();
    for request in &ordered {
        enqueue_at(tx, &AutoMerge { request: *request }, now)?;
    }
    Ok(ordered.last().copied())
}
