//! Cleaning up by policies and rules: what is due is looked for, and each
//! policy and rule is a job of its own.

use super::forget;
use crate::cleanup::{self, run};
use crate::store::{cleanup as rows, cleanup_rules};
use crate::tasks::{ApplyRule, CleanProject, Cleanup};
use kernel::jobs::{Failure, Job, Run, enqueue};

/// How often due policies are looked for, in seconds.
pub(super) const EVERY: i64 = 10 * 60;
/// Policies and rules set at work in one transaction.
const BATCH: i64 = 100;

impl Job for Cleanup {
    const NAME: &'static str = "packages.cleanup";

    fn dedupe_key(&self) -> Option<String> {
        Some("one".into())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        loop {
            let registry = run.app.jobs().clone();
            let taken = run.app.write(move |tx| {
                let next = cleanup::next_run(tx);
                let due = rows::take_due(tx, next, BATCH)?;
                for project in &due {
                    enqueue(tx, &registry, &CleanProject { project: *project })?;
                }
                let rules = cleanup_rules::take_due(tx, next, BATCH)?;
                let taken = due.len().max(rules.len());
                run::begin(tx, &registry, &rules)?;
                Ok(taken as i64)
            });
            if taken.await? < BATCH {
                return Ok(());
            }
        }
    }
}

impl Job for CleanProject {
    const NAME: &'static str = "packages.clean_project";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.project.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let mut after = None;
        loop {
            let (project, from) = (self.project, after.take());
            let read = run.app.read(move |tx| cleanup::packages_after(tx, project, from));
            let packages = read.await?;
            let Some(last) = packages.last() else {
                return Ok(());
            };
            after = Some(last.clone());
            loop {
                let (project, packages) = (self.project, packages.clone());
                let work = run.app.write(move |tx| cleanup::clean(tx, project, &packages));
                let (more, gone) = work.await?;
                forget(&run.app, gone).await;
                if !more {
                    break;
                }
            }
        }
    }
}

impl Job for ApplyRule {
    const NAME: &'static str = "packages.apply_cleanup_rule";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.run.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        loop {
            let id = self.run;
            let seen = run.app.read(move |tx| run::look(tx, id)).await?;
            let Some(seen) = seen else {
                run.app.write(move |tx| run::end(tx, id)).await?;
                return Ok(());
            };
            let registry = run.app.jobs().clone();
            let done = run.app.write(move |tx| run::step(tx, &registry, id, &seen));
            if let Some(now) = done.await? {
                run.progress(now.names_done, now.names_total.max(now.names_done)).await;
            }
        }
    }
}
