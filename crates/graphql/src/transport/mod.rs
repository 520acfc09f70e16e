//! `/api/graphql`: from a request to its answer (docs/interface/graphql.md 1–4).

mod answer;
mod asks;
mod incoming;
mod known;
mod log;
mod persisted;
mod run;
mod schema;
mod uploads;

use crate::allowed;
use crate::deprecated_usage::Uses;
use crate::validation::{self, Checked, Limits, StaticError};
use answer::{Answered, Whole};
use asks::Asks;
use http::{HeaderName, HeaderValue, Method, StatusCode};
use identity::Viewer;
use incoming::{Entry, Incoming, Kind, Unmarked};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::graph::settings::GraphqlRules;
use kernel::graph::uploads::Uploads;
use kernel::graph::{Request, Table};
use kernel::http::Routes;
use kernel::http::reply::Response;
use kernel::http::throttle::Caller;
use known::{Key, Known, Read};
use persisted::{Listed, Queries};
use run::Run;
use serde_json::Value as Json;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long a request may take before its rest is given up.
const DEADLINE: Duration = Duration::from_secs(30);
/// Characters of queries that are checked where they are, not on a thread of
/// their own.
const SMALL: usize = 1_000;
/// Most entries of a batch.
const MAX_BATCH: usize = 20;
/// Answers about the interface itself that are kept; each build starts anew.
const MAX_KEPT: usize = 32;

/// Reads the interface; writing needs `api`, which fields ask for.
const SCOPES: &[&str] = &["api", "read_api"];

/// Declares the endpoint over this table.
pub fn routes(r: &mut Routes, table: Table) {
    let unmarked = Arc::new(table.without_marked());
    let whole = Arc::new(table);
    schema::routes(r, &whole, &unmarked);
    for path in ["/api/graphql", "/api/graphql/"] {
        for method in [Method::POST, Method::GET] {
            let (whole, unmarked) = (whole.clone(), unmarked.clone());
            let handler = move |incoming: Incoming| {
                let interface = Interface {
                    table: match incoming.unmarked {
                        true => unmarked.clone(),
                        false => whole.clone(),
                    },
                    state: incoming.app.kept(),
                };
                async move { interface.answer(incoming).await }
            };
            r.graphql(method, path, handler)
                .scopes(SCOPES)
                .streams()
                .summary("Answers a GraphQL request");
        }
    }
}

/// What one request is answered from.
struct Interface {
    /// All members, or those without deprecations and experiments.
    table: Arc<Table>,
    state: Arc<State>,
}

/// What a server remembers from request to request.
#[derive(Default)]
struct State {
    kept: Mutex<HashMap<Key, Arc<Answered>>>,
    known: Known,
    /// Texts that clients send by their digests.
    queries: Queries,
    uses: Uses,
}

/// A refusal of the whole request.
fn refused<T>(status: u16, text: impl Into<String>) -> Result<T> {
    let text: String = text.into();
    let body = serde_json::json!({"errors": [{"message": text}]});
    Err(Error::Exact(status, body))
}

/// An entry on its way: refused already, or ready for the next check.
type Step<T> = std::result::Result<T, Vec<StaticError>>;

