//! Where monitoring tools send alerts (docs/interface/monitoring.md 1.2 to 1.4). These addresses
//! stand outside the API: a key opens one integration and nothing else, and no
//! user's token opens any.

mod ingest_endpoint;
pub mod keep;
mod limit;

use super::limits::AlertLimits;
use super::model::{LEGACY, LEGACY_PROMETHEUS, MAX_PAYLOAD};
use super::payload::{self, Format, Payload};
use crate::errors::body::{self, Raw};
use http::{HeaderValue, Method, StatusCode, header};
use ingest_endpoint::Entry;
use keep::{Delivery, Outcome};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::routes::Surface;
use kernel::http::{Params, RequestContext, Response, Routes, refusal, reply};
use serde_json::json;
use spaces::pages::PROJECT;
use std::sync::Arc;

/// Bodies up to this size are parsed where they arrive, in bytes.
const SMALL: usize = 64 * 1024;

pub fn routes(r: &mut Routes) {
    for ending in ["", ".json"] {
        let plain = format!("{PROJECT}/alerts/notify{ending}");
        declare(r, &plain);
        let of_metrics = format!("{PROJECT}/prometheus/alerts/notify{ending}");
        declare(r, &of_metrics);
    }
    declare(r, &format!("{PROJECT}/alerts/notify/{{name}}/{{endpoint_identifier}}"));
}

fn declare(r: &mut Routes, path: &str) {
    r.plain(Method::POST, path, receive)
        .refuses(|error, request| refusal::render(error, Surface::Api, request))
        .unchecked()
        .streams()
        .slashed()
        .summary("Receives alerts of a monitoring tool");
}

kernel::params! {
    /// Which integration is meant.
    pub struct Addressed {
        /// The last part of its address.
        pub endpoint_identifier: Option<String>,
    }
}

/// What a tool is answered.
enum Answer {
    /// The alerts it was about: number and title.
    Taken(Vec<(i64, String)>),
    /// Not this.
    Refused(StatusCode),
    /// Not now; seconds until it may go on.
    Limited(u64),
}

async fn receive(
    app: App, request: Arc<RequestContext>, to: Params<Addressed>, body: Raw,
) -> Result<Response> {
    kernel::read_only::check(&app)
        .await
        .map_err(|_| Error::Unavailable(kernel::read_only::TEXT.into()))?;
    let taken = take(&app, &request, &to, body).await;
    answer(taken?)
}

async fn take(app: &App, request: &RequestContext, to: &Addressed, body: Raw) -> Result<Answer> {
    let refused = |status| Ok(Answer::Refused(status));
    let named = to.endpoint_identifier.as_deref();
    let Some(door) = ingest_endpoint::find(app, addresses(request.uri.path(), named)).await? else {
        return refused(StatusCode::NOT_FOUND);
    };
    let limits: AlertLimits = app.settings().get(app).await?;
    if let Some(seconds) = limit::exceeded(app, door.project_id, &limits) {
        ingest_endpoint::log(app, &door, 429, "too many requests");
        return Ok(Answer::Limited(seconds));
    }
    let Some((payload, is_large)) = read(body).await? else {
        ingest_endpoint::log(app, &door, 400, "not a JSON object within the limits");
        return refused(StatusCode::BAD_REQUEST);
    };
    let format = payload::format(&payload);
    let opened = match ingest_endpoint::authorize(app, &door, request, &limits) {
        Entry::Opened(opened) => opened,
        Entry::WrongKey => {
            ingest_endpoint::log(app, &door, 401, "wrong key");
            return refused(StatusCode::UNAUTHORIZED);
        }
        Entry::Nobody => return refused(nobody(format)),
    };
    let (reading, now) = (opened.reading, app.now());
    let items = match is_large {
        false => payload::alerts(payload, &reading, now),
        true => body::busy(move || payload::alerts(payload, &reading, now)).await?,
    };
    let delivery = Delivery {
        integration_id: Some(opened.integration_id),
        key: Some(opened.sealed_token),
        format,
        items,
        log: true,
    };
    match keep::keep(app, door.project_id, delivery).await? {
        Outcome::Kept(alerts) => Ok(Answer::Taken(alerts)),
        Outcome::Nothing => refused(StatusCode::BAD_REQUEST),
        Outcome::Closed => refused(nobody(format)),
    }
}

