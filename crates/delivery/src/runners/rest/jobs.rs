//! What runners ask and say of jobs, with the token of the runner or of the job.

use super::super::environment_url;
use super::super::held::{self, Held, with_status};
use super::super::masks::Masks;
use super::super::model::Runner;
use super::super::payload::{JobPayload, payload};
use super::super::store::jobs::HeldJob;
use super::super::store::managers::Said;
use super::super::take::{Taken, Taker};
use super::super::trace::{self, Appended, Piece};
use super::super::waiting::{Answer, KnownRunners, next};
use super::program::{Info, NO_SUCH, SentToken, heard_of, system_id};
use crate::pipelines::jobs::{self, Outcome};
use crate::pipelines::model::FailureReason;
use crate::pipelines::status::Status;
use crate::pipelines::store::jobs::by_id;
use bytes::BytesMut;
use futures_util::StreamExt;
use http::{HeaderValue, StatusCode, header};
use kernel::app::App;
use kernel::error::{BestEffort, Error, Found, Result};
use kernel::http::bodies;
use kernel::http::call::Upload;
use kernel::http::openapi::Operation;
use kernel::http::params::{Field, Param};
use kernel::http::{Call, FromCall, Params, RequestContext, Response, Routes, reply};
use kernel::secrets::Secret;
use serde_json::json;
use std::sync::Arc;

/// Headers that tell where the queue is, and how often to send the log: each under a name
/// of our own, and under the one that programs know.
const LAST_UPDATE: [&str; 2] = ["x-service-last-update", "x-gitlab-last-update"];
const INTERVAL: [&str; 2] = ["x-service-trace-update-interval", "x-gitlab-trace-update-interval"];
/// Seconds between two pieces of a log.
const SECONDS: &str = "3";
/// Most bytes of one piece of a log.
const MOST_PIECE: usize = 4 * 1024 * 1024;
/// Bytes of a piece that are gone through without leaving the thread that others wait for.
const MOST_INLINE: usize = 64 * 1024;

pub fn routes(r: &mut Routes) {
    r.post("/jobs/request", request)
        .unchecked()
        .answers(201, "A job")
        .answers(403, NO_SUCH)
        .answers(409, "Another job was about to be handed out; ask again")
        .answers(204, "No job waits")
        .summary("Gives a runner the next job");
    r.put("/jobs/{job_id}", update)
        .unchecked()
        .answers(403, "The job is over")
        .summary("Tells how far a job is");
    r.patch("/jobs/{job_id}/trace", append)
        .unchecked()
        .streams()
        .answers(202, "It is stored")
        .answers(403, "The token is not of this job, or the job is over")
        .answers(416, "It does not begin where the log ends")
        .summary("Adds to the log of a job");
}

/// The token of a job: in a header, the query or the body.
pub struct JobToken(pub Secret);

impl FromCall for JobToken {
    async fn from_call(call: &mut Call) -> Result<JobToken> {
        if let Some(text) = call.request.header("job-token") {
            return Ok(JobToken(Secret::new(text)));
        }
        let sent = call.text("token").await?.filter(|text| !text.is_empty());
        sent.map(|text| JobToken(Secret::new(text)))
            .ok_or_else(|| Error::missing("token"))
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.parameters(vec![Field {
            name: "token",
            description: "The token of the job; the header Job-Token may carry it, too.",
            schema: String::schema(),
            required: true,
        }]);
    }
}

kernel::params! {
    pub struct AskForJob {
        /// Which machine asks.
        pub system_id: Option<String>,
        /// The state of the queue that it was told last.
        pub last_update: Option<String>,
        /// What the program says of itself.
        pub info: Option<Info>,
    }
}

/// The part of `info` that says what a program can do: its other parts are of any shape.
struct Features {
    cancels_gently: bool,
    knows_refspecs: bool,
}

