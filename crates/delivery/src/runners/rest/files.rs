//! Files that runners bring, and those of earlier jobs that they fetch.

use super::super::artifacts::dependencies::jobs_of;
use super::super::artifacts::kinds::{ARCHIVE, DOTENV, Kind};
use super::super::artifacts::upload::{self, Brought};
use super::super::held::{self, Held};
use super::super::left::send;
use super::super::store::artifacts::{self, Artifact, NewArtifact};
use super::jobs::OneJob;
use crate::pipelines::model::Job;
use crate::pipelines::store::jobs;
use ::store::Tx;
use http::StatusCode;
use kernel::app::App;
use kernel::blobs::Received;
use kernel::error::{Error, Found, Result};
use kernel::http::openapi::Operation;
use kernel::http::{Call, FromCall, Params, Part, Parts, RequestContext, Response, Routes, reply};
use kernel::secrets::Secret;
use serde_json::json;
use std::collections::HashMap;
use std::sync::Arc;

/// Parts of one form, and bytes of one text in it.
const MOST_PARTS: usize = 50;
const MOST_TEXT: usize = 4096;

pub fn routes(r: &mut Routes) {
    r.post("/jobs/{job_id}/artifacts", bring)
        .unchecked()
        .streams()
        .answers(201, "It is stored")
        .answers(403, "The token is not of this job, or the job is over")
        .answers(413, "It is too large")
        .summary("Stores a file that a job leaves");
    r.get("/jobs/{job_id}/artifacts", fetch)
        .unchecked()
        .answers(401, "There is no token")
        .answers(403, "The token is of no job that may have it")
        .summary("Sends the archive of a job to its runner, or to that of a later job");
}

/// The token of a job, of requests whose body is a file: in a header or the query.
pub struct HeaderToken(Option<Secret>);

impl FromCall for HeaderToken {
    async fn from_call(call: &mut Call) -> Result<HeaderToken> {
        let header = call.request.header("job-token").map(str::to_owned);
        let sent = header.or_else(|| call.query("token").map(str::to_owned));
        Ok(HeaderToken(sent.filter(|text| !text.is_empty()).map(Secret::new)))
    }

    fn describe(_: &mut Operation<'_>) {}
}

kernel::params! {
    /// What is said of a file; the form may say it, too.
    #[derive(Default)]
    pub struct Said {
        /// What kind of file it is: `archive` unless said.
        pub artifact_type: Option<String>,
        /// How it is packed.
        pub artifact_format: Option<String>,
        /// How long it is kept.
        pub expire_in: Option<String>,
    }
}

/// A form: texts by field, and the files `file` and `metadata`.
#[derive(Default)]
struct Form {
    texts: HashMap<String, String>,
    files: HashMap<String, (String, Received)>,
}

impl Form {
    async fn read(app: &App, mut parts: Parts) -> Result<Form> {
        let (mut form, limit) = (Form::default(), upload::limit(app).await?);
        let mut count = 0;
        while let Some(part) = parts.next().await? {
            count += 1;
            if count > MOST_PARTS {
                return Err(Error::BadRequest("the form has too many fields".into()));
            }
            form.take(app, part, limit).await?;
        }
        Ok(form)
    }

