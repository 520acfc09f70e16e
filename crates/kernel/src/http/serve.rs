//! From a raw request to a written answer: match, admit, run, render.

use super::bodies::Budget;
use super::call::{Call, RequestContext};
use super::conditional::conditional;
use super::connections;
use super::refusal;
use super::reply::{self, Response};
use super::routes::{Admits, Endpoint, Gate, GateCookie, Routes, Stranger, Surface};
pub use super::table::Table;
use super::throttle::{self, Caller, Throttles};
use super::unread;
use crate::app::App;
use crate::error::{Error, Result};
use crate::html::{Seen, flash, instance};
use crate::limits::Decision;
use crate::read_only;
use crate::telemetry::counting_statements;
use axum::body::Body;
use futures_util::FutureExt;
use http::{HeaderName, HeaderValue, Method, StatusCode, header};
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

/// Longest path and query, in bytes; more is 414.
const MAX_URL: usize = 8 * 1024;

/// All routes of the program, compiled for matching.
pub struct Server {
    app: App,
    gate: Box<dyn Gate>,
    throttles: Throttles,
    bodies: Arc<Budget>,
    table: Arc<Table>,
    /// What stands at no address: who is signed in is still shown so.
    nowhere: Arc<Endpoint>,
}

impl Server {
    /// Compiles the routes.
    pub fn new(app: App, gate: Box<dyn Gate>, routes: Routes) -> Result<Arc<Server>> {
        Ok(Server::over(app, gate, Arc::new(Table::new(routes)?)))
    }

    /// A server over routes that are compiled already: those of one process
    /// may share them.
    pub fn over(app: App, gate: Box<dyn Gate>, table: Arc<Table>) -> Arc<Server> {
        Arc::new(Server {
            app,
            gate,
            throttles: Throttles::default(),
            bodies: Arc::default(),
            table,
            nowhere: nowhere(),
        })
    }

