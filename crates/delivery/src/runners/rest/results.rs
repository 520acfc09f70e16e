//! What jobs leave, for people and programs: logs and files.

use super::super::left::{
    archive_of, keep as keep_files, latest_job, may_change, out_of, send, sent_log,
};
use super::super::store::artifacts::{self, Artifact};
use super::super::store::traces;
use crate::pipelines::access;
use http::StatusCode;
use identity::Caller;
use kernel::error::Result;
use kernel::http::{Accepted, NoContent, Params, RequestContext, Response, Routes, reply};
use kernel::ids::Reference;
use serde_json::json;
use spaces::access::Purpose;
use std::sync::Arc;

pub fn routes(r: &mut Routes) {
    r.get("/projects/{id}/jobs/{job_id}/trace", trace)
        .job_tokens()
        .summary("Sends the log of a job");
    r.get("/projects/{id}/jobs/{job_id}/artifacts", download)
        .job_tokens()
        .summary("Sends the archive of a job");
    r.get("/projects/{id}/jobs/{job_id}/artifacts/{*archive_path}", one_file)
        .job_tokens()
        .summary("Sends one file of the archive of a job");
    r.post("/projects/{id}/jobs/{job_id}/artifacts/keep", keep)
        .summary("Keeps the files of a job for good");
    r.delete("/projects/{id}/jobs/{job_id}/artifacts", delete)
        .summary("Deletes the files of a job");
    r.delete("/projects/{id}/artifacts", delete_all)
        .summary("Deletes the files of all jobs of a project");
    r.get("/projects/{id}/jobs/artifacts/{ref_name}/download", latest)
        .job_tokens()
        .summary("Sends the archive of the latest job of a name that succeeded");
    r.get("/projects/{id}/jobs/artifacts/{ref_name}/raw/{*archive_path}", latest_file)
        .job_tokens()
        .summary("Sends one file of that archive");
}

kernel::params! {
    pub struct JobOfProject {
        /// Id or path of the project.
        pub id: Reference,
        /// Id of the job.
        pub job_id: i64,
    }
}

async fn trace(
    by: Caller, request: Arc<RequestContext>, one: Params<JobOfProject>,
) -> Result<Response> {
    let app = by.app.clone();
    let (job, size) = by
        .read(move |tx, by| {
            let at = (&one.id, one.job_id);
            let (_, _, job) = access::job(tx, &by.viewer, at, Purpose::ReadPipelines)?;
            Ok((job.id, traces::size(tx, job.id)?))
        })
        .await?;
    sent_log(app, &request, job, size.unsigned_abs())
}

async fn archive_at(by: Caller, one: JobOfProject) -> Result<Artifact> {
    by.read(move |tx, by| {
        let at = (&one.id, one.job_id);
        let (project, _, job) = access::job(tx, &by.viewer, at, Purpose::ReadPipelines)?;
        archive_of(tx, &by.viewer, (&project, &job))
    })
    .await
}

async fn download(
    by: Caller, request: Arc<RequestContext>, one: Params<JobOfProject>,
) -> Result<Response> {
    let app = by.app.clone();
    let file = archive_at(by, one.0).await?;
    send(&app, &request, &file).await
}

kernel::params! {
    pub struct FileOfJob {
        /// Id or path of the project.
        pub id: Reference,
        /// Id of the job.
        pub job_id: i64,
        /// Path of the file in the archive.
        pub archive_path: String,
    }
}

async fn one_file(by: Caller, one: Params<FileOfJob>) -> Result<Response> {
    let (app, Params(one)) = (by.app.clone(), one);
    let file = archive_at(by, JobOfProject { id: one.id, job_id: one.job_id }).await?;
    out_of(&app, &file, one.archive_path).await
}

async fn keep(by: Caller, one: Params<JobOfProject>) -> Result<Response> {
    by.viewer.signed_in()?;
    by.write(move |tx, by| {
        let at = (&one.id, one.job_id);
        let (project, _, job) = access::job(tx, &by.viewer, at, Purpose::ReadPipelines)?;
        keep_files(tx, &by.viewer, (&project, &job))?;
        reply::json(StatusCode::OK, &json!({"id": job.id, "artifacts_expire_at": null}))
    })
    .await
}

async fn delete(by: Caller, one: Params<JobOfProject>) -> Result<NoContent> {
    by.viewer.signed_in()?;
    by.write(move |tx, by| {
        let at = (&one.id, one.job_id);
        let (project, _, job) = access::job(tx, &by.viewer, at, Purpose::ReadPipelines)?;
        may_change(tx, &by.viewer, &project)?;
        if artifacts::delete_of_job(tx, job.id)? {
            spaces::hooks::blobs_unnamed(tx)?;
        }
        Ok(NoContent)
    })
    .await
}

kernel::params! {
    pub struct OneProject {
        /// Id or path of the project.
        pub id: Reference,
    }
}

async fn delete_all(by: Caller, one: Params<OneProject>) -> Result<Accepted> {
    by.write(move |tx, by| {
        let project = spaces::project(tx, &by.viewer, &one.id, Purpose::Update)?;
        artifacts::expire_all(tx, project.id)?;
        Ok(Accepted)
    })
    .await
}

kernel::params! {
    pub struct LatestOf {
        /// Id or path of the project.
        pub id: Reference,
        /// The branch or tag.
        pub ref_name: String,
        /// Name of the job.
        pub job: String,
    }
}

async fn latest_archive(by: Caller, of: LatestOf) -> Result<Artifact> {
    by.read(move |tx, by| {
        let project = access::read(tx, &by.viewer, &of.id)?;
        let job = latest_job(tx, &by.viewer, &project, (&of.ref_name, &of.job))?;
        archive_of(tx, &by.viewer, (&project, &job))
    })
    .await
}

async fn latest(
    by: Caller, request: Arc<RequestContext>, of: Params<LatestOf>,
) -> Result<Response> {
    let app = by.app.clone();
    let file = latest_archive(by, of.0).await?;
    send(&app, &request, &file).await
}

kernel::params! {
    pub struct LatestFile {
        /// Id or path of the project.
        pub id: Reference,
        /// The branch or tag.
        pub ref_name: String,
        /// Path of the file in the archive.
        pub archive_path: String,
        /// Name of the job.
        pub job: String,
    }
}

async fn latest_file(by: Caller, of: Params<LatestFile>) -> Result<Response> {
    let (app, Params(of)) = (by.app.clone(), of);
    let latest = LatestOf { id: of.id, ref_name: of.ref_name, job: of.job };
    let file = latest_archive(by, latest).await?;
    out_of(&app, &file, of.archive_path).await
}