    async fn take(&mut self, app: &App, part: Part, limit: u64) -> Result<()> {
        let field = part.name().to_owned();
        if field == "file" || field == "metadata" {
            let name = part.file_name().unwrap_or_default().to_owned();
            let received = match app.blobs().receive(part.bytes(), Some(limit)).await {
                Err(Error::TooLarge) => return Err(upload::too_large()),
                other => other?,
            };
            self.files.insert(field, (name, received));
            return Ok(());
        }
        let (text, _) = part.beginning(MOST_TEXT, MOST_TEXT).await?;
        self.texts.insert(field, text);
        Ok(())
    }
}

/// The job that a token is of, while it runs.
async fn running(app: &App, id: i64, token: &Secret) -> Result<std::result::Result<Job, Response>> {
    let token = token.clone();
    app.read(move |tx| {
        Ok(match held::find(tx, id, &token)? {
            Held::Running(job) => Ok(job),
            Held::Over(refusal) => Err(refusal),
        })
    })
    .await
}

async fn bring(
    app: App, token: HeaderToken, one: Params<OneJob>, said: Params<Said>, parts: Parts,
) -> Result<Response> {
    let token = token.0.ok_or_else(|| Error::forbidden(""))?;
    let job = match running(&app, one.job_id, &token).await? {
        Ok(job) => job,
        Err(refusal) => return Ok(refusal),
    };
    let mut form = Form::read(&app, parts).await?;
    let text = |name: &str, sent: &Option<String>| sent.clone().or(form.texts.get(name).cloned());
    let file_type = text("artifact_type", &said.artifact_type);
    let format = text("artifact_format", &said.artifact_format);
    let kind = upload::kind(file_type.as_deref(), format.as_deref())?;
    let expires = text("expire_in", &said.expire_in);
    let expires_at = upload::expires_at(expires.as_deref(), app.now())?;
    let file = form.files.remove("file").ok_or_else(|| Error::missing("file"))?;
    let mut all = vec![received_file(&app, &job, kind, file, expires_at).await?];
    if let Some(list) = form.files.remove("metadata").filter(|_| kind.name == ARCHIVE) {
        all.push(received_file(&app, &job, upload::metadata(), list, expires_at).await?);
    }
    let secrets = app.secrets().clone();
    app.write(move |tx| {
        let Held::Running(job) = held::find(tx, job.id, &token)? else {
            return Err(Error::forbidden("Job is not running"));
        };
        all.iter().try_for_each(|brought| upload::add(tx, &secrets, &job, brought))
    })
    .await?;
    reply::json(StatusCode::CREATED, &json!({"message": "201 Created"}))
}

async fn received_file(
    app: &App, job: &Job, kind: &'static Kind, (name, received): (String, Received),
    expires_at: Option<jiff::Timestamp>,
) -> Result<Brought> {
    if kind.largest().is_some_and(|most| received.stored().size > most) {
        return Err(upload::too_large());
    }
    let pairs = match kind.name {
        DOTENV => upload::pairs(&received, &app.settings().get(app).await?)?,
        _ => Vec::new(),
    };
    let plain = |c: char| !c.is_control() && c != '/' && c != '\\';
    let name: String = name.chars().filter(|c| plain(*c)).take(255).collect();
    Ok(Brought {
        new: NewArtifact {
            job_id: job.id,
            project_id: job.project_id,
            file_type: kind.name,
            file_format: kind.format,
            file_name: if name.is_empty() { kind.file.to_owned() } else { name },
            expires_at,
        },
        stored: app.blobs().keep(received).await?,
        pairs,
    })
}

async fn fetch(
    app: App, request: Arc<RequestContext>, token: HeaderToken, one: Params<OneJob>,
) -> Result<Response> {
    let token = token.0.ok_or(Error::Unauthenticated)?;
    let found = app.read(move |tx| archive_for(tx, one.job_id, &token)).await?;
    send(&app, &request, &found).await
}

/// The archive of a job for who holds its token, or that of a running job which depends
/// on it.
fn archive_for(tx: &mut Tx<'_>, id: i64, token: &Secret) -> Result<Artifact> {
    let known = super::super::store::jobs::held(tx, id)?.found("Job")?;
    let is_own = known.status.is_at_work() && held::is_token(&known, token);
    if !is_own && !depends(tx, id, token)? {
        return Err(Error::forbidden(""));
    }
    let now = tx.now();
    let file = artifacts::of_type(tx, id, ARCHIVE)?;
    file.filter(|file| file.is_there(now)).found("File")
}

/// Whether the token is that of a running job which takes the files of this one.
fn depends(tx: &mut Tx<'_>, id: i64, token: &Secret) -> Result<bool> {
    let Some(job) = held::of_token(tx, token.expose())? else {
        return Ok(false);
    };
    let later = jobs::by_id(tx, job.id)?.found("Job")?;
    let definition = jobs::definition(tx, later.id)?.found("Job")?;
    Ok(jobs_of(tx, &later, &definition)?.iter().any(|one| one.id == id))
}