impl Interface {
    async fn answer(&self, mut incoming: Incoming) -> Result<Response> {
        let batch = matches!(incoming.kind, Kind::Batch(_));
        check_batch(incoming.kind.entries(), batch)?;
        self.resolve(&mut incoming).await?;
        // Texts may have come in place of digests.
        check_batch(incoming.kind.entries(), batch)?;
        let pending = incoming.pending.take();
        let entries = incoming.kind.entries();
        if !batch && let Some(kept) = self.kept(&incoming, &entries[0]) {
            return self.reply(&incoming, vec![kept], batch);
        }
        let anonymous = incoming.viewer.user_id().is_none();
        let limits = Limits::of(anonymous);
        let checked = self.checked(&incoming, limits).await?;
        let runnable: Vec<&Checked> =
            checked.iter().filter_map(|step| step.as_deref().ok()).collect();
        if let Err(error) = validation::check_sum(&runnable, limits) {
            let one = |step: &Step<Arc<Checked>>| {
                let refused = Answered::refused(std::slice::from_ref(&error));
                Arc::new(refused.costing(step.as_deref().ok()))
            };
            let all = checked.iter().map(one).collect();
            return self.reply(&incoming, all, batch);
        }
        // Files are read once something is to run with them.
        let uploads = match pending.filter(|_| !runnable.is_empty()) {
            Some(pending) => pending.receive(&incoming.app).await?,
            None => Uploads::default(),
        };
        let mut request = request(&incoming, anonymous, uploads);
        request.atomic = incoming.atomic && runnable.iter().any(|one| one.is_mutation());
        let run = Run {
            incoming: &incoming,
            table: &self.table,
            request: Arc::new(request),
            uses: &self.state.uses,
        };
        let answers: Vec<Arc<Answered>> =
            run.all(&checked).await?.into_iter().map(Arc::new).collect();
        if !batch {
            self.keep(&incoming, &entries[0], &answers[0]);
        }
        self.reply(&incoming, answers, batch)
    }

    /// Puts the texts of queries in place of their digests, and refuses those
    /// that are not on the operator's list where only these are answered.
    async fn resolve(&self, incoming: &mut Incoming) -> Result<()> {
        let rules: GraphqlRules = incoming.app.settings().get(&incoming.app).await?;
        let usable = rules.persisted_queries && incoming.viewer.user_id().is_some();
        let listed_only = rules.allowed_queries_only && !incoming.viewer.is_admin();
        let entries = incoming.kind.entries();
        let wanted = |entry: &Entry| self.state.queries.wanted(entry, usable, listed_only);
        let wanted: Vec<String> = entries.iter().filter_map(wanted).collect();
        let listed = match wanted.is_empty() {
            true => Listed::new(),
            false => incoming.app.read(move |tx| allowed::texts(tx, wanted)).await?,
        };
        for entry in incoming.kind.entries_mut() {
            self.state.queries.resolve(entry, usable, &listed);
            if listed_only {
                persisted::refuse_unlisted(entry, &listed);
            }
        }
        Ok(())
    }

    /// Every entry through the front, each with its own errors.
    async fn checked(
        &self, incoming: &Incoming, limits: Limits,
    ) -> Result<Vec<Step<Arc<Checked>>>> {
        let entries = incoming.kind.entries();
        let read = |entry: &Entry| match self.state.known.get(incoming, entry) {
            Some(known) => Ok(Read::Known(known)),
            None => entry.parse().map(Read::New),
        };
        let read: Vec<Step<Read>> = entries.iter().map(read).collect();
        check_mutations(incoming, &read)?;
        let is_new = |step: &Step<Read>| matches!(step, Ok(Read::New(_)));
        let new: Vec<bool> = read.iter().map(is_new).collect();
        let table = self.table.clone();
        let check = move || {
            let one = |read: Read| match read {
                Read::Known(known) => Ok(known),
                Read::New(parsed) => validation::check(&table, parsed, limits).map(Arc::new),
            };
            let all = read.into_iter().map(|step| step.and_then(one));
            all.collect::<Vec<Step<Arc<Checked>>>>()
        };
        // Pure work of bounded length, yet long texts would hold up a worker.
        let checked = if characters(entries) < SMALL {
            check()
        } else {
            tokio::task::spawn_blocking(check).await.map_err(Error::internal)?
        };
        let placed = |((entry, new), step): ((&Entry, bool), Step<Arc<Checked>>)| {
            let checked = step?;
            uploads::check(&self.table, entry, &checked)?;
            if new {
                self.state.known.keep(incoming, entry, &checked);
            }
            self.state.queries.keep(entry);
            Ok(checked)
        };
        Ok(entries.iter().zip(new).zip(checked).map(placed).collect())
    }

