//! What is asked of the server.

use crate::wire::Job;
use crate::{Failed, Options};
use futures_util::stream::{self, StreamExt};
use reqwest::header::{CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, HeaderMap, RANGE};
use reqwest::{Body, Response, StatusCode};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use url::Url;

/// How long the server may take to begin an answer: it holds a request for a job for up to
/// 50 seconds.
const LONGEST: Duration = Duration::from_secs(120);
/// The header with the state of the queue, and that with how far a job is.
const LAST_UPDATE: &str = "x-gitlab-last-update";
const JOB_STATUS: &str = "job-status";
const INTERVAL: &str = "x-gitlab-trace-update-interval";

/// Bytes of a file that are read at once.
const PIECE: usize = 64 * 1024;

/// How a job stands for its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Running,
    /// It is to end, and may clean up.
    Canceling,
    /// This runner stops: it ends, and the server is told so.
    Halted,
    /// The server wants no more of it.
    Over,
}

/// What came of a piece of a log.
#[derive(Debug)]
pub struct Appended {
    pub standing: Standing,
    /// Bytes that the server has; unknown where it does not say.
    pub stored: Option<u64>,
    /// How long to wait with the next piece.
    pub interval: Option<Duration>,
}

/// What a job came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Running,
    Success,
    Failed { reason: &'static str, exit_code: Option<i32> },
}

#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    api: Url,
    token: String,
    system_id: String,
    executor: &'static str,
}

impl Client {
    /// # Errors
    ///
    /// Where the address is none.
    pub fn new(options: &Options, system_id: String) -> Result<Client, Failed> {
        let mut api = options.url.clone();
        api.path_segments_mut()
            .map_err(|()| Failed::of("the address is none of a server"))?
            .pop_if_empty()
            .extend(["api", "v4"]);
        // Another part of the program may have set it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(15))
            .read_timeout(LONGEST)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("tenon-runner/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Client {
            http,
            api,
            token: options.token.clone(),
            system_id,
            executor: options.executor.name(),
        })
    }

    fn at(&self, parts: &[&str]) -> Url {
        let mut url = self.api.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.extend(parts);
        }
        url
    }

    fn info(&self) -> Value {
        json!({
            "name": "tenon-runner",
            "version": env!("CARGO_PKG_VERSION"),
            "platform": std::env::consts::OS,
            "architecture": std::env::consts::ARCH,
            "executor": self.executor,
            "features": {
                "variables": true, "raw_variables": true, "artifacts": true, "cache": true,
                "upload_multiple_artifacts": true, "upload_raw_artifacts": true,
                "artifacts_exclude": true, "refspecs": true, "masking": true,
                "return_exit_code": true, "cancelable": true, "cancel_gracefully": true,
                "image": true, "services": true, "multi_build_steps": true,
            },
        })
    }

    /// Whether the token is good.
    ///
    /// # Errors
    ///
    /// [`Failed::Refused`] if it is not.
    pub async fn verify(&self) -> Result<(), Failed> {
        let body = json!({"token": self.token, "system_id": self.system_id, "info": self.info()});
        let answer = self.http.post(self.at(&["runners", "verify"])).json(&body).send().await?;
        good(answer).await.map(drop)
    }

    /// The next job; none where there was none for a while.
    ///
    /// # Errors
    ///
    /// [`Failed::Refused`] where the token is no longer good.
    pub async fn request(&self, state: &mut Option<String>) -> Result<Option<Job>, Failed> {
        let body = json!({"token": self.token, "system_id": self.system_id,
            "last_update": state, "info": self.info()});
        let answer = self.http.post(self.at(&["jobs", "request"])).json(&body).send().await?;
        if answer.status() == StatusCode::CONFLICT {
            return Ok(None);
        }
        let answer = good(answer).await?;
        if answer.status() == StatusCode::NO_CONTENT {
            *state = text(answer.headers(), LAST_UPDATE).map(str::to_owned);
            return Ok(None);
        }
        Ok(Some(answer.json().await?))
    }

    /// Adds to the log of a job.
    pub async fn append(&self, job: &Job, from: u64, piece: Vec<u8>) -> Result<Appended, Failed> {
        let to = from + piece.len() as u64 - 1;
        let request = self
            .http
            .patch(self.at(&["jobs", &job.id.to_string(), "trace"]))
            .header("job-token", &job.token)
            .header(CONTENT_RANGE, format!("{from}-{to}"))
            .body(piece);
        let answer = request.send().await?;
        let stored = text(answer.headers(), RANGE.as_str())
            .and_then(|range| range.strip_prefix("0-")?.parse().ok());
        let standing = match answer.status() {
            StatusCode::ACCEPTED | StatusCode::RANGE_NOT_SATISFIABLE => standing(&answer),
            status if status.is_client_error() => Standing::Over,
            _ => return Err(refusal(answer).await),
        };
        let seconds = text(answer.headers(), INTERVAL).and_then(|text| text.parse().ok());
        let interval = seconds.map(Duration::from_secs);
        Ok(Appended { standing, stored, interval })
    }

    /// Tells what a job has come to.
    pub async fn update(&self, job: &Job, state: &State) -> Result<Standing, Failed> {
        let mut body = match state {
            State::Running => json!({"state": "running"}),
            State::Success => json!({"state": "success"}),
            State::Failed { reason, exit_code } => {
                json!({"state": "failed", "failure_reason": reason, "exit_code": exit_code})
            }
        };
        body["token"] = json!(job.token);
        let url = self.at(&["jobs", &job.id.to_string()]);
        let answer = self.http.put(url).json(&body).send().await?;
        match answer.status() {
            status if status.is_success() => Ok(standing(&answer)),
            status if status.is_client_error() => Ok(Standing::Over),
            _ => Err(refusal(answer).await),
        }
    }

    /// Stores a file that a job leaves.
    pub async fn upload(
        &self, job: &Job, (kind, format): (&str, &str), expire_in: Option<&str>,
        (path, name): (&Path, String),
    ) -> Result<(), Failed> {
        let mut url = self.at(&["jobs", &job.id.to_string(), "artifacts"]);
        url.query_pairs_mut()
            .append_pair("artifact_type", kind)
            .append_pair("artifact_format", format);
        if let Some(text) = expire_in {
            url.query_pairs_mut().append_pair("expire_in", text);
        }
        let file = File::open(path).await?;
        let size = file.metadata().await?.len();
        let boundary = crate::random_word()?;
        let (head, tail) = around(&boundary, &name);
        let length = head.len() as u64 + size + tail.len() as u64;
        let request = self
            .http
            .post(url)
            .header("job-token", &job.token)
            .header(CONTENT_TYPE, format!("multipart/form-data; boundary={boundary}"))
            .header(CONTENT_LENGTH, length)
            .body(form(head, file, tail));
        let answer = request.send().await?;
        good(answer).await.map(drop)
    }

    /// Writes the archive of an earlier job into a file.
    pub async fn download(&self, id: i64, token: &str, into: &Path) -> Result<(), Failed> {
        let url = self.at(&["jobs", &id.to_string(), "artifacts"]);
        let answer = self.http.get(url).header("job-token", token).send().await?;
        let mut answer = good(answer).await?;
        let mut file = File::create(into).await?;
        while let Some(bytes) = answer.chunk().await? {
            file.write_all(&bytes).await?;
        }
        Ok(file.flush().await?)
    }
}

