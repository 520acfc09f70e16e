//! The jobs that a runner was given.

use super::super::access::reading;
use crate::pipelines::entity::{Loaded, RunnerJob};
use crate::pipelines::model::Job;
use crate::pipelines::status::Status;
use crate::pipelines::store::of_runners::{OfRunner, page_of_runner};
use ::store::Tx;
use identity::Caller;
use kernel::error::Result;
use kernel::http::{Paged, Paging, Params, Routes};
use serde_json::json;
use spaces::access::find_projects;
use spaces::model::Sort;

pub fn routes(r: &mut Routes) {
    r.get("/runners/{runner_id}/jobs", list)
        .scopes(&["api", "read_api", "manage_runner"])
        .summary("Lists the jobs of a runner that the caller sees");
}

kernel::choices! {
    /// By what jobs of a runner are sorted.
    pub enum OrderBy as "RunnerJobOrder" { Id = "id" }
}

kernel::params! {
    pub struct JobsOfRunner {
        /// Id of the runner.
        pub runner_id: i64,
        /// Only those that are so far.
        pub status: Option<Status>,
        /// Only those that this machine of it was given.
        pub system_id: Option<String>,
        /// By what they are sorted: there is one way.
        pub order_by: Option<OrderBy>,
        /// The last first unless said.
        pub sort: Option<Sort>,
    }
}

async fn list(by: Caller, asked: Params<JobsOfRunner>, paging: Paging) -> Result<Paged<RunnerJob>> {
    let app = by.app.clone();
    let Params(asked) = asked;
    let wanted = OfRunner {
        status: asked.status,
        system_id: asked.system_id,
        sort: asked.sort,
    };
    let read = by.read(move |tx, by| {
        let runner = reading(tx, &by.viewer, asked.runner_id)?;
        let (rows, total) = page_of_runner(tx, &by.viewer, runner.id, &wanted, &paging)?;
        let page = match paging.is_keyset() {
            true => Paged::keyed(rows, paging.clone(), |job: &Job| vec![json!(job.id)]),
            false => Paged::numbered(rows, paging.clone(), Some(total)),
        };
        Ok((loaded(tx, page.items.clone())?, page))
    });
    let (loaded, page) = read.await?;
    let shown = loaded.with_commits(&app).await?.of_runner(&app);
    Ok(page.replace(|_| shown))
}

fn loaded(tx: &mut Tx<'_>, jobs: Vec<Job>) -> Result<Loaded> {
    let mut projects: Vec<i64> = jobs.iter().map(|job| job.project_id).collect();
    projects.sort_unstable();
    projects.dedup();
    let projects = find_projects(tx, &projects)?;
    Loaded::of(tx, projects, jobs)
}
