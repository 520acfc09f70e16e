//! A job in the hands of its runner: known by the token that it was given with it.

use super::store::jobs::{HeldJob, held};
use ::store::Tx;
use http::HeaderValue;
use identity::hooks::RunningJob;
use kernel::error::{Error, Result};
use kernel::http::{Response, reply};
use kernel::secrets::{Secret, digest, same};
use serde_json::json;

/// The header that tells a runner how far its job is.
pub const STATUS: &str = "job-status";

/// A job for who holds its token.
pub enum Held {
    /// It runs, or is being cleaned up.
    Running(Box<HeldJob>),
    /// Its runner has nothing to say of it any more.
    Over(Response),
}

/// The job of this number, for who has its token.
///
/// # Errors
///
/// 403 for another token, and where there is no such job.
pub fn find(tx: &mut Tx<'_>, id: i64, token: &Secret) -> Result<Held> {
    let found = held(tx, id)?.ok_or_else(|| Error::forbidden(""))?;
    let known = found.runner_token_digest.as_deref().unwrap_or_default();
    if known.is_empty() || !same(known, digest(token.expose())) {
        return Err(Error::forbidden(""));
    }
    let reason = match found.job.erased_at {
        Some(_) => Some("Job has been erased!"),
        None if is_project_gone(tx, found.job.project_id)? => Some("Project has been deleted!"),
        None if !found.job.status.is_at_work() => Some("Job is not running"),
        None => None,
    };
    match reason {
        None => Ok(Held::Running(Box::new(found))),
        Some(reason) => refusal(&found, reason).map(Held::Over),
    }
}

fn is_project_gone(tx: &mut Tx<'_>, project_id: i64) -> Result<bool> {
    let reference = kernel::ids::Reference::Id(project_id);
    let project = spaces::access::find_project(tx, &reference)?;
    Ok(project.is_none_or(|project| project.deletion_scheduled_at.is_some()))
}

/// 403 with how far the job is.
pub fn refusal(held: &HeldJob, reason: &str) -> Result<Response> {
    let body = json!({"message": format!("403 Forbidden - {reason}")});
    with_status(reply::json(http::StatusCode::FORBIDDEN, &body)?, held.job.status.as_str())
}

/// An answer that tells how far a job is.
pub fn with_status(mut response: Response, status: &str) -> Result<Response> {
    let status = HeaderValue::from_str(status).map_err(Error::internal)?;
    response.headers_mut().insert(STATUS, status);
    Ok(response)
}

/// The job that a token is of, while it runs: what identity asks.
pub fn of_token(tx: &mut Tx<'_>, token: &str) -> Result<Option<RunningJob>> {
    let found = super::store::jobs::of_token(tx, digest(token))?;
    Ok(found.and_then(|(id, project_id, user_id)| {
        Some(RunningJob { id, project_id, user_id: user_id? })
    }))
}
