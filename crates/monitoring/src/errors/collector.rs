//! Where SDKs send what happened (docs/interface/monitoring.md 6.1 and 6.2): one endpoint for
//! envelopes and one for events as older SDKs send them.
//!
//! The key in the address opens nothing else and is no secret; neither a user
//! nor a token is asked for.

use super::body::{self, Raw, Reading};
use super::decode::{self, Encoding, Form};
use super::envelope::{Envelope, MAX_EVENT, Parser};
use super::fault::{Fault, Refusal};
use super::ingest::{self, Outcome, Report};
use super::keys;
use super::limits::ErrorLimits;
use http::{HeaderName, HeaderValue, StatusCode, header};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::openapi::Operation;
use kernel::http::routes::Declared;
use kernel::http::{Call, FromCall, Params, RequestContext, Response, Routes, reply};
use kernel::ids::Reference;
use serde_json::json;
use std::sync::Arc;

/// Largest body of the old endpoint as it is sent compressed, in bytes.
const MAX_STORE: u64 = 200 * 1024;
/// What a browser may read of an answer.
const EXPOSED: &str = "X-Sentry-Rate-Limits, Retry-After, X-Sentry-Error";
const REFUSED: HeaderName = HeaderName::from_static("x-sentry-error");
const LIMITED: HeaderName = HeaderName::from_static("x-sentry-rate-limits");
const AUTH: HeaderName = HeaderName::from_static("x-sentry-auth");

pub fn routes(r: &mut Routes) {
    let path = |end: &str| format!("/error_tracking/collector/api/{{id}}/{end}");
    for_sdks(r.post(&path("envelope"), envelope)).summary("Receives an envelope of an SDK");
    for_sdks(r.post(&path("store"), store)).summary("Receives an event of an older SDK");
}

fn for_sdks(route: Declared<'_>) -> Declared<'_> {
    route
        .unchecked()
        .streams()
        .slashed()
        .answers(400, "The report cannot be read")
        .answers(404, "The key opens nothing")
        .answers(413, "The report is too large")
        .answers(429, "The project may receive no more for now")
}

kernel::params! {
    /// Where a report goes.
    pub struct Addressed {
        /// The project.
        pub id: Reference,
        /// The client key, unless a header or the envelope tells it.
        pub sentry_key: Option<String>,
    }
}

/// The number of the event that was kept, if any.
type Kept = Result<Option<String>, Refusal>;

/// What an SDK sends, but for its body.
struct Delivery {
    app: App,
    request: Arc<RequestContext>,
    to: Addressed,
    limits: ErrorLimits,
}

impl FromCall for Delivery {
    async fn from_call(call: &mut Call) -> Result<Delivery> {
        Ok(Delivery {
            app: call.app.clone(),
            request: call.request.clone(),
            to: Params::from_call(call).await?.0,
            limits: call.app.settings().get(&call.app).await?,
        })
    }

    fn describe(operation: &mut Operation<'_>) {
        Params::<Addressed>::describe(operation);
    }
}

async fn envelope(delivery: Delivery, body: Raw) -> Result<Response> {
    answer(delivery.take_envelope(body).await)
}

async fn store(delivery: Delivery, body: Raw) -> Result<Response> {
    answer(delivery.take_event(body).await)
}

const NO_KEY: Fault = Fault::Malformed("no client key was sent");

impl Delivery {
    async fn take_envelope(&self, body: Raw) -> Kept {
        let key = self.key_told();
        if let Some(key) = &key {
            self.opened(key).await?;
        }
        let form = Form::Envelope(Box::<Parser>::default());
        let (sent, decoded) = (self.limits.sent(), self.limits.decoded());
        match self.read(body, form, sent, decoded).await? {
            Form::Envelope(parser) => self.keep(key, parser.finish()?).await,
            Form::Whole(_) => Err(Fault::Malformed("the body is no envelope").into()),
        }
    }

    async fn take_event(&self, body: Raw) -> Kept {
        let key = self.key_told().ok_or(NO_KEY)?;
        self.opened(&key).await?;
        let decoded = MAX_EVENT as u64;
        let form = Form::Whole(Vec::new());
        let Form::Whole(sent) = self.read(body, form, MAX_STORE, decoded).await? else {
            return Err(Fault::Malformed("the body is no event").into());
        };
        let event = body::busy(move || decode::sniff(sent, MAX_STORE, decoded)).await??;
        let envelope = Envelope { event: Some(event), ..Envelope::default() };
        self.keep(Some(key), envelope).await
    }

    fn key_told(&self) -> Option<String> {
        let in_header = || key_in(self.request.header(AUTH)?);
        let filled = |key: &String| !key.is_empty();
        let told = self.to.sentry_key.clone().filter(filled);
        told.or_else(in_header)
    }

    /// The number of the project, if the key opens it.
    async fn opened(&self, key: &str) -> Result<i64, Refusal> {
        let found = keys::opened(&self.app, self.to.id.clone(), key, &self.limits).await?;
        found.ok_or(Refusal::Key)
    }

    async fn read(
        &self, Raw(body): Raw, form: Form, sent: u64, decoded: u64,
    ) -> Result<Form, Refusal> {
        let encoding = Encoding::named(self.request.header(header::CONTENT_ENCODING))?;
        // What is not compressed may be as long as what is decompressed.
        let sent = match encoding {
            Encoding::Identity => decoded,
            _ => sent,
        };
        let announced = self.request.header(header::CONTENT_LENGTH);
        let announced: Option<u64> = announced.and_then(|length| length.trim().parse().ok());
        if announced > Some(sent) {
            return Err(Fault::TooLarge("the body").into());
        }
        let reading = Reading { encoding, form, sent, decoded };
        body::read(body, reading).await
    }

    async fn keep(&self, key: Option<String>, envelope: Envelope) -> Kept {
        let key = key.or_else(|| envelope.key.clone()).ok_or(NO_KEY)?;
        let project_id = self.opened(&key).await?;
        let told = envelope.event_id.as_deref().and_then(super::event::number);
        let peer = self.request.peer.to_string();
        let Some((report, id)) = Report::of(envelope, peer, &self.limits).await? else {
            return Ok(told);
        };
        match ingest::keep(&self.app, project_id, report).await? {
            Outcome::Kept => Ok(id.or(told)),
            Outcome::Full(seconds) => Err(Refusal::Full(seconds)),
            Outcome::Closed => Err(Refusal::Key),
        }
    }
}

/// The key in `Sentry sentry_key=…, sentry_version=7, …`.
fn key_in(header: &str) -> Option<String> {
    let pairs = header.trim();
    let scheme = pairs.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("sentry "));
    let pairs = scheme.map_or(pairs, |scheme| &pairs[scheme.len()..]);
    pairs
        .split(',')
        .filter_map(|pair| pair.split_once('='))
        .find(|(name, _)| name.trim() == "sentry_key")
        .map(|(_, key)| key.trim().to_owned())
        .filter(|key| !key.is_empty())
}

