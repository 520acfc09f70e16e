//! Pipelines and jobs in GraphQL (docs/interface/graphql.md). What is seen and what may be
//! done is that of REST: what is hidden there is null here.

mod enums;
mod job;
mod lists;
mod loaders;
mod mutations;
mod owned;
mod packages;
mod parts;
mod pipeline;

use super::access;
use super::model::{Job, Pipeline};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::{GlobalId, Graph};
use spaces::access::{Levels, OWNER, Purpose, find_projects};
use spaces::model::Project;
use std::collections::HashMap;
use std::sync::Arc;

pub(crate) const PIPELINE_ID: GlobalId = GlobalId::new("CiPipelineID", "Ci::Pipeline");
pub(crate) const JOB_ID: GlobalId = GlobalId::new("CiBuildID", "Ci::Build");

pub(crate) use job::keys as job_keys;
pub use loaders::Pipelines;
pub(crate) use owned::Listed;

pub fn graph(g: &mut Graph) {
    for id in [PIPELINE_ID, JOB_ID] {
        id.register(g);
    }
    enums::graph(g);
    parts::graph(g);
    pipeline::graph(g);
    job::graph(g);
    lists::graph(g);
    packages::graph(g);
    mutations::graph(g);
}

/// A project whose pipelines the viewer sees.
pub(crate) struct Place {
    project: Project,
    /// They see its jobs, too.
    sees_jobs: bool,
    /// They run pipelines there, at least of some branches.
    can_run: bool,
    /// They delete pipelines.
    can_destroy: bool,
}

impl Place {
    fn path(&self, rest: &str) -> String {
        format!("/{}/-/{rest}", self.project.full_path)
    }
}

/// A pipeline with its project.
pub struct PipelineView {
    pipeline: Pipeline,
    place: Arc<Place>,
}

/// A job with its project.
pub struct JobView {
    pub(crate) job: Job,
    place: Arc<Place>,
}

/// Those of some projects whose pipelines the viewer sees.
pub(crate) fn places(
    tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64],
) -> Result<HashMap<i64, Arc<Place>>> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    let projects = find_projects(tx, &ids)?;
    let all: Vec<&Project> = projects.iter().collect();
    let levels = Levels::in_projects(tx, viewer, &all)?;
    let sees = |project: &Project| {
        levels.may(project, Purpose::ReadPipelines) && levels.may(project, Purpose::DownloadCode)
    };
    let hidden = access::with_hidden_jobs(tx, &levels, &all)?;
    let place = |project: &Project| Place {
        sees_jobs: !hidden.contains(&project.id),
        can_run: levels.may(project, Purpose::RunPipelines),
        can_destroy: levels.of_project(project) >= OWNER,
        project: project.clone(),
    };
    let seen = projects.iter().filter(|project| sees(project));
    Ok(seen.map(|project| (project.id, Arc::new(place(project)))).collect())
}

/// Pipelines that the viewer sees, of those.
fn pipelines(
    tx: &mut Tx<'_>, viewer: &Viewer, rows: Vec<Pipeline>,
) -> Result<Vec<Arc<PipelineView>>> {
    let ids: Vec<i64> = rows.iter().map(|row| row.project_id).collect();
    let places = places(tx, viewer, &ids)?;
    let view = |pipeline: Pipeline| {
        let place = places.get(&pipeline.project_id)?.clone();
        Some(Arc::new(PipelineView { pipeline, place }))
    };
    Ok(rows.into_iter().filter_map(view).collect())
}

/// Jobs that the viewer sees, of those.
pub(crate) fn jobs(tx: &mut Tx<'_>, viewer: &Viewer, rows: Vec<Job>) -> Result<Vec<Arc<JobView>>> {
    let ids: Vec<i64> = rows.iter().map(|row| row.project_id).collect();
    let places = places(tx, viewer, &ids)?;
    let view = |job: Job| {
        let place = places.get(&job.project_id).filter(|place| place.sees_jobs)?.clone();
        Some(Arc::new(JobView { job, place }))
    };
    Ok(rows.into_iter().filter_map(view).collect())
}
