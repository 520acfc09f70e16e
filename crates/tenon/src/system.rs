//! Routes of the program itself: health, metrics, version, description.

use crate::wiring;
use http::{Method, StatusCode};
use identity::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html;
use kernel::http::routes::Surface;
use kernel::http::{Ok200, RequestContext, Response, Routes, openapi, reply};
use kernel::room;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};
use store::sql;

/// The program's own.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// That of the interface, which clients are told wherever they ask: many send to an early
/// one less than they could.
pub const INTERFACE_VERSION: &str = "17.11.0-tenon";

/// The commit it was built from, where the build says so.
const REVISION: &str = match option_env!("TENON_REVISION") {
    Some(revision) => revision,
    None => "unknown",
};

/// What GraphQL tells of the program.
pub const BUILD: graphql::root::Build =
    graphql::root::Build { version: INTERFACE_VERSION, revision: REVISION };
const READ: &[&str] = &["api", "read_api", "read_user"];

pub fn routes(r: &mut Routes) {
    r.plain(Method::GET, "/-/liveness", liveness).unchecked();
    r.plain(Method::GET, "/-/readiness", readiness).unchecked();
    r.plain(Method::GET, "/-/metrics", metrics);
    r.plain(Method::GET, "/-/assets/{name}", asset).unchecked();
    r.plain(Method::GET, "/robots.txt", robots).unchecked();
    r.get("/version", version).scopes(READ).summary("Version of the interface");
    r.get("/metadata", metadata)
        .scopes(READ)
        .summary("Version of the interface and parts of the program");
    r.get("/openapi.json", description)
        .unchecked()
        .summary("Describes this API (OpenAPI 3.1)");
}

#[derive(Serialize, JsonSchema)]
struct HealthEntity {
    status: &'static str,
}

async fn liveness() -> Result<Ok200<HealthEntity>> {
    Ok(Ok200(HealthEntity { status: "ok" }))
}

#[derive(Serialize, JsonSchema)]
struct ReadinessEntity {
    status: &'static str,
    /// `ok`, or what repositories lack while all else works.
    repositories: &'static str,
}

/// The process can do its work: the database answers, and there is room for
/// what is stored.
async fn readiness(app: App) -> Result<Ok200<ReadinessEntity>> {
    if room::is_full(&app.config().data_dir) {
        return Err(Error::Unavailable("there is no room in the data directory".into()));
    }
    let answer = app.read(|tx| Ok(tx.one::<i64>(sql!("select cast(1 as bigint)"), ())?)).await;
    match answer {
        Ok(_) => Ok(Ok200(ReadinessEntity { status: "ok", repositories: git(&app).await })),
        Err(error) => {
            tracing::warn!(%error, "not ready");
            Err(Error::Unavailable("the database does not answer".into()))
        }
    }
}

async fn git(app: &App) -> &'static str {
    match app.kept::<repositories::git::Git>().is_there().await {
        true => "ok",
        false => repositories::git::MISSING,
    }
}

/// Counters for Prometheus, for administrators and for callers on this
/// machine. A request that came through a proxy is not from this machine,
/// even where the proxy is.
async fn metrics(app: App, viewer: Viewer, request: Arc<RequestContext>) -> Result<Response> {
    let forwarded = ["x-forwarded-for", "forwarded", "x-real-ip", "via"];
    let is_near = request.peer.is_loopback()
        && !forwarded.iter().any(|name| request.headers.contains_key(*name));
    if !is_near && !viewer.is_admin() {
        return Err(Error::NotFound(""));
    }
    Ok(reply::text(StatusCode::OK, app.metrics().render()))
}

/// What programs that collect pages should leave alone: forms, what is for
/// signed-in people, and lists that never end.
const ROBOTS: &str = "User-agent: *\n\
    Disallow: /-/\n\
    Disallow: /*/-/\n\
    Disallow: /admin\n\
    Disallow: /api/\n\
    Disallow: /dashboard/\n\
    Disallow: /oauth/\n\
    Disallow: /projects/new\n\
    Disallow: /users/\n\
    Disallow: /*?\n\
    Allow: /-/assets/\n";

