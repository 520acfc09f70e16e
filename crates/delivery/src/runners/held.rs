//! A job in the hands of its runner: known by the token that it was given with it.

use super::store::jobs::{HeldJob, held};
use crate::pipelines::model::Job;
use crate::pipelines::status::Status;
use crate::pipelines::store::jobs::by_id;
use ::store::Tx;
use http::HeaderValue;
use identity::hooks::RunningJob;
use kernel::error::{Error, Found, Result};
use kernel::http::{Response, reply};
use kernel::secrets::{Secret, digest, same};
use serde_json::json;

/// The header that tells a runner how far its job is.
pub const STATUS: &str = "job-status";

/// A job for who holds its token.
pub enum Held<T> {
    /// It runs, or is being cleaned up.
    Running(T),
    /// Its runner has nothing to say of it any more.
    Over(Response),
}

/// The job of this number, for who has its token: as much of it as a piece of its log takes.
///
/// # Errors
///
/// 403 for another token, and where there is no such job.
pub fn known(tx: &mut Tx<'_>, id: i64, token: &Secret) -> Result<Held<HeldJob>> {
    let found = held(tx, id)?.ok_or_else(|| Error::forbidden(""))?;
    if !is_token(&found, token) {
        return Err(Error::forbidden(""));
    }
    let reason = match (found.erased_at, found.project_deleted_at) {
        (Some(_), _) => Some("Job has been erased!"),
        (None, Some(_)) => Some("Project has been deleted!"),
        (None, None) if !found.status.is_at_work() => Some("Job is not running"),
        (None, None) => None,
    };
    match reason {
        None => Ok(Held::Running(found)),
        Some(reason) => refusal(found.status, reason).map(Held::Over),
    }
}

/// All of it.
///
/// # Errors
///
/// As [`known`].
pub fn find(tx: &mut Tx<'_>, id: i64, token: &Secret) -> Result<Held<Job>> {
    match known(tx, id, token)? {
        Held::Running(_) => Ok(Held::Running(by_id(tx, id)?.found("Job")?)),
        Held::Over(refusal) => Ok(Held::Over(refusal)),
    }
}

/// Whether a token is the one that its runner was given with it.
pub fn is_token(held: &HeldJob, token: &Secret) -> bool {
    let known = held.runner_token_digest.as_deref().unwrap_or_default();
    !known.is_empty() && same(known, digest(token.expose()))
}

/// 403 with how far the job is.
pub fn refusal(status: Status, reason: &str) -> Result<Response> {
    let body = json!({"message": format!("403 Forbidden - {reason}")});
    with_status(reply::json(http::StatusCode::FORBIDDEN, &body)?, status.as_str())
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