    /// Serves connections until `stop` resolves, then drains.
    pub async fn serve(
        self: Arc<Self>, listener: tokio::net::TcpListener,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> std::io::Result<()> {
        let app = self.app.clone();
        connections::serve(self, &app, listener, stop).await
    }

    /// Answers one request; never fails.
    pub async fn answer(&self, peer: IpAddr, received: http::Request<Body>) -> Response {
        let began = Instant::now();
        let (parts, body) = received.into_parts();
        let request = RequestContext {
            request_id: request_id(&parts.headers),
            peer: self.app.client_address(peer, &parts.headers),
            base_url: self.app.base_url().to_owned(),
            instance: String::new(),
            method: parts.method,
            uri: parts.uri,
            headers: parts.headers,
        };
        let (method, path) = (request.method.clone(), request.uri.path().to_owned());
        let id = request.request_id.clone();
        // Who waits to be told to go on sends nothing to a refusal.
        let waits = request.headers.contains_key(header::EXPECT);
        let (body, unread) = unread::lend(body);
        let work = counting_statements(self.bodies.over(self.route(request, body)));
        let ((template, mut response), statements) = work.await;
        if !waits && !response.status().is_success() {
            unread.take_some().await;
        }
        finish(&mut response, &id, &path);
        let took = began.elapsed();
        let (seconds, status) = (took.as_secs_f64(), response.status().as_u16());
        let template = template.as_deref().unwrap_or("-");
        self.app.metrics().request(template, method.as_str(), status, took, statements);
        // The path is logged without its query, which may hold tokens.
        tracing::info!(target: "request", request_id = %id, %method, path, status, seconds);
        response
    }

    async fn route(&self, request: RequestContext, body: Body) -> (Option<String>, Response) {
        let surface = surface_of(request.uri.path());
        let no_route =
            |error, request: &RequestContext| (None, refusal::render(error, surface, request));
        if request.uri.to_string().len() > MAX_URL {
            let response = reply::json(
                StatusCode::URI_TOO_LONG,
                &serde_json::json!({"message": "414 URI Too Long"}),
            );
            return (None, response.unwrap_or_else(|_| reply::empty(StatusCode::URI_TOO_LONG)));
        }
        let raw = request.uri.path().to_owned();
        if raw.starts_with("/api/") && request.method == Method::OPTIONS {
            return (None, preflight(&request));
        }
        let Some(found) = self.table.find(&raw, surface) else {
            let looks = request.method == Method::GET || request.method == Method::HEAD;
            return match surface {
                Surface::Page if looks => {
                    let nowhere = self.nowhere.clone();
                    (None, self.take(nowhere, Ok(Vec::new()), request, body).await)
                }
                _ => no_route(unknown_route(&raw), &request),
            };
        };
        let Some(endpoint) = found.methods.get(&request.method) else {
            let refused = Error::MethodNotAllowed(found.methods.allowed());
            return match self.place_behind(&raw, &request, body).await {
                Some(shown) => shown,
                None => no_route(refused, &request),
            };
        };
        let template = Some(endpoint.path.clone());
        let answer = self.take(endpoint.clone(), found.parameters, request, body);
        (template, answer.await)
    }

    /// The page of a place at a path that is declared for other methods only,
    /// if it shows to who asks: a project may be called like an address of
    /// machines.
    async fn place_behind(
        &self, raw: &str, request: &RequestContext, body: Body,
    ) -> Option<(Option<String>, Response)> {
        if surface_of(raw) != Surface::Page {
            return None;
        }
        let found = self.table.place(raw)?;
        let endpoint = found.methods.get(&request.method)?.clone();
        let template = Some(endpoint.path.clone());
        let response = self.take(endpoint, found.parameters, copy_of(request), body).await;
        let is_hidden = [StatusCode::NOT_FOUND, StatusCode::UNAUTHORIZED]
            .contains(&response.status())
            || refusal::is_lead_to_sign_in(&response);
        (!is_hidden).then_some((template, response))
    }

    /// Has a route answer.
    async fn take(
        &self, endpoint: Arc<Endpoint>, path: Result<Vec<(String, String)>>,
        mut request: RequestContext, body: Body,
    ) -> Response {
        if endpoint.surface == Surface::Page {
            request.instance = instance::name(&self.app).await;
        }
        let copy = copy_of(&request);
        let call = path.and_then(|path| {
            let (app, route) = (self.app.clone(), endpoint.route.clone());
            Call::new(app, route, request, path, body)
        });
        match call {
            Ok(call) => self.run(&endpoint, call).await,
            Err(error) => endpoint.refused(error, &copy, None),
        }
    }

    async fn run(&self, endpoint: &Endpoint, call: Call) -> Response {
        let request = call.request.clone();
        let id = call.path("id").map(str::to_owned);
        let (mut counted, mut seen) = (None, None);
        let work = AssertUnwindSafe(self.admit_and_handle(endpoint, call, &mut counted, &mut seen));
        let result = match work.catch_unwind().await {
            Ok(result) => result,
            Err(_) => Err(Error::internal("a handler panicked")),
        };
        let mut response = match result {
            Ok(response) => conditional(response, &request).await,
            Err(Error::Moved(new_id)) => moved(&request, id.as_deref(), &new_id, endpoint.surface),
            Err(error) if seen.is_none() && endpoint.is_open_page() => {
                refusal::render_for_stranger(error, &request)
            }
            Err(error) => endpoint.refused(error, &request, seen),
        };
        if endpoint.registry && response.status() == StatusCode::UNAUTHORIZED {
            refusal::ask_for_password(&mut response);
        }
        if endpoint.surface == Surface::Page {
            flash::forget(&request, &mut response);
        }
        if let Some(decision) = counted {
            throttle::write_headers(&decision, &mut response);
        }
        response
    }

    /// A refused credential is counted too: guessing is what throttles are for.
    async fn admit_and_handle(
        &self, endpoint: &Endpoint, mut call: Call, counted: &mut Option<Decision>,
        seen: &mut Option<Seen>,
    ) -> Result<Response> {
        if endpoint.admits != Admits::Unchecked {
            let admitted = self.gate.admit(&mut call).await;
            let caller = call.extensions.get::<Caller>().copied();
            *seen = call.extensions.remove::<Seen>();
            let (surface, peer) = (endpoint.surface, call.request.peer);
            *counted = self.throttles.count(&call.app, surface, caller, peer).await;
            if let Some(decision) = counted.as_ref().filter(|decision| !decision.allowed) {
                return Err(Error::Throttled(decision.retry_after));
            }
            admitted?;
        }
        if endpoint.changes() {
            read_only::check(&call.app.clone()).await?;
        }
        let cookie = call.extensions.remove::<GateCookie>();
        let is_stranger = call.extensions.get::<Stranger>().is_some();
        let mut response = match (endpoint.handle(call).await, endpoint.recover) {
            (Err(error), Some(recover)) => recover(error, is_stranger)?,
            (done, _) => done?,
        };
        if let Some(GateCookie(value)) = cookie {
            add_cookie(&mut response, value);
        }
        Ok(response)
    }
}

/// Sets a cookie, unless the answer sets it already.
fn add_cookie(response: &mut Response, value: HeaderValue) {
    let name = |cookie: &HeaderValue| {
        let name = cookie.as_bytes().split(|b| *b == b'=').next();
        name.unwrap_or_default().to_vec()
    };
    let headers = response.headers_mut();
    let set = headers.get_all(header::SET_COOKIE).iter().map(name);
    if !set.into_iter().any(|set| set == name(&value)) {
        headers.append(header::SET_COOKIE, value);
    }
}

fn copy_of(request: &RequestContext) -> RequestContext {
    RequestContext {
        method: request.method.clone(),
        uri: request.uri.clone(),
        headers: request.headers.clone(),
        peer: request.peer,
        request_id: request.request_id.clone(),
        base_url: request.base_url.clone(),
        instance: request.instance.clone(),
    }
}

fn surface_of(path: &str) -> Surface {
    if path == "/api/graphql" || path.starts_with("/api/graphql/") {
        Surface::Graphql
    } else if path.starts_with("/api/") {
        Surface::Api
    } else {
        Surface::Page
    }
}

/// The page that is not there.
fn nowhere() -> Arc<Endpoint> {
    let mut routes = Routes::new();
    routes.page(Method::GET, "", || async { Err::<Response, _>(Error::NotFound("")) });
    Arc::new(routes.into_all().remove(0))
}

fn unknown_route(path: &str) -> Error {
    if path.starts_with("/api/v3/") {
        Error::Exact(
            410,
            serde_json::json!({"error": "API V3 is no longer supported. Use API V4 instead."}),
        )
    } else if surface_of(path) == Surface::Graphql {
        Error::NotFound("")
    } else if path.starts_with("/api/") {
        Error::Exact(404, serde_json::json!({"error": "404 Not Found"}))
    } else {
        Error::NotFound("")
    }
}

fn request_id(headers: &http::HeaderMap) -> String {
    let sent = headers.get("x-request-id").and_then(|value| value.to_str().ok());
    let usable = |id: &&str| {
        (8..=64).contains(&id.len())
            && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    match sent.filter(usable) {
        Some(id) => id.to_owned(),
        None => hex::encode(crate::secrets::random_bytes::<16>()),
    }
}

/// Cross-origin callers may use the API with tokens, never with cookies.
fn preflight(request: &RequestContext) -> Response {
    let mut response = reply::empty(StatusCode::OK);
    let headers = response.headers_mut();
    let copy = |from: &str| request.headers.get(from).cloned();
    if let Some(methods) = copy("access-control-request-method") {
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
    }
    if let Some(names) = copy("access-control-request-headers") {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names);
    }
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("3600"));
    response
}

