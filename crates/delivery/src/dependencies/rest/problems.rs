//! Why reports of a pipeline were left out.

use crate::dependencies::entity::ProblemEntity;
use crate::dependencies::store::problems;
use crate::pipelines::access;
use identity::Caller;
use kernel::error::Result;
use kernel::http::{Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use spaces::access::Purpose;

pub fn routes(r: &mut Routes) {
    r.get("/projects/{id}/pipelines/{pipeline_id}/sbom_problems", list)
        .summary("Lists why lists of components of a pipeline were left out");
}

kernel::params! {
    pub struct OnePipeline {
        /// Id or path of the project.
        pub id: Reference,
        /// The pipeline.
        pub pipeline_id: i64,
    }
}

async fn list(by: Caller, at: Params<OnePipeline>, paging: Paging) -> Result<Paged<ProblemEntity>> {
    let app = by.app.clone();
    Paged::read(&app, paging, move |tx, paging| {
        let at = (&at.id, at.pipeline_id);
        let (project, pipeline) = access::pipeline(tx, &by.viewer, at, Purpose::ReadPipelines)?;
        access::check_jobs_are_seen(tx, &by.viewer, &project)?;
        let (found, total) = problems::page(tx, pipeline.id, paging)?;
        Ok((found.into_iter().map(Into::into).collect(), total))
    })
    .await
}
