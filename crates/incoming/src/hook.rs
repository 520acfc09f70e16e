//! `POST /-/incoming_mail`: where a mail server hands over a mail that it took, as
//! Postfix does by a pipe. What it shows is the token that the program was told.

use crate::message::MAX_MAIL;
use crate::receive::receive;
use futures_util::StreamExt;
use http::{Method, StatusCode, header};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::routes::Surface;
use kernel::http::{RequestContext, Response, Routes, Upload, refusal, reply};
use kernel::secrets::same;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

const PATH: &str = "/-/incoming_mail";
/// How long a mail may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(60);
/// How long it may wait for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// One mail is in memory at a time.
struct Turns(Semaphore);

impl Default for Turns {
    fn default() -> Turns {
        Turns(Semaphore::new(1))
    }
}

pub fn routes(r: &mut Routes) {
    r.plain(Method::POST, PATH, take)
        .refuses(|error, request| refusal::render(error, Surface::Api, request))
        .unchecked()
        .streams()
        .summary("Takes a mail that a mail server received");
}

async fn take(app: App, request: Arc<RequestContext>, body: Upload) -> Result<Response> {
    let Some(token) = &app.config().incoming_mail.token else {
        return Err(Error::NotFound(""));
    };
    let shown = request.header(header::AUTHORIZATION).unwrap_or_default();
    let shown = shown.strip_prefix("Bearer ").unwrap_or_default();
    if !same(shown, token) {
        return Err(Error::Unauthenticated);
    }
    let turns = app.kept::<Turns>();
    let busy = || Error::Unavailable("Other mails are being read. Hand it over again.".into());
    let _turn = timeout(PATIENCE, turns.0.acquire()).await.map_err(|_| busy())?;
    let arrived = timeout(ARRIVAL, whole(body)).await.map_err(|_| Error::TooSlow)?;
    let outcome = receive(&app, arrived?).await?;
    reply::json(StatusCode::OK, &json!({ "outcome": outcome }))
}

async fn whole(mut body: Upload) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(chunk) = body.next().await {
        let chunk = chunk?;
        if bytes.len() + chunk.len() > MAX_MAIL {
            return Err(Error::TooLarge);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