    fn reply(
        &self, incoming: &Incoming, answers: Vec<Arc<Answered>>, batch: bool,
    ) -> Result<Response> {
        Whole { answers, batch, strict: incoming.strict }.response()
    }

    fn key(incoming: &Incoming, entry: &Entry) -> Option<Key> {
        let key = Key::of(incoming, entry, |query| query.contains("__"));
        key.filter(|_| entry.asks == Asks::default())
    }

    fn kept(&self, incoming: &Incoming, entry: &Entry) -> Option<Arc<Answered>> {
        let key = Interface::key(incoming, entry)?;
        self.state.kept.lock().ok()?.get(&key).cloned()
    }

    fn keep(&self, incoming: &Incoming, entry: &Entry, answered: &Arc<Answered>) {
        let key = Interface::key(incoming, entry).filter(|_| answered.about_itself);
        if let (Some(key), Ok(mut kept)) = (key, self.state.kept.lock()) {
            if kept.len() >= MAX_KEPT {
                kept.clear();
            }
            kept.insert(key, answered.clone());
        }
    }
}

fn check_batch(entries: &[Entry], batch: bool) -> Result<()> {
    if batch && entries.is_empty() {
        return refused(422, "Batch is empty");
    }
    if entries.len() > MAX_BATCH {
        return refused(422, "Batch too large");
    }
    if characters(entries) > validation::MAX_CHARACTERS {
        return refused(422, "Query too large");
    }
    Ok(())
}

/// Characters of all queries; variables do not count.
fn characters(entries: &[Entry]) -> usize {
    let texts = entries.iter().filter_map(|entry| entry.source.as_ref().ok());
    texts.map(|source| source.query.chars().count()).sum()
}

/// Mutations come by POST, and with a session from our own pages only.
fn check_mutations(incoming: &Incoming, read: &[Step<Read>]) -> Result<()> {
    let is_mutation = |step: &Step<Read>| matches!(step, Ok(read) if read.kind() == validation::ast::OperationKind::Mutation);
    if !read.iter().any(is_mutation) {
        return Ok(());
    }
    let method = &incoming.request.method;
    if *method == Method::GET || *method == Method::HEAD {
        return refused(422, format!("Mutations are forbidden in {method} requests"));
    }
    if incoming.unproven {
        return refused(422, "Invalid CSRF token");
    }
    Ok(())
}

fn request(incoming: &Incoming, anonymous: bool, uploads: Uploads) -> Request {
    let mut extensions = http::Extensions::new();
    extensions.insert::<App>(incoming.app.clone());
    extensions.insert::<Viewer>(incoming.viewer.clone());
    extensions.insert::<Uploads>(uploads);
    extensions.insert(incoming.request.clone());
    if let Some(id) = incoming.viewer.user_id() {
        extensions.insert(Caller(id));
    }
    let deadline = tokio::time::Instant::now() + DEADLINE;
    let mut request = Request::new(extensions, deadline);
    request.anonymous = anonymous;
    request.scopes = match &incoming.viewer {
        Viewer::User(signed_in) if signed_in.is_session() => None,
        Viewer::User(signed_in) => Some(signed_in.scopes.clone()),
        _ => None,
    };
    request
}

/// Adds what an operation cost to the headers.
fn write_cost(response: &mut Response, score: u64, limit: u64) {
    let headers = response.headers_mut();
    for (name, value) in [("x-service-complexity", score), ("x-service-complexity-limit", limit)] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from(value));
    }
}

/// A response of this body and media type.
fn sent(status: StatusCode, body: String, media: &'static str) -> Response {
    let mut response = http::Response::new(axum::body::Body::from(body));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static(media);
    let headers = response.headers_mut();
    headers.insert(http::header::CONTENT_TYPE, kind);
    headers.insert(http::header::VARY, HeaderValue::from_static("Accept, Origin"));
    response
}

/// A value's text; a JSON value can always be written.
fn text(value: &Json) -> String {
    value.to_string()
}
