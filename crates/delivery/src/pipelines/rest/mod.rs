//! REST of pipelines and jobs (docs/interface/delivery.md 5).

mod jobs;
mod lint;
mod pipelines;
mod resource_groups;

use super::entity::{JobEntity, Loaded};
use super::model::Job;
use ::store::Tx;
use identity::Caller;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::Routes;
use kernel::ids::Reference;
use spaces::model::Project;

pub fn routes(r: &mut Routes) {
    pipelines::routes(r);
    jobs::routes(r);
    lint::routes(r);
    resource_groups::routes(r);
}

kernel::params! {
    /// Which project.
    pub struct OfProject {
        /// Id or path of the project.
        pub id: Reference,
    }
}

kernel::params! {
    /// A pipeline of a project.
    pub struct OnePipeline {
        /// Id or path of the project.
        pub id: Reference,
        /// The pipeline.
        pub pipeline_id: i64,
    }
}

kernel::params! {
    /// A job of a project.
    pub struct OneJob {
        /// Id or path of the project.
        pub id: Reference,
        /// The job.
        pub job_id: i64,
    }
}

/// Does something to a job and shows it.
async fn done(
    by: &Caller, work: impl Fn(&mut Tx<'_>, &Caller) -> Result<(Project, Job)> + Send + 'static,
) -> Result<JobEntity> {
    let app = by.app.clone();
    let loaded = by.clone().write(move |tx, by| {
        let (project, job) = work(tx, by)?;
        Loaded::read(tx, project, vec![job])
    });
    one(&app, loaded.await?).await
}

async fn one(app: &App, loaded: Loaded) -> Result<JobEntity> {
    let entities = loaded.with_commits(app).await?.jobs(app);
    entities
        .into_iter()
        .next()
        .ok_or_else(|| Error::internal("a job without a pipeline"))
}

/// Who asks, by their id: people alone run pipelines.
pub(crate) fn person(by: &Caller) -> Result<i64> {
    by.viewer.signed_in().map(|signed_in| signed_in.user.id)
}
