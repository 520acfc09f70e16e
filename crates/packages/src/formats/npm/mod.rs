//! npm (contract 2.4): packuments, publishing, tags, deprecation, unpublishing
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
use kernel::http::{Asked, Params, Response, Routes, Upload, reply};
use kernel::ids::Reference;
use refusal::answer;
use serde_json::json;
use std::sync::Arc;

const NPM: PackageType = PackageType::Npm;

/// The format's routes.
pub fn routes(r: &mut Routes) {
    project::routes(r);
    group::routes(r);
    instance::routes(r);
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

const PACKAGE: &str = "/projects/{id}/packages/npm/{*package_path}";

/// What every registry of npm answers, below one kind of prefix.
macro_rules! registry {
    ($module:ident, $base:literal, $of:literal, { $($id:ident)? }, $prefix:expr) => {
        mod $module {
            use super::*;

            kernel::params! {
                /// The registry.
                pub struct Registry {
                    $(/// Whose it is.
                    pub $id: Reference,)?
                }
            }

            kernel::params! {
                /// A package or a file of one.
                pub struct At {
                    $(/// Whose registry it is.
                    pub $id: Reference,)?
                    /// `NAME`, or in a project `NAME/-/FILE`; NAME may be `@SCOPE/NAME`.
                    pub package_path: String,
                }
            }

            kernel::params! {
                /// The tags of a package or one of them.
                pub struct Tags {
                    $(/// Whose registry it is.
                    pub $id: Reference,)?
                    /// `NAME/dist-tags` or `NAME/dist-tags/TAG`.
                    pub tags_path: String,
                }
            }

            kernel::params! {
                /// What to search for.
                pub struct Search {
                    $(/// Whose registry it is.
                    pub $id: Reference,)?
                    /// Words that names have to hold.
                    pub text: Option<String>,
                    /// Most results, up to 250.
                    pub size: Option<i64>,
                    /// Results left out at the beginning.
                    pub from: Option<i64>,
                }
            }

            fn prefix($($id: &Reference)?) -> Prefix {
                $prefix
            }

            pub fn routes(r: &mut Routes) {
                r.get(concat!($base, "/{*package_path}"), show).scopes(READ).registry()
                    .summary(concat!("Shows an npm package of ", $of));
                r.get(concat!($base, "/-/package/{*tags_path}"), tags).scopes(READ).registry()
                    .summary(concat!("Lists the tags of an npm package of ", $of));
                r.put(concat!($base, "/-/package/{*tags_path}"), set_tag).scopes(WRITE).registry()
                    .streams().summary(concat!("Sets a tag of an npm package of ", $of));
                r.delete(concat!($base, "/-/package/{*tags_path}"), remove_tag).scopes(WRITE).answers(204, "The tag is gone")
                    .registry().summary(concat!("Removes a tag of an npm package of ", $of));
                r.get(concat!($base, "/-/v1/search"), search).scopes(READ).registry()
                    .summary(concat!("Searches the npm packages of ", $of));
                r.get(concat!($base, "/-/whoami"), whoami).scopes(READ).registry()
                    .summary(concat!("Shows who asks the npm registry of ", $of));
                r.get(concat!($base, "/-/ping"), ping).scopes(READ).registry()
                    .summary(concat!("Tells that the npm registry of ", $of, " is there"));
                r.post(concat!($base, "/-/npm/v1/security/advisories/bulk"), bulk_audit)
                    .scopes(READ).registry().streams()
                    .summary(concat!("Lists advisories for packages, asked of ", $of));
                r.post(concat!($base, "/-/npm/v1/security/audits/quick"), quick_audit)
                    .scopes(READ).registry().streams()
                    .summary(concat!("Audits a tree in short, asked of ", $of));
                r.post(concat!($base, "/-/npm/v1/security/audits"), full_audit)
                    .scopes(READ).registry().streams()
                    .summary(concat!("Audits a tree, asked of ", $of));
            }

            async fn show(
                app: App,
                viewer: Viewer,
                at: Params<At>,
                asked: Arc<Asked>,
            ) -> Result<Response> {
                let prefix = prefix($(&at.$id)?);
                answer(&viewer, documents::show(&app, &viewer, &prefix, &at.package_path, &asked).await)
            }

            async fn tags(app: App, viewer: Viewer, at: Params<Tags>) -> Result<Response> {
                let prefix = prefix($(&at.$id)?);
                answer(&viewer, super::tags::list(&app, &viewer, &prefix, &at.tags_path).await)
            }

            async fn set_tag(
                app: App,
                viewer: Viewer,
                at: Params<Tags>,
                asked: Arc<Asked>,
                body: Upload,
            ) -> Result<Response> {
                let prefix = prefix($(&at.$id)?);
                let set = super::tags::add(&app, &viewer, &prefix, &at.tags_path, body).await;
                answer(&viewer, set.and_then(|()| super::tags::changed(&asked)))
            }

            async fn remove_tag(
                app: App,
                viewer: Viewer,
                at: Params<Tags>,
                asked: Arc<Asked>,
            ) -> Result<Response> {
                let prefix = prefix($(&at.$id)?);
                let removed = super::tags::remove(&app, &viewer, &prefix, &at.tags_path).await;
                answer(&viewer, removed.and_then(|()| super::tags::changed(&asked)))
            }

            async fn search(app: App, viewer: Viewer, at: Params<Search>) -> Result<Response> {
                let prefix = prefix($(&at.$id)?);
                let wanted = super::search::wanted(at.text.as_deref(), at.size, at.from);
                answer(&viewer, super::search::find(&app, &viewer, &prefix, wanted).await)
            }

            async fn whoami(app: App, viewer: Viewer, at: Params<Registry>) -> Result<Response> {
                let _ = &at;
                let prefix = prefix($(&at.$id)?);
                answer(&viewer, super::whoami(&app, &viewer, &prefix).await)
            }

            async fn ping(app: App, viewer: Viewer, at: Params<Registry>) -> Result<Response> {
                let _ = &at;
                let prefix = prefix($(&at.$id)?);
                answer(&viewer, super::ping(&app, &viewer, &prefix).await)
            }

            async fn bulk_audit(
                app: App,
                viewer: Viewer,
                at: Params<Registry>,
                body: Upload,
            ) -> Result<Response> {
                let _ = &at;
                let prefix = prefix($(&at.$id)?);
                answer(&viewer, audits::bulk(&app, &viewer, &prefix, body).await)
            }

            async fn quick_audit(
                app: App,
                viewer: Viewer,
                at: Params<Registry>,
                body: Upload,
            ) -> Result<Response> {
                let _ = &at;
                let prefix = prefix($(&at.$id)?);
                answer(&viewer, audits::quick(&app, &viewer, &prefix, body).await)
            }

            async fn full_audit(
                app: App,
                viewer: Viewer,
                at: Params<Registry>,
                body: Upload,
            ) -> Result<Response> {
                let _ = &at;
                let prefix = prefix($(&at.$id)?);
                answer(&viewer, audits::full(&app, &viewer, &prefix, body).await)
            }
        }
    };
}

registry!(
    project,
    "/projects/{id}/packages/npm",
    "a project",
    { id },
    Prefix::Project(id.clone())
);
registry!(
    group,
    "/groups/{id}/-/packages/npm",
    "a group",
    { id },
    Prefix::Group(id.clone())
);
registry!(
    instance,
    "/packages/npm",
    "the instance",
    {},
    Prefix::Instance
);

/// Publishes, deprecates or unpublishes, as path and header say.
async fn put(
    app: App,
    viewer: Viewer,
    at: Params<project::At>,
    asked: Arc<Asked>,
    body: Upload,
) -> Result<Response> {
    let command = asked.header("npm-command").unwrap_or_default();
    let done = match address::package(&at.package_path) {
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
    };
    answer(&viewer, done)
}

/// Unpublishes.
async fn delete(app: App, viewer: Viewer, at: Params<project::At>) -> Result<Response> {
    let done = match address::package(&at.package_path) {
        Some(Address::Revision(name, revision)) => {
            unpublish::all(&app, &viewer, &at.id, (&name, &revision)).await
        }
        Some(Address::FileRevision(name, file)) => {
            unpublish::one(&app, &viewer, &at.id, (&name, &file)).await
        }
        _ => Err(Error::NotFound("Package")),
    };
    answer(&viewer, done)
}

/// Where a name is looked for: at the instance's address a scoped one in the
/// group or user it is named after, one without a scope nowhere.
fn place(prefix: &Prefix, name: &str) -> Option<Prefix> {
    match prefix {
        Prefix::Instance => names::scope(name).map(|scope| Prefix::TopLevel(scope.to_owned())),
        other => Some(other.clone()),
    }
}

/// Refuses who may not ask at this prefix at all.
async fn admitted(app: &App, viewer: &Viewer, prefix: &Prefix) -> Result<()> {
    let (viewer, prefix) = (viewer.clone(), prefix.clone());
    app.read(move |tx| scope(tx, &viewer, &prefix).map(drop))
        .await
}

async fn whoami(app: &App, viewer: &Viewer, prefix: &Prefix) -> Result<Response> {
    admitted(app, viewer, prefix).await?;
    let username = match viewer {
        Viewer::Anonymous => return Err(Error::Unauthenticated),
        Viewer::User(signed_in) => &signed_in.user.username,
        Viewer::Deploy(deploy) => &deploy.username,
    };
    reply::json(StatusCode::OK, &json!({"username": username}))
}

async fn ping(app: &App, viewer: &Viewer, prefix: &Prefix) -> Result<Response> {
    admitted(app, viewer, prefix).await?;
    reply::json(StatusCode::OK, &json!({}))
}

/// What a client is told that does not look at it.
fn done() -> Result<Response> {
    reply::json(StatusCode::OK, &json!({"ok": true}))
}