impl FromCall for Features {
    async fn from_call(call: &mut Call) -> Result<Features> {
        let features = call.merged().await?.get("info").and_then(|info| info.get("features"));
        let can = |name: &str| features.and_then(|all| all.get(name)?.as_bool()) == Some(true);
        Ok(Features {
            cancels_gently: can("cancel_gracefully"),
            knows_refspecs: can("refspecs"),
        })
    }
}

fn with(mut response: Response, names: [&'static str; 2], value: &str) -> Result<Response> {
    let value = HeaderValue::from_str(value).map_err(Error::internal)?;
    for name in names {
        response.headers_mut().insert(name, value.clone());
    }
    Ok(response)
}

async fn request(
    app: App, token: SentToken, request: Arc<RequestContext>, can: Features,
    sent: Params<AskForJob>,
) -> Result<Response> {
    let Params(sent) = sent;
    let system = system_id(sent.system_id)?;
    let known = app.kept::<KnownRunners>();
    let runner = known.by_token(&app, &token.0).await?;
    if known.is_to_note(runner.id, &system) {
        let said = Said {
            knows_refspecs: Some(can.knows_refspecs),
            ..sent.info.unwrap_or_default().said(&request)
        };
        let (runner, system) = (runner.clone(), system.clone());
        app.write(move |tx| heard_of(tx, &runner, &system, &said)).await?;
    }
    let runner = Runner::clone(&runner);
    let by = Taker {
        runner: runner.clone(),
        system_id: system,
        cancels_gently: can.cancels_gently,
        knows_refspecs: can.knows_refspecs,
    };
    match next(&app, by, sent.last_update.as_deref()).await? {
        Answer::Nothing(state) => with(reply::empty(StatusCode::NO_CONTENT), LAST_UPDATE, &state),
        Answer::Job(taken) => match handed(&app, *taken, runner).await? {
            Some(payload) => reply::json(StatusCode::CREATED, &payload),
            None => {
                let body = json!({"message": "409 Conflict"});
                reply::json(StatusCode::CONFLICT, &body)
            }
        },
    }
}

/// All of a job that was taken; one that cannot be read has failed.
async fn handed(app: &App, taken: Taken, runner: Runner) -> Result<Option<JobPayload>> {
    let id = taken.job.id;
    match payload(app, taken, runner).await {
        Ok(payload) => Ok(Some(payload)),
        Err(error) => {
            tracing::error!(job = id, %error, "a job cannot be handed out");
            let failed = app.write(move |tx| {
                let job = by_id(tx, id)?.found("Job")?;
                jobs::finish(tx, &job, Outcome::failed(FailureReason::SchedulerFailure))
            });
            failed.await.best_effort("end a job that cannot be handed out");
            Ok(None)
        }
    }
}

kernel::params! {
    pub struct OneJob {
        /// Id of the job.
        pub job_id: i64,
    }
}

kernel::choices! {
    /// How far its runner is with a job.
    pub enum JobState as "RunnerJobState" {
        Pending = "pending",
        Running = "running",
        Success = "success",
        Failed = "failed",
    }
}

kernel::params! {
    pub struct UpdateJob {
        /// Id of the job.
        pub job_id: i64,
        /// How far it is.
        pub state: Option<JobState>,
        /// Why it failed.
        pub failure_reason: Option<String>,
        /// With what code its script ended.
        pub exit_code: Option<i64>,
    }
}

impl UpdateJob {
    fn outcome(&self) -> Option<Outcome> {
        match self.state {
            Some(JobState::Success) => Some(Outcome::Success),
            Some(JobState::Failed) => {
                let word = self.failure_reason.as_deref().unwrap_or("script_failure");
                let reason = FailureReason::from_text(word);
                Some(Outcome::Failed {
                    reason: reason.unwrap_or(FailureReason::UnknownFailure),
                    exit_code: self.exit_code,
                })
            }
            _ => None,
        }
    }
}

async fn update(app: App, token: JobToken, sent: Params<UpdateJob>) -> Result<Response> {
    let secrets = app.secrets().clone();
    app.write(move |tx| {
        let job = match held::find(tx, sent.job_id, &token.0)? {
            Held::Running(job) => job,
            Held::Over(refusal) => return Ok(refusal),
        };
        let status = match sent.outcome() {
            Some(outcome) => {
                crate::reports::coverage_wanted(tx, job.id)?;
                if outcome == Outcome::Success {
                    environment_url::find_out(tx, &secrets, &job)?;
                }
                jobs::finish(tx, &job, outcome)?
            }
            None => {
                jobs::touch(tx, job.id)?;
                job.status
            }
        };
        let answer = reply::json(StatusCode::OK, &json!({}))?;
        with_status(with(answer, INTERVAL, SECONDS)?, status.as_str())
    })
    .await
}

/// Where a piece of a log begins.
fn start(request: &RequestContext) -> Result<i64> {
    let wrong = |text: &str| Error::Exact(400, json!({"message": text}));
    let range = request.header(header::CONTENT_RANGE);
    let range = range.ok_or_else(|| wrong("400 Missing header Content-Range"))?;
    trace::start_of(range).ok_or_else(|| wrong("400 Invalid header Content-Range"))
}

/// The bytes of a body that is a piece of a log.
async fn piece(mut body: Upload) -> Result<Vec<u8>> {
    let mut bytes = BytesMut::new();
    while let Some(more) = body.next().await {
        let more = more?;
        if bytes.len() + more.len() > MOST_PIECE {
            return Err(Error::TooLarge);
        }
        // Many at once share what the server keeps of bodies.
        bodies::hold(more.len(), false)?;
        bytes.extend_from_slice(&more);
    }
    Ok(bytes.into())
}

/// The same with its masks. Those of a job are there before anybody has its token, and stay
/// as they are.
async fn masked(app: &App, held: HeldJob, start: i64, bytes: Vec<u8>) -> Result<Piece> {
    let (app, is_long) = (app.clone(), bytes.len() > MOST_INLINE);
    let mask = move || {
        let masks = Masks::of_job(&app, held.id, held.sealed_masks.as_deref())?;
        Piece::new(start, bytes, masks)
    };
    match is_long {
        true => tokio::task::spawn_blocking(mask).await.map_err(Error::internal)?,
        false => mask(),
    }
}

async fn append(
    app: App, token: JobToken, request: Arc<RequestContext>, one: Params<OneJob>, body: Upload,
) -> Result<Response> {
    let (id, secret) = (one.job_id, token.0.clone());
    // Who may not is told before all of it is read.
    let held = match app.read_inline(move |tx| held::known(tx, id, &secret)).await? {
        Held::Running(held) => held,
        Held::Over(refusal) => return Ok(refusal),
    };
    let start = start(&request)?;
    let piece = masked(&app, held, start, piece(body).await?).await?;
    app.write(move |tx| {
        let held = match held::known(tx, id, &token.0)? {
            Held::Running(held) => held,
            Held::Over(refusal) => return Ok(refusal),
        };
        match trace::append(tx, &held, &piece)? {
            Appended::Stored(size) => stored(StatusCode::ACCEPTED, size, held.status),
            Appended::Gap(size) => stored(StatusCode::RANGE_NOT_SATISFIABLE, size, held.status),
            Appended::TooLong => {
                let outcome = Outcome::failed(FailureReason::ScriptFailure);
                let job = by_id(tx, id)?.found("Job")?;
                let status = jobs::finish(tx, &job, outcome)?;
                held::refusal(status, "The log of the job is too long")
            }
        }
    })
    .await
}

/// How much of a log is stored, and how far the job is.
fn stored(code: StatusCode, size: i64, status: Status) -> Result<Response> {
    let body = match code {
        StatusCode::ACCEPTED => json!({"message": "202 Accepted"}),
        _ => json!({"message": "416 Range Not Satisfiable"}),
    };
    let mut answer = with(reply::json(code, &body)?, INTERVAL, SECONDS)?;
    let range = HeaderValue::from_str(&format!("0-{size}")).map_err(Error::internal)?;
    answer.headers_mut().insert(header::RANGE, range);
    with_status(answer, status.as_str())
}
