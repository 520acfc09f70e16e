//! A request as it comes: JSON, form or query, one entry or many.

use super::asks::Asks;
use super::uploads::{self, Pending, Place};
use super::{Step, refused};
use crate::validation::{self, Parsed, Source, StaticError, json, variables};
use http::{Method, header};
use identity::{Viewer, csrf};
use kernel::app::App;
use kernel::error::Result;
use kernel::graph::media;
use kernel::http::call::read_capped;
use kernel::http::params::{self, Source as Parameters};
use kernel::http::{Call, FromCall, RequestContext};
use serde_json::Value as Json;
use std::sync::Arc;

/// Largest body, in bytes.
pub const MAX_BODY: usize = 5 * 1024 * 1024;

/// What was sent, by whom.
pub struct Incoming {
    pub app: App,
    pub request: Arc<RequestContext>,
    pub viewer: Viewer,
    /// A session asks without proof that our own page made it.
    pub unproven: bool,
    /// Deprecated members do not exist for this request.
    pub unmarked: bool,
    /// The answer goes out in the strict media type.
    pub strict: bool,
    /// All mutations succeed or none does.
    pub atomic: bool,
    pub kind: Kind,
    /// Files that are not read yet.
    pub pending: Option<Pending>,
}

/// Whether deprecated members do not exist for a request
/// (`remove_deprecated`, docs/interface/graphql.md 7).
pub struct Unmarked(pub bool);

impl FromCall for Unmarked {
    async fn from_call(call: &mut Call) -> Result<Unmarked> {
        let flag = call.query("remove_deprecated");
        Ok(Unmarked(matches!(flag, Some("true" | "1"))))
    }
}

/// One entry or a batch.
pub enum Kind {
    Single(Entry),
    Batch(Vec<Entry>),
}

impl Kind {
    /// All entries in their order.
    pub fn entries(&self) -> &[Entry] {
        match self {
            Kind::Single(entry) => std::slice::from_ref(entry),
            Kind::Batch(entries) => entries,
        }
    }

    pub fn entries_mut(&mut self) -> &mut [Entry] {
        match self {
            Kind::Single(entry) => std::slice::from_mut(entry),
            Kind::Batch(entries) => entries,
        }
    }
}

/// One entry; refused already where its query is no text.
pub struct Entry {
    pub source: Step<Source>,
    /// What to tell besides data.
    pub asks: Asks,
    /// Where files stand in its variables.
    pub files: Vec<Place>,
}

impl Entry {
    pub fn parse(&self) -> Step<Parsed> {
        self.source.clone().and_then(validation::parse)
    }

    fn read(given: &Parameters) -> Result<Entry> {
        let variables = match variables::sent(given.get("variables")) {
            Ok(variables) => variables,
            Err(text) => return refused(422, text),
        };
        let asks = match Asks::read(given.get("extensions")) {
            Ok(asks) => asks,
            Err(text) => return refused(422, text),
        };
        let operation_name = match given.get("operationName") {
            None | Some(Json::Null) => None,
            Some(Json::String(name)) => Some(name.clone()),
            Some(other) => return refused(422, format!("Unexpected parameter: {other}")),
        };
        let query = match given.get("query") {
            None | Some(Json::Null) => Ok(String::new()),
            Some(Json::String(text)) => Ok(text.clone()),
            Some(other) => {
                let text = format!("Expected query to be text, actual: {other}");
                Err(vec![StaticError::new("parseError", text)])
            }
        };
        Ok(Entry {
            asks,
            files: Vec::new(),
            source: query.map(|query| Source { query, operation_name, variables }),
        })
    }
}

impl FromCall for Incoming {
    async fn from_call(call: &mut Call) -> Result<Incoming> {
        let request = call.request.clone();
        let Unmarked(unmarked) = Unmarked::from_call(call).await?;
        let viewer = Viewer::from_call(call).await?;
        let atomic = is_atomic(&request)?;
        let (kind, pending) = if request.method == Method::POST {
            posted(call, &viewer).await?
        } else {
            (Kind::Single(Entry::read(&call.query)?), None)
        };
        Ok(Incoming {
            app: call.app.clone(),
            viewer,
            unproven: call.extensions.get::<csrf::Unproven>().is_some(),
            strict: media::is_strict(request.header(header::ACCEPT)),
            request,
            unmarked,
            atomic,
            kind,
            pending,
        })
    }
}

/// Whether the request asks for all or nothing.
fn is_atomic(request: &RequestContext) -> Result<bool> {
    match request.header("x-service-batch") {
        None => Ok(false),
        Some("atomic") => Ok(true),
        Some(_) => refused(422, "X-Service-Batch can be atomic only"),
    }
}

async fn posted(call: &mut Call, viewer: &Viewer) -> Result<(Kind, Option<Pending>)> {
    let media = media::essence(call.request.header(header::CONTENT_TYPE));
    let form = match media.as_deref() {
        Some("application/json") => false,
        Some("application/x-www-form-urlencoded") => true,
        Some("multipart/form-data") => {
            let (kind, pending) = uploads::read(call, viewer).await?;
            return Ok((kind, Some(pending)));
        }
        Some(other) => return refused(415, format!("Unsupported content type: {other}")),
        None => return refused(415, "Content type is missing"),
    };
    let most = call.most(MAX_BODY);
    let body = match read_capped(call.take_body(), most).await {
        Err(kernel::error::Error::TooLarge) => return refused(413, "Request body too large"),
        other => other?,
    };
    if form {
        let mut given = Parameters::new();
        params::parse_form(&body, &mut given)?;
        return Ok((Kind::Single(Entry::read(&given)?), None));
    }
    Ok((kind(&parsed(&body)?)?, None))
}

/// JSON within the limits of its structure.
pub fn parsed(body: &[u8]) -> Result<Json> {
    if let Err(text) = json::check(body) {
        return refused(400, text);
    }
    match serde_json::from_slice(body) {
        Ok(value) => Ok(value),
        Err(_) => refused(400, "Malformed JSON"),
    }
}

pub fn kind(body: &Json) -> Result<Kind> {
    match body {
        Json::Object(given) => Ok(Kind::Single(Entry::read(given)?)),
        Json::Array(all) => {
            let read = |one: &Json| match one {
                Json::Object(given) => Entry::read(given),
                other => refused(422, format!("Unexpected parameter: {other}")),
            };
            // Those past the limit are counted, not read.
            let read = all.iter().take(super::MAX_BATCH + 1).map(read);
            Ok(Kind::Batch(read.collect::<Result<_>>()?))
        }
        other => refused(422, format!("Unexpected parameter: {other}")),
    }
}