async fn robots() -> Result<Response> {
    Ok(reply::text(StatusCode::OK, ROBOTS))
}

/// Style sheet, script and pictures; their names hold a digest.
async fn asset(request: Arc<RequestContext>) -> Result<Response> {
    let known = request.header(http::header::IF_NONE_MATCH);
    html::asset_response(request.uri.path(), known).ok_or(Error::NotFound(""))
}

#[derive(Serialize, JsonSchema)]
struct VersionEntity {
    version: &'static str,
    revision: &'static str,
}

const PROGRAM: VersionEntity = VersionEntity { version: INTERFACE_VERSION, revision: REVISION };

/// The server of agents in clusters, of which there is none.
#[derive(Serialize, JsonSchema)]
struct KasEntity {
    enabled: bool,
    #[serde(rename = "externalUrl")]
    external_url: Option<&'static str>,
    #[serde(rename = "externalK8sProxyUrl")]
    external_k8s_proxy_url: Option<&'static str>,
    version: Option<&'static str>,
}

const KAS: KasEntity = KasEntity {
    enabled: false,
    external_url: None,
    external_k8s_proxy_url: None,
    version: None,
};

#[derive(Serialize, JsonSchema)]
struct MetadataEntity {
    #[serde(flatten)]
    version: VersionEntity,
    kas: KasEntity,
    /// Every feature of every tier is on.
    enterprise: bool,
}

/// The version of the interface, for who is signed in.
async fn version(_: SignedInViewer) -> Result<Ok200<VersionEntity>> {
    Ok(Ok200(PROGRAM))
}

/// The same with what the program is made of.
async fn metadata(_: SignedInViewer) -> Result<Ok200<MetadataEntity>> {
    Ok(Ok200(MetadataEntity { version: PROGRAM, kas: KAS, enterprise: true }))
}

/// The description of the API with this instance's address.
async fn description(app: App) -> Result<Response> {
    let mut document = document().clone();
    document["servers"][0]["url"] = Value::from(app.base_url());
    reply::json(StatusCode::OK, &document)
}

fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| {
        let plugs = wiring::plugs().expect("a room plugs in once");
        openapi::document(wiring::routes().all(), &plugs, INTERFACE_VERSION, "/")
    })
}

/// `openapi.json` as it is checked in.
pub fn openapi_file() -> String {
    let text = serde_json::to_string_pretty(document());
    text.expect("a JSON value with text keys can be written") + "\n"
}

/// `schema.graphql`: the whole GraphQL interface.
pub fn schema_file() -> String {
    kernel::graph::sdl::text(&wiring::graph())
}

/// `routes.txt`: method, path, surface and scopes of every route.
pub fn routes_file() -> String {
    let routes = wiring::routes();
    let mut lines: Vec<_> = routes.all().iter().map(|route| (&route.path, route)).collect();
    lines.sort_by_key(|(path, route)| (*path, route.method.as_str()));
    let mut text = String::new();
    for (path, route) in lines {
        let surface = match route.surface {
            Surface::Api => "api",
            Surface::Page => "page",
            Surface::Plain => "plain",
            Surface::Graphql => "graphql",
        };
        let scopes = match route.surface {
            Surface::Api | Surface::Graphql => route.scopes.join(","),
            Surface::Page | Surface::Plain => String::new(),
        };
        let line = format!("{:<7} {path} {surface} {scopes}", route.method.as_str());
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_that_any_caller_may_meet_are_described() {
        let mut lacking = Vec::new();
        for (path, methods) in document()["paths"].as_object().into_iter().flatten() {
            for (method, operation) in methods.as_object().into_iter().flatten() {
                let has = |status: &str| operation["responses"].get(status).is_some();
                if !has("414") || (path.contains('{') && !has("404")) {
                    lacking.push(format!("{method} {path}"));
                }
            }
        }
        assert!(lacking.is_empty(), "{lacking:?}");
    }
}