fn answer(kept: Kept) -> Result<Response> {
    let mut response = match kept {
        Ok(Some(id)) => reply::json(StatusCode::OK, &json!({"id": id}))?,
        Ok(None) => reply::json(StatusCode::OK, &json!({}))?,
        Err(refusal) => refused(refusal)?,
    };
    response
        .headers_mut()
        .insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    Ok(response)
}

fn refused(refusal: Refusal) -> Result<Response> {
    let wait = match refusal {
        Refusal::Full(seconds) => Some(seconds),
        _ => None,
    };
    let (status, message, detail) = match refusal {
        Refusal::Failed(error) => return Err(error),
        Refusal::Fault(fault @ Fault::Malformed(_)) => {
            (StatusCode::BAD_REQUEST, "Failed to parse sentry request", fault.to_string())
        }
        Refusal::Fault(fault @ Fault::TooLarge(_)) => {
            (StatusCode::PAYLOAD_TOO_LARGE, "413 Request Entity Too Large", fault.to_string())
        }
        Refusal::Key => (
            StatusCode::NOT_FOUND,
            "404 Not found",
            "the project does not exist, or the client key does not open it".to_owned(),
        ),
        Refusal::Full(_) => (
            StatusCode::TOO_MANY_REQUESTS,
            "429 Too Many Requests",
            "the project has received too many events".to_owned(),
        ),
    };
    let body = json!({"message": message, "detail": detail, "causes": []});
    let mut response = reply::json(status, &body)?;
    let headers = response.headers_mut();
    headers.insert(REFUSED, value(&detail)?);
    if let Some(seconds) = wait {
        headers.insert(header::RETRY_AFTER, value(&seconds.to_string())?);
        let limits = format!("{seconds}:error;default:project:quota");
        headers.insert(LIMITED, value(&limits)?);
    }
    Ok(response)
}

fn value(text: &str) -> Result<HeaderValue> {
    HeaderValue::from_str(text).map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_found_in_the_header_of_every_sdk() {
        for (header, key) in [
            ("Sentry sentry_key=abc, sentry_version=7", Some("abc")),
            ("sentry sentry_version=7,sentry_key=abc", Some("abc")),
            (
                "Sentry sentry_version=5, sentry_client=x, sentry_key=abc, sentry_secret=s",
                Some("abc"),
            ),
            ("sentry_key=abc", Some("abc")),
            ("Sentry sentry_key=", None),
            ("Sentry ", None),
            ("é", None),
            ("", None),
        ] {
            assert_eq!(key_in(header).as_deref(), key, "{header}");
        }
    }
}