/// What the sender hears where no integration answers.
fn nobody(format: Format) -> StatusCode {
    match format {
        Format::Generic => StatusCode::FORBIDDEN,
        Format::Metrics => StatusCode::UNAUTHORIZED,
    }
}

/// The path of the project, and which of its integrations is meant. A project
/// may be called like the address of the metrics tool: then the second holds.
fn addresses(path: &str, named: Option<&str>) -> Vec<(String, String)> {
    let path = path.trim_end_matches('/');
    let plain = |path: &str| path.strip_suffix("/alerts/notify").map(str::to_owned);
    let mut found = Vec::new();
    if let Some(named) = named {
        let named = named.strip_suffix(".json").unwrap_or(named);
        let above = path.rsplit_once('/').and_then(|(above, _)| above.rsplit_once('/'));
        found.extend(above.and_then(|(above, _)| plain(above)).map(|place| (place, named)));
    } else if let Some(place) = plain(path.strip_suffix(".json").unwrap_or(path)) {
        let above = place.strip_suffix("/prometheus").map(str::to_owned);
        found.extend(above.map(|above| (above, LEGACY_PROMETHEUS)));
        found.push((place, LEGACY));
    }
    let decoded = found.into_iter().filter_map(|(place, named)| {
        let place = percent_encoding::percent_decode_str(place.trim_matches('/'));
        Some((place.decode_utf8().ok()?.into_owned(), named.to_owned()))
    });
    decoded.collect()
}

/// The payload, if it is one, and whether it is so large that work on it is
/// left to a thread.
async fn read(Raw(body): Raw) -> Result<Option<(Payload, bool)>> {
    let Ok(bytes) = body::whole(body, MAX_PAYLOAD as u64).await else {
        return Ok(None);
    };
    let is_large = bytes.len() > SMALL;
    let payload = match is_large {
        false => payload::read(&bytes),
        true => body::busy(move || payload::read(&bytes)).await?,
    };
    Ok(payload.map(|payload| (payload, is_large)))
}

fn answer(answer: Answer) -> Result<Response> {
    let message = |status: StatusCode| {
        let text = status.canonical_reason().unwrap_or_default();
        reply::json(status, &json!({"message": text}))
    };
    match answer {
        Answer::Taken(alerts) => {
            let alerts = alerts.into_iter();
            let alerts: Vec<_> =
                alerts.map(|(iid, title)| json!({"iid": iid, "title": title})).collect();
            reply::json(StatusCode::OK, &alerts)
        }
        Answer::Refused(status) => message(status),
        Answer::Limited(seconds) => {
            let mut response = message(StatusCode::TOO_MANY_REQUESTS)?;
            let seconds = HeaderValue::from_str(&seconds.to_string()).map_err(Error::internal)?;
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
            Ok(response)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_tells_project_and_integration() {
        let both = |path: &str, named: Option<&str>| {
            let found = addresses(path, named).into_iter();
            found.map(|(place, named)| format!("{place} {named}")).collect::<Vec<_>>()
        };
        for (path, named, expected) in [
            ("/a/b/alerts/notify.json", None, vec!["a/b legacy"]),
            ("/a/b/alerts/notify/", None, vec!["a/b legacy"]),
            ("/a/b%2Dc/alerts/notify", None, vec!["a/b-c legacy"]),
            (
                "/a/b/prometheus/alerts/notify.json",
                None,
                vec!["a/b legacy-prometheus", "a/b/prometheus legacy"],
            ),
            ("/a/b/alerts/notify/x/0a.json", Some("0a.json"), vec!["a/b 0a"]),
            ("/a/b/alerts/notify/alerts/notify", Some("notify"), vec!["a/b notify"]),
            ("/a/b/c", None, vec![]),
        ] {
            assert_eq!(both(path, named), expected, "{path}");
        }
    }
}
