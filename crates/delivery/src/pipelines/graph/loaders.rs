//! What is read for all pipelines or jobs of a level at once.

use super::{JobView, PipelineView, jobs, pipelines};
use crate::pipelines::store;
use crate::pipelines::store::lists::StageCount;
use ::store::grouped;
use identity::graph::caller;
use kernel::graph::context::Loader;
use kernel::graph::{Context, Fault};
use std::collections::HashMap;
use std::sync::Arc;

/// Pipelines that the viewer sees, by their ids.
pub struct Pipelines;

impl Loader for Pipelines {
    type Key = i64;
    type Value = Arc<PipelineView>;

    async fn load(
        context: Context, ids: Vec<i64>,
    ) -> Result<HashMap<i64, Arc<PipelineView>>, Fault> {
        let (app, viewer) = caller(&context)?;
        let found = app.read(move |tx| {
            let rows = store::pipelines::some(tx, ids)?;
            pipelines(tx, &viewer, rows)
        });
        Ok(found.await?.into_iter().map(|it| (it.pipeline.id, it)).collect())
    }
}

/// Jobs that the viewer sees, by their ids.
pub struct Jobs;

impl Loader for Jobs {
    type Key = i64;
    type Value = Arc<JobView>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<JobView>>, Fault> {
        let (app, viewer) = caller(&context)?;
        let found = app.read(move |tx| {
            let rows = store::jobs::some(tx, ids)?;
            jobs(tx, &viewer, rows)
        });
        Ok(found.await?.into_iter().map(|it| (it.job.id, it)).collect())
    }
}

/// How many jobs of the stages of pipelines are how far.
pub struct Stages;

impl Loader for Stages {
    type Key = i64;
    type Value = Arc<Vec<StageCount>>;

    async fn load(
        context: Context, ids: Vec<i64>,
    ) -> Result<HashMap<i64, Arc<Vec<StageCount>>>, Fault> {
        let (app, _) = caller(&context)?;
        let rows = app.read(move |tx| store::lists::stages(tx, ids)).await?;
        let found = grouped(rows.into_iter().map(|row| (row.pipeline_id, row)));
        Ok(found.into_iter().map(|(id, rows)| (id, Arc::new(rows))).collect())
    }
}

/// The coverage of pipelines, where a job says one.
pub struct Coverages;

impl Loader for Coverages {
    type Key = i64;
    type Value = f64;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, f64>, Fault> {
        let (app, _) = caller(&context)?;
        Ok(app.read(move |tx| store::pipelines::coverages(tx, ids)).await?)
    }
}
