//! Jobs.

use super::{OfProject, OneJob, done, one, person};
use crate::pipelines::access;
use crate::pipelines::entity::{JobEntity, Loaded};
use crate::pipelines::jobs::{cancel as end, retry as again};
use crate::pipelines::model::Job;
use crate::pipelines::rules;
use crate::pipelines::status::Status;
use crate::pipelines::store::jobs as rows;
use crate::pipelines::store::lists::{self, JOBS, JobFilter};
use crate::pipelines::variables::{Given, VariableInput};
use crate::runners::why;
use ::store::Tx;
use identity::Caller;
use kernel::error::{Error, Found, Result};
use kernel::http::{Created, Flat, Ok200, Paged, Paging, Params, Routes};
use spaces::access::{MAINTAINER, Purpose, level_in_project};
use spaces::model::Project;

pub fn routes(r: &mut Routes) {
    r.get("/projects/{id}/jobs", list).summary("Lists the jobs of a project");
    r.get("/projects/{id}/jobs/{job_id}", show).summary("Shows a job");
    r.post("/projects/{id}/jobs/{job_id}/cancel", cancel).summary("Cancels a job");
    r.post("/projects/{id}/jobs/{job_id}/retry", retry).summary("Runs a job again");
    r.post("/projects/{id}/jobs/{job_id}/play", play)
        .summary("Starts a job that waits for somebody");
    r.post("/projects/{id}/jobs/{job_id}/erase", erase)
        .summary("Deletes what a job wrote and left");
}

kernel::params! {
    pub struct ListJobs {
        pub at: Flat<OfProject>,
        /// Only those that are so far.
        pub scope: Option<Vec<Status>>,
    }
}

/// A page of jobs, with what they show.
pub(super) fn page(
    tx: &mut Tx<'_>, project: Project, filter: &JobFilter, paging: Paging,
) -> Result<(Loaded, Paged<()>)> {
    let (jobs, total) = lists::jobs(tx, project.id, filter, &paging)?;
    let (jobs, page) = Paged::numbered(jobs, paging, Some(total)).apart();
    Ok((Loaded::read(tx, project, jobs)?, page))
}

async fn list(by: Caller, asked: Params<ListJobs>, paging: Paging) -> Result<Paged<JobEntity>> {
    let (viewer, Params(asked)) = (by.viewer.clone(), asked);
    let read = by.app.read(move |tx| {
        let project = access::read_jobs(tx, &viewer, &asked.at.id)?;
        let filter = JobFilter {
            kinds: JOBS,
            statuses: asked.scope.unwrap_or_default(),
            with_retried: true,
            ..JobFilter::default()
        };
        page(tx, project, &filter, paging)
    });
    let (loaded, page) = read.await?;
    let entities = loaded.with_commits(&by.app).await?.jobs(&by.app);
    Ok(page.replace(|_| entities))
}

async fn show(by: Caller, asked: Params<OneJob>) -> Result<Ok200<JobEntity>> {
    let viewer = by.viewer.clone();
    let read = by.app.read(move |tx| {
        let at = (&asked.id, asked.job_id);
        let (project, _, job) = access::job(tx, &viewer, at, Purpose::ReadPipelines)?;
        let reason = why(tx, &project, &job)?;
        Ok((Loaded::read(tx, project, vec![job])?, reason))
    });
    let (loaded, pending_reason) = read.await?;
    let shown = one(&by.app, loaded).await?;
    Ok(Ok200(JobEntity { pending_reason, ..shown }))
}

kernel::params! {
    pub struct CancelJob {
        pub at: Flat<OneJob>,
        /// Do not wait for its runner to clean up.
        pub force: Option<bool>,
    }
}

fn found(tx: &mut Tx<'_>, by: &Caller, at: &OneJob) -> Result<(Project, Job)> {
    let at = (&at.id, at.job_id);
    let (project, _, job) = access::job(tx, &by.viewer, at, Purpose::RunPipelines)?;
    Ok((project, job))
}

async fn cancel(by: Caller, asked: Params<CancelJob>) -> Result<Created<JobEntity>> {
    person(&by)?;
    let shown = done(&by, move |tx, by| {
        let (project, job) = found(tx, by, &asked.at)?;
        let by_force = asked.force == Some(true);
        if by_force && level_in_project(tx, &by.viewer, &project)? < MAINTAINER {
            return Err(Error::forbidden(""));
        }
        end(tx, &job, by_force)?;
        Ok((project, rows::by_id(tx, job.id)?.found("")?))
    });
    shown.await.map(Created)
}

async fn retry(by: Caller, asked: Params<OneJob>) -> Result<Created<JobEntity>> {
    let user_id = person(&by)?;
    let shown = done(&by, move |tx, by| {
        let (project, job) = found(tx, by, &asked)?;
        Ok((project, again(tx, &job, user_id)?))
    });
    shown.await.map(Created)
}

kernel::params! {
    pub struct PlayJob {
        pub at: Flat<OneJob>,
        /// Variables that it is given.
        pub job_variables_attributes: Option<Vec<VariableInput>>,
    }
}

async fn play(by: Caller, asked: Params<PlayJob>) -> Result<Ok200<JobEntity>> {
    person(&by)?;
    let inputs = asked.job_variables_attributes.iter().flatten();
    let given: Vec<Given> = inputs.map(Into::into).collect();
    let shown = done(&by, move |tx, by| {
        let (project, job) = found(tx, by, &asked.at)?;
        let played = rules::play(tx, by.app.secrets(), &by.viewer, (&project, &job), &given)?;
        Ok((project, played))
    });
    shown.await.map(Ok200)
}

async fn erase(by: Caller, asked: Params<OneJob>) -> Result<Created<JobEntity>> {
    person(&by)?;
    let shown = done(&by, move |tx, by| {
        let (project, job) = found(tx, by, &asked)?;
        let erased = rules::erase(tx, &by.viewer, (&project, &job))?;
        Ok((project, erased))
    });
    shown.await.map(Created)
}
