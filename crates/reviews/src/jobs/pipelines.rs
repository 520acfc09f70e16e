//! Pipelines of merge requests: with each move of the source, and as somebody asks for one.

use super::viewer;
use crate::rules::pipelines::{self, Begun, Wanted, asking};
use crate::rules::versions::{self, Wanted as Due};
use crate::store as rows;
use crate::tasks::{AutoMerge, BeginPipeline, FollowSource};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, RegistryBuilder, Run, enqueue_at};

pub(crate) fn jobs(registry: &mut RegistryBuilder) {
    registry.add::<FollowSource>();
    registry.add::<BeginPipeline>();
}

impl Job for FollowSource {
    const NAME: &'static str = "reviews.follow_source";

    fn dedupe_key(&self) -> Option<String> {
        Some(format!("{}:{}", self.request, self.head))
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let by = viewer(&run.app, self.user).await?;
        versions::make(&run.app, self.request, by.clone(), Due::Source).await?;
        let begun = match by.filter(may_act) {
            Some(by) if self.has_pipeline => {
                let wanted = Wanted {
                    head: Some(self.head),
                    skips_jobs: self.skips_jobs,
                    is_asked: false,
                };
                pipelines::begin(&run.app, &by, self.request, &wanted, Some(run.clone())).await?
            }
            _ => Begun::Nothing,
        };
        Ok(settle(run, self.request, begun).await?)
    }
}

impl Job for BeginPipeline {
    const NAME: &'static str = "reviews.begin_pipeline";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let Some(by) = viewer(&run.app, Some(self.user)).await?.filter(may_act) else {
            return Ok(());
        };
        let begun = asking::begin(&run.app, &by, self.request, Some(run.clone())).await?;
        Ok(settle(run, self.request, begun).await?)
    }
}

/// Whether somebody may still do anything.
fn may_act(by: &Viewer) -> bool {
    by.user().is_some_and(|user| user.refusal().is_none())
}

/// Ends the job; a merge that was ordered waits for no pipeline that is not to be.
async fn settle(run: Run, id: i64, begun: Begun) -> Result<()> {
    match begun {
        Begun::Made(pipeline) if !pipeline.status.is_finished() => return Ok(()),
        Begun::Refused(refused) => {
            tracing::debug!(request = id, text = refused.text, "no pipeline");
        }
        Begun::Made(_) | Begun::Nothing => {}
    }
    let app = run.app.clone();
    app.write(move |tx| {
        run.end(tx)?;
        let request = rows::by_id(tx, id)?;
        if request.is_some_and(|one| one.auto_merge && one.is_open()) {
            let now = tx.now();
            enqueue_at(tx, &AutoMerge { request: id }, now)?;
        }
        Ok(())
    })
    .await
}
