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

use crate::client::Client;
use crate::declare::{Place, asks, writes};
use crate::model::PackageType;
use crate::scope::Prefix;
use address::Address;
use http::StatusCode;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::http::{Params, Response, Routes, Upload, reply};
use kernel::ids::Reference;
pub use refusal::for_client;
use serde_json::json;

const NPM: PackageType = PackageType::Npm;

/// Every place has the same registry, but that versions are published and
/// removed in projects only.
const PLACES: [Place; 3] = [
    Place::new("/projects/{id}/packages/npm", "a project", "project"),
    Place::new("/groups/{id}/-/packages/npm", "a group", "group"),
    Place::new("/packages/npm", "the instance", "instance"),
];

const PACKAGE: &str = "/projects/{id}/packages/npm/{*package_path}";

pub fn routes(r: &mut Routes) {
    for place in &PLACES {
        documents_of(r, place);
        tags_of(r, place);
        audits_of(r, place);
    }
    writes(r.put(PACKAGE, put))
        .streams()
        .summary("Publishes, deprecates or unpublishes versions of an npm package");
    writes(r.delete(PACKAGE, delete)).summary("Unpublishes an npm package or one version of it");
}

fn documents_of(r: &mut Routes, place: &Place) {
    let shows = "Shows an npm package of {whose}";
    place.reads(r, "/{*package_path}", show, shows);
    let searches = "Searches the npm packages of {whose}";
    place.reads(r, "/-/v1/search", search, searches);
    let names = "Shows who asks the npm registry of {whose}";
    place.reads(r, "/-/whoami", whoami, names);
    let tells = "Tells that the npm registry of {whose} is there";
    place.reads(r, "/-/ping", ping, tells);
}

fn tags_of(r: &mut Routes, place: &Place) {
    const PATH: &str = "/-/package/{*tags_path}";
    let lists = "Lists the tags of an npm package of {whose}";
    place.reads(r, PATH, list_tags, lists);
    let sets = "Sets a tag of an npm package of {whose}";
    place.of(writes(r.put(&place.at(PATH), set_tag)).streams(), sets);
    let removes = "Removes a tag of an npm package of {whose}";
    place
        .of(writes(r.delete(&place.at(PATH), remove_tag)), removes)
        .answers(204, "The tag is gone");
}

fn audits_of(r: &mut Routes, place: &Place) {
    let path = place.at("/-/npm/v1/security");
    let bulk = asks(r, &format!("{path}/advisories/bulk"), bulk_audit);
    place.of(bulk, "Lists advisories for packages, asked of {whose}");
    let quick = asks(r, &format!("{path}/audits/quick"), quick_audit);
    place.of(quick, "Audits a tree in short, asked of {whose}");
    let full = asks(r, &format!("{path}/audits"), full_audit);
    place.of(full, "Audits a tree, asked of {whose}");
}

kernel::params! {
    pub struct At {
        /// `NAME`, or in a project `NAME/-/FILE`; NAME may be `@SCOPE/NAME`.
        pub package_path: String,
    }
}

kernel::params! {
    pub struct AtProject {
        /// The project.
        pub id: Reference,
        /// `NAME`, with `/-rev/REVISION` behind it to unpublish; NAME may be `@SCOPE/NAME`.
        pub package_path: String,
    }
}

kernel::params! {
    pub struct Tags {
        /// `NAME/dist-tags` or `NAME/dist-tags/TAG`.
        pub tags_path: String,
    }
}

kernel::params! {
    pub struct Search {
        /// Words that names have to hold.
        pub text: Option<String>,
        /// Most results, up to 250.
        pub size: Option<i64>,
        /// Results left out at the beginning.
        pub from: Option<i64>,
    }
}

async fn show(client: Client, at: Params<At>) -> Result<Response> {
    documents::show(&client, &at.package_path).await
}

async fn search(client: Client, wanted: Params<Search>) -> Result<Response> {
    search::find(&client, &wanted).await
}

async fn list_tags(client: Client, at: Params<Tags>) -> Result<Response> {
    tags::list(&client, &at.tags_path).await
}

async fn set_tag(client: Client, at: Params<Tags>, body: Upload) -> Result<Response> {
    tags::add(&client, &at.tags_path, body).await
}

async fn remove_tag(client: Client, at: Params<Tags>) -> Result<Response> {
    tags::remove(&client, &at.tags_path).await
}

async fn bulk_audit(client: Client, body: Upload) -> Result<Response> {
    audits::bulk(&client, body).await
}

async fn quick_audit(client: Client, body: Upload) -> Result<Response> {
    audits::quick(&client, body).await
}

async fn full_audit(client: Client, body: Upload) -> Result<Response> {
    audits::full(&client, body).await
}

/// Publishes, deprecates or unpublishes, as path and header say.
async fn put(at: Params<AtProject>, client: Client, body: Upload) -> Result<Response> {
    let command = client.request.header("npm-command").unwrap_or_default();
    match address::package(&at.package_path) {
        Some(Address::Package(name)) if command.ends_with("deprecate") => {
            deprecate::deprecate(&client, &at.id, &name, body).await
        }
        Some(Address::Package(name)) => publish::publish(&client, &at.id, &name, body).await,
        Some(Address::Revision(name, revision)) => {
            unpublish::some(&client, &at.id, (&name, &revision), body).await
        }
        _ => Err(Error::NotFound("Package")),
    }
}

async fn delete(at: Params<AtProject>, client: Client) -> Result<Response> {
    match address::package(&at.package_path) {
        Some(Address::Revision(name, revision)) => {
            unpublish::all(&client, &at.id, (&name, &revision)).await
        }
        Some(Address::FileRevision(name, file)) => {
            unpublish::one(&client, &at.id, (&name, &file)).await
        }
        _ => Err(Error::NotFound("Package")),
    }
}

/// The client where a name is looked for: at the instance's address a scoped
/// one in the group or user it is named after, one without a scope nowhere.
fn at_name(client: &Client, name: &str) -> Option<Client> {
    let prefix = match &client.prefix {
        Prefix::Instance => Prefix::Namespace(names::scope(name)?.to_owned()),
        other => other.clone(),
    };
    Some(Client { prefix, ..client.clone() })
}

async fn whoami(client: Client) -> Result<Response> {
    client.admit().await?;
    let username = match &client.viewer {
        Viewer::Anonymous => return Err(Error::Unauthenticated),
        Viewer::User(signed_in) => &signed_in.user.username,
        Viewer::Deploy(deploy) => &deploy.username,
    };
    reply::json(StatusCode::OK, &json!({"username": username}))
}

async fn ping(client: Client) -> Result<Response> {
    client.admit().await?;
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
