//! npm (docs/interface/packages.md 2.4): packuments, publishing, tags, deprecation, unpublishing
//! and what else the clients ask a registry.
//!
//! Every path of a package is one route, since its name may hold a slash,
//! written as one or as `%2F`; [`address`] tells what a path is about.

mod address;
mod audits;
mod body;
mod deprecate;
mod documents;
mod envelope;
pub mod hostile;
mod manifest;
mod names;
mod packument;
mod publish;
mod refusal;
mod scanner;
mod search;
mod store;
mod tags;
mod unpublish;

use crate::model::PackageType;
use crate::rest::{READ, WRITE};
use crate::scope::{Prefix, scope};
use address::Address;
use http::StatusCode;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Params, RequestContext, Response, Routes, Upload, reply};
use kernel::ids::Reference;
pub use refusal::for_client;
use serde_json::json;
use std::sync::Arc;

const NPM: PackageType = PackageType::Npm;

/// Every prefix has the same registry, but that versions are published and
/// removed in projects only. With it stand the words that summaries name it by
/// and what tells its operations from the others.
const PREFIXES: [(&str, &str, &str); 3] = [
    ("/projects/{id}/packages/npm", "a project", "project"),
    ("/groups/{id}/-/packages/npm", "a group", "group"),
    ("/packages/npm", "the instance", "instance"),
];

const PACKAGE: &str = "/projects/{id}/packages/npm/{*package_path}";

pub fn routes(r: &mut Routes) {
    for (prefix, whose, place) in PREFIXES {
        documents_of(r, prefix, whose, place);
        tags_of(r, prefix, whose, place);
        audits_of(r, prefix, whose, place);
    }
    r.put(PACKAGE, put)
        .scopes(WRITE)
        .registry()
        .streams()
        .summary("Publishes, deprecates or unpublishes versions of an npm package");
    r.delete(PACKAGE, delete)
        .scopes(WRITE)
        .registry()
        .summary("Unpublishes an npm package or one version of it");
}

fn documents_of(r: &mut Routes, prefix: &str, whose: &str, place: &str) {
    r.get(&format!("{prefix}/{{*package_path}}"), show)
        .scopes(READ)
        .registry()
        .under(place)
        .summary(format!("Shows an npm package of {whose}"));
    r.get(&format!("{prefix}/-/v1/search"), search)
        .scopes(READ)
        .registry()
        .under(place)
        .summary(format!("Searches the npm packages of {whose}"));
    r.get(&format!("{prefix}/-/whoami"), whoami)
        .scopes(READ)
        .registry()
        .under(place)
        .summary(format!("Shows who asks the npm registry of {whose}"));
    r.get(&format!("{prefix}/-/ping"), ping)
        .scopes(READ)
        .registry()
        .under(place)
        .summary(format!("Tells that the npm registry of {whose} is there"));
}

fn tags_of(r: &mut Routes, prefix: &str, whose: &str, place: &str) {
    let path = format!("{prefix}/-/package/{{*tags_path}}");
    r.get(&path, list_tags)
        .scopes(READ)
        .registry()
        .under(place)
        .summary(format!("Lists the tags of an npm package of {whose}"));
    r.put(&path, set_tag)
        .scopes(WRITE)
        .registry()
        .streams()
        .under(place)
        .summary(format!("Sets a tag of an npm package of {whose}"));
    r.delete(&path, remove_tag)
        .scopes(WRITE)
        .answers(204, "The tag is gone")
        .registry()
        .under(place)
        .summary(format!("Removes a tag of an npm package of {whose}"));
}

fn audits_of(r: &mut Routes, prefix: &str, whose: &str, place: &str) {
    let path = format!("{prefix}/-/npm/v1/security");
    r.post(&format!("{path}/advisories/bulk"), bulk_audit)
        .scopes(READ)
        .registry()
        .streams()
        .under(place)
        .summary(format!("Lists advisories for packages, asked of {whose}"));
    r.post(&format!("{path}/audits/quick"), quick_audit)
        .scopes(READ)
        .registry()
        .streams()
        .under(place)
        .summary(format!("Audits a tree in short, asked of {whose}"));
    r.post(&format!("{path}/audits"), full_audit)
        .scopes(READ)
        .registry()
        .streams()
        .under(place)
        .summary(format!("Audits a tree, asked of {whose}"));
}

kernel::params! {
    /// A package or a file of one.
    pub struct At {
        /// `NAME`, or in a project `NAME/-/FILE`; NAME may be `@SCOPE/NAME`.
        pub package_path: String,
    }
}

kernel::params! {
    /// A package of a project, or a file of one.
    pub struct AtProject {
        /// The project.
        pub id: Reference,
        /// `NAME`, with `/-rev/REVISION` behind it to unpublish; NAME may be `@SCOPE/NAME`.
        pub package_path: String,
    }
}

kernel::params! {
    /// The tags of a package or one of them.
    pub struct Tags {
        /// `NAME/dist-tags` or `NAME/dist-tags/TAG`.
        pub tags_path: String,
    }
}