const EXPOSED: &str = "Link, X-Total, X-Total-Pages, X-Per-Page, X-Page, X-Next-Page, \
    X-Prev-Page, X-Request-Id, ETag, X-Service-Complexity, X-Service-Complexity-Limit";

fn finish(response: &mut Response, request_id: &str, path: &str) {
    let headers = response.headers_mut();
    let mut set = |name: &'static str, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.entry(HeaderName::from_static(name)).or_insert(value);
        }
    };
    set("x-request-id", request_id);
    set("x-content-type-options", "nosniff");
    set("x-frame-options", "SAMEORIGIN");
    set("referrer-policy", "same-origin");
    if path.starts_with("/api/") {
        set("access-control-allow-origin", "*");
        set("access-control-expose-headers", EXPOSED);
        set("cache-control", "max-age=0, private, must-revalidate");
        set("vary", "Origin");
    }
}

/// A project found by an old path: GET is sent to its number, the rest refused.
fn moved(request: &RequestContext, id: Option<&str>, new_id: &str, surface: Surface) -> Response {
    if request.method != Method::GET && request.method != Method::HEAD {
        let body =
            serde_json::json!({"message": "Non GET methods are not allowed for moved projects"});
        return reply::json(StatusCode::METHOD_NOT_ALLOWED, &body)
            .unwrap_or_else(|_| reply::empty(StatusCode::METHOD_NOT_ALLOWED));
    }
    let path = request.uri.path();
    let parts = path.split('/').map(|part| {
        let decoded = percent_encoding::percent_decode_str(part).decode_utf8_lossy();
        if Some(decoded.as_ref()) == id { new_id } else { part }
    });
    let path = parts.collect::<Vec<_>>().join("/");
    let mut to = format!("{}{path}", request.base_url);
    let kept = super::paging::with_query(request, &[], &[]);
    if let Some((_, query)) = kept.split_once('?').filter(|(_, query)| !query.is_empty()) {
        to = format!("{to}?{query}");
    }
    refusal::render(Error::Moved(to), surface, request)
}
