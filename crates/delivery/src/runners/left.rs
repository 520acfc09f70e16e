//! What jobs left, logs and files, for who may have it: over REST and on pages.

use super::artifacts::archive;
use super::artifacts::kinds::ARCHIVE;
use super::store::artifacts::{self, Artifact};
use super::store::traces;
use crate::pipelines::access;
use crate::pipelines::model::Job;
use crate::pipelines::store::jobs as rows;
use ::store::{Tx, sql};
use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderValue, StatusCode, header};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::files::{self, SentBlob, disposition, parse_range};
use kernel::http::{RequestContext, Response, reply};
use pipeline_file::model::Access;
use spaces::access::{DEVELOPER, MAINTAINER, level_in_project};
use spaces::model::Project;

/// Pieces of a log that are read at once.
const PIECES: i64 = 16;

/// The whole log, or the part that is asked for.
pub fn sent_log(app: App, request: &RequestContext, job: i64, size: u64) -> Result<Response> {
    let part = match request.header(header::RANGE) {
        Some(text) => parse_range(text, size)?,
        None => None,
    };
    let (from, to) = part.as_ref().map_or((0, size), |part| (part.start, part.end));
    let mut response = reply::text(StatusCode::OK, log(app, job, from as i64, to as i64));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(to - from));
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if part.is_some() {
        let shown = format!("bytes {from}-{}/{size}", to.saturating_sub(1));
        let shown = HeaderValue::from_str(&shown).map_err(Error::internal)?;
        headers.insert(header::CONTENT_RANGE, shown);
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    Ok(response)
}

/// The bytes of a log between two places, some pieces at a time.
fn log(app: App, job: i64, from: i64, to: i64) -> Body {
    Body::from_stream(stream::try_unfold(from, move |at| {
        let app = app.clone();
        async move {
            if at >= to {
                return Ok::<_, Error>(None);
            }
            let pieces = app.read(move |tx| traces::some(tx, job, at, PIECES)).await?;
            let (mut bytes, mut reached) = (Vec::new(), at);
            for (begins, piece) in pieces {
                let end = begins.saturating_add(piece.len() as i64).min(to);
                if end > reached && begins <= reached {
                    let (first, last) = (reached - begins, end - begins);
                    bytes.extend_from_slice(&piece[first as usize..last as usize]);
                    reached = end;
                }
            }
            // What was erased meanwhile ends the answer.
            Ok(Some((Bytes::from(bytes), if reached > at { reached } else { to })))
        }
    }))
}

/// Whether somebody who sees a job may have its files, as its file says.
fn may_have(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, job: &Job) -> Result<bool> {
    let definition = rows::definition(tx, job.id)?;
    let access = definition.and_then(|it| Some(it.artifacts?.access)).unwrap_or_default();
    let least = match access {
        Access::All => return Ok(true),
        Access::None => return Ok(false),
        Access::Developer => DEVELOPER,
        Access::Maintainer => MAINTAINER,
    };
    Ok(level_in_project(tx, viewer, project)? >= least)
}

/// The archive of a job, for who may have it.
pub fn archive_of(
    tx: &mut Tx<'_>, viewer: &Viewer, (project, job): (&Project, &Job),
) -> Result<Artifact> {
    if !may_have(tx, viewer, project, job)? {
        return Err(Error::forbidden(""));
    }
    let now = tx.now();
    let file = artifacts::of_type(tx, job.id, ARCHIVE)?;
    file.filter(|file| file.is_there(now)).found("")
}

/// The latest job of a name that succeeded on a ref and left an archive.
///
/// # Errors
///
/// 403 for who may not see jobs, 404 where there is none.
pub fn latest_job(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, (on_ref, name): (&str, &str),
) -> Result<Job> {
    access::check_jobs_are_seen(tx, viewer, project)?;
    let id: Option<i64> = tx.optional(
        sql!(
            "select ci_jobs.id from ci_pipelines
             join ci_jobs on ci_jobs.pipeline_id = ci_pipelines.id
             where ci_pipelines.project_id = $1 and ci_pipelines.ref = $2
               and ci_pipelines.status = 'success' and ci_jobs.name = $3
               and ci_jobs.status = 'success' and not ci_jobs.retried
               and exists (select 1 from ci_artifacts a
                   where a.job_id = ci_jobs.id and a.file_type = 'archive')
             order by ci_pipelines.id desc, ci_jobs.id desc limit 1"
        ),
        (project.id, on_ref, name),
    )?;
    rows::by_id(tx, id.found("")?)?.found("")
}

/// Refuses who may not change what jobs of a project left.
pub fn may_change(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<()> {
    match level_in_project(tx, viewer, project)? >= DEVELOPER {
        true => Ok(()),
        false => Err(Error::forbidden("")),
    }
}

/// Keeps the files of a job for good.
pub fn keep(tx: &mut Tx<'_>, viewer: &Viewer, (project, job): (&Project, &Job)) -> Result<()> {
    may_change(tx, viewer, project)?;
    artifacts::of_type(tx, job.id, ARCHIVE)?.found("")?;
    artifacts::keep(tx, job.id)
}

/// One file out of an archive.
pub async fn out_of(app: &App, file: &Artifact, path: String) -> Result<Response> {
    let (_, bytes) = app.blobs().get(&file.blob_key, None).await?;
    let received = app.blobs().receive(bytes, None).await?;
    let name = path.rsplit('/').next().unwrap_or_default().to_owned();
    let read = move || archive::file(archive::opened(received.open()?)?, &path);
    let read = tokio::task::spawn_blocking(read).await.map_err(Error::internal)?;
    let bytes = read?.found("")?;
    let mut response = http::Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static("application/octet-stream");
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let name = HeaderValue::from_str(&disposition("attachment", &name));
    headers.insert(header::CONTENT_DISPOSITION, name.map_err(Error::internal)?);
    Ok(response)
}

/// Sends a file as something to be saved.
pub async fn send(app: &App, request: &RequestContext, file: &Artifact) -> Result<Response> {
    let blob = SentBlob {
        key: &file.blob_key,
        size: file.size.unsigned_abs(),
        sha256: &file.sha256,
    };
    let mut response = files::send(app, request, blob).await?;
    let kind = match file.file_format.as_str() {
        "zip" => "application/zip",
        "gzip" => "application/gzip",
        _ => "application/octet-stream",
    };
    let name = disposition("attachment", &file.file_name);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    let name = HeaderValue::from_str(&name).map_err(Error::internal)?;
    headers.insert(header::CONTENT_DISPOSITION, name);
    Ok(response)
}