kernel::params! {
    /// What to search for.
    pub struct Search {
        /// Words that names have to hold.
        pub text: Option<String>,
        /// Most results, up to 250.
        pub size: Option<i64>,
        /// Results left out at the beginning.
        pub from: Option<i64>,
    }
}

async fn show(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    at: Params<At>,
    asked: Arc<RequestContext>,
) -> Result<Response> {
    documents::show(&app, &viewer, &prefix, &at.package_path, &asked).await
}

async fn search(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    wanted: Params<Search>,
) -> Result<Response> {
    let wanted = search::wanted(wanted.text.as_deref(), wanted.size, wanted.from);
    search::find(&app, &viewer, &prefix, wanted).await
}

async fn list_tags(app: App, viewer: Viewer, prefix: Prefix, at: Params<Tags>) -> Result<Response> {
    tags::list(&app, &viewer, &prefix, &at.tags_path).await
}

async fn set_tag(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    at: Params<Tags>,
    asked: Arc<RequestContext>,
    body: Upload,
) -> Result<Response> {
    tags::add(&app, &viewer, &prefix, &at.tags_path, body).await?;
    tags::changed(&asked)
}

async fn remove_tag(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    at: Params<Tags>,
    asked: Arc<RequestContext>,
) -> Result<Response> {
    tags::remove(&app, &viewer, &prefix, &at.tags_path).await?;
    tags::changed(&asked)
}

async fn bulk_audit(app: App, viewer: Viewer, prefix: Prefix, body: Upload) -> Result<Response> {
    audits::bulk(&app, &viewer, &prefix, body).await
}

async fn quick_audit(app: App, viewer: Viewer, prefix: Prefix, body: Upload) -> Result<Response> {
    audits::quick(&app, &viewer, &prefix, body).await
}

async fn full_audit(app: App, viewer: Viewer, prefix: Prefix, body: Upload) -> Result<Response> {
    audits::full(&app, &viewer, &prefix, body).await
}

/// Publishes, deprecates or unpublishes, as path and header say.
async fn put(
    app: App,
    viewer: Viewer,
    at: Params<AtProject>,
    asked: Arc<RequestContext>,
    body: Upload,
) -> Result<Response> {
    let command = asked.header("npm-command").unwrap_or_default();
    match address::package(&at.package_path) {
        Some(Address::Package(name)) if command.ends_with("deprecate") => {
            deprecate::deprecate(&app, &viewer, &at.id, &name, body).await
        }
        Some(Address::Package(name)) => {
            publish::publish(&app, &viewer, &at.id, &name, &asked, body).await
        }
        Some(Address::Revision(name, revision)) => {
            unpublish::some(&app, &viewer, &at.id, (&name, &revision), body).await
        }
        _ => Err(Error::NotFound("Package")),
    }
}

async fn delete(app: App, viewer: Viewer, at: Params<AtProject>) -> Result<Response> {
    match address::package(&at.package_path) {
        Some(Address::Revision(name, revision)) => {
            unpublish::all(&app, &viewer, &at.id, (&name, &revision)).await
        }
        Some(Address::FileRevision(name, file)) => {
            unpublish::one(&app, &viewer, &at.id, (&name, &file)).await
        }
        _ => Err(Error::NotFound("Package")),
    }
}

/// Where a name is looked for: at the instance's address a scoped one in the
/// group or user it is named after, one without a scope nowhere.
fn place(prefix: &Prefix, name: &str) -> Option<Prefix> {
    match prefix {
        Prefix::Instance => names::scope(name).map(|scope| Prefix::Namespace(scope.to_owned())),
        other => Some(other.clone()),
    }
}

/// Refuses who may not ask at this prefix at all.
async fn admitted(app: &App, viewer: &Viewer, prefix: &Prefix) -> Result<()> {
    let (viewer, prefix) = (viewer.clone(), prefix.clone());
    app.read(move |tx| scope(tx, &viewer, &prefix).map(drop))
        .await
}

async fn whoami(app: App, viewer: Viewer, prefix: Prefix) -> Result<Response> {
    admitted(&app, &viewer, &prefix).await?;
    let username = match &viewer {
        Viewer::Anonymous => return Err(Error::Unauthenticated),
        Viewer::User(signed_in) => &signed_in.user.username,
        Viewer::Deploy(deploy) => &deploy.username,
    };
    reply::json(StatusCode::OK, &json!({"username": username}))
}

async fn ping(app: App, viewer: Viewer, prefix: Prefix) -> Result<Response> {
    admitted(&app, &viewer, &prefix).await?;
    reply::json(StatusCode::OK, &json!({}))
}

/// What a client is told that does not look at it.
fn done() -> Result<Response> {
    reply::json(StatusCode::OK, &json!({"ok": true}))
}

/// The manifest in what is kept of a version, as JSON.
pub fn manifest_of(kept: &str) -> &str {
    manifest::StoredManifest::read(kept).map_or("", |kept| kept.manifest)
}