/// What stands before and behind a file in a form.
fn around(boundary: &str, name: &str) -> (String, String) {
    let name: String =
        name.chars().map(|c| if c == '"' || c.is_control() { '_' } else { c }).collect();
    let head = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
         Content-Type: application/octet-stream\r\n\r\n"
    );
    (head, format!("\r\n--{boundary}--\r\n"))
}

/// A form with one file, read as it is sent.
fn form(head: String, file: File, tail: String) -> Body {
    let pieces = stream::try_unfold(file, |mut file| async move {
        let mut piece = vec![0; PIECE];
        let read = file.read(&mut piece).await?;
        piece.truncate(read);
        Ok::<_, std::io::Error>((read > 0).then_some((piece, file)))
    });
    let text = |text: String| stream::iter([Ok(text.into_bytes())]);
    Body::wrap_stream(text(head).chain(pieces).chain(text(tail)))
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

fn standing(answer: &Response) -> Standing {
    match text(answer.headers(), JOB_STATUS) {
        Some("canceling") => Standing::Canceling,
        Some("canceled" | "failed" | "success" | "skipped") => Standing::Over,
        _ => Standing::Running,
    }
}

async fn good(answer: Response) -> Result<Response, Failed> {
    match answer.status().is_success() {
        true => Ok(answer),
        false => Err(refusal(answer).await),
    }
}

/// What a refusal says, a little of it.
async fn refusal(answer: Response) -> Failed {
    let status = answer.status();
    let body = answer.text().await.unwrap_or_default();
    let said: String = body.chars().take(300).collect();
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Failed::Refused(said),
        _ => Failed::Answer(status.as_u16(), said),
    }
}
