//! Recipes and binary packages of C and C++ (docs/interface/packages.md 2.7).
//!
//! Clients without revisions speak v1 and keep all in the revision `0`; others
//! speak v2. Both name a recipe by four parts of the path, and [`address`]
//! tells what the rest is about. A revision is complete, and listed, with its
//! manifest, which clients send last: so an upload that was cut off is not
//! taken for a revision, and the client that repeats it goes on.

mod address;
mod publish;
mod read;
mod remove;
mod search;
mod session;
mod store;
mod texts;

pub use texts::hostile;

use crate::access::authorize;
use crate::model::PackageType;
use crate::rest::{READ, WRITE};
use crate::scope::{self, Prefix, Scope};
use ::store::Tx;
use address::Recipe;
use http::StatusCode;
use identity::registry_session::WithoutPass;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Call, FromCall, Params, RequestContext, Response, Routes, Upload, reply};
use kernel::ids::Reference;
use serde_json::json;
use spaces::access::Purpose;
use std::sync::Arc;

const CONAN: PackageType = PackageType::Conan;

pub fn routes(r: &mut Routes) {
    project::reads(r);
    project::writes(r);
    group::reads(r);
    instance::reads(r);
    instance::writes(r);
}

/// A client at one of the prefixes.
#[derive(Clone)]
struct Client {
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    /// The prefix as the client wrote it, without what follows `conan`.
    base: String,
}

impl Client {
    fn new(app: App, viewer: Viewer, prefix: Prefix, asked: &RequestContext) -> Client {
        const ROOT: &str = "/packages/conan";
        let path = asked.uri.path();
        let end = path.find(ROOT).map_or(path.len(), |at| at + ROOT.len());
        Client {
            app,
            viewer,
            prefix,
            base: path[..end].to_owned(),
        }
    }

    /// The project that is written to: at the instance's address the one that
    /// the recipe's user names.
    fn project(&self, recipe: &Recipe) -> Result<Reference> {
        match &self.prefix {
            Prefix::Project(id) => Ok(id.clone()),
            Prefix::Instance => {
                let path = recipe.project().ok_or(Error::NotFound("Package"))?;
                Ok(Reference::Path(path))
            }
            _ => Err(Error::NotFound("Project")),
        }
    }

    /// Where a recipe is looked for.
    fn scope(&self, tx: &mut Tx<'_>, recipe: &Recipe) -> Result<Scope> {
        let Prefix::Instance = self.prefix else {
            return scope::scope(tx, &self.viewer, &self.prefix);
        };
        let project = self.project(recipe)?;
        let entered = authorize(tx, &self.viewer, &project, Purpose::ReadPackages);
        let entered = entered.map_err(|error| self.unmoved(error))?;
        Ok(Scope::of_project(entered.project.id))
    }

    /// A recipe's user names a project as it is called now: no client is led
    /// from there to where it moved.
    fn unmoved(&self, error: Error) -> Error {
        match (&self.prefix, error) {
            (Prefix::Instance, Error::Moved(_)) => Error::NotFound("Project"),
            (_, other) => other,
        }
    }

    /// The package of a recipe that this client may fetch.
    fn find(&self, tx: &mut Tx<'_>, recipe: &Recipe) -> Result<i64> {
        let scope = self.scope(tx, recipe)?;
        match store::package(tx, &scope, recipe)? {
            Some(id) => Ok(id),
            None => Err(scope::missing(tx, &self.viewer, &self.prefix)?),
        }
    }
}

/// The answer to a change, which clients do not look at.
fn done() -> Result<Response> {
    reply::json(StatusCode::OK, &json!({"message": "200 OK"}))
}

/// What clients are answered below one kind of prefix.
macro_rules! remote {
    ($module:ident, $base:literal, $of:literal, { $($id:ident)? }, $prefix:expr, { $($more:item)* }) => {
        mod $module {
            use super::*;

            kernel::params! {
                /// The remote.
                pub struct Remote {
                    $(/// Whose it is.
                    pub $id: Reference,)?
                }
            }

            kernel::params! {
                /// Something of a recipe.
                pub struct OfRecipe {
                    $(/// Whose remote it is.
                    pub $id: Reference,)?
                    /// `NAME/VERSION/USER/CHANNEL` and what of it.
                    pub recipe_path: String,
                    /// In searches: leave out what binary packages are made for.
                    pub list_only: Option<String>,
                }
            }

            kernel::params! {
                /// A file of a recipe or binary package without revisions.
                pub struct OfFile {
                    $(/// Whose remote it is.
                    pub $id: Reference,)?
                    /// `NAME/VERSION/USER/CHANNEL/0/export/FILE`, or of a binary
                    /// package `NAME/VERSION/USER/CHANNEL/0/package/REFERENCE/0/FILE`.
                    pub recipe_file: String,
                }
            }

            kernel::params! {
                /// Which recipes.
                pub struct Search {
                    $(/// Whose remote it is.
                    pub $id: Reference,)?
                    /// A pattern with `*` and `?`, for the name or more of it.
                    pub q: Option<String>,
                    /// `False` to tell upper case from lower.
                    pub ignorecase: Option<String>,
                }
            }

            fn prefix($($id: &Reference)?) -> Prefix {
                $prefix
            }

            /// Whoever asks, here.
            struct Here(Client);

            impl FromCall for Here {
                async fn from_call(call: &mut Call) -> Result<Here> {
                    let at = Params::<Remote>::from_call(call).await?;
                    let _ = &at;
                    let viewer = Viewer::from_call(call).await?;
                    let prefix = prefix($(&at.$id)?);
                    Ok(Here(Client::new(call.app.clone(), viewer, prefix, &call.asked)))
                }
            }

            pub fn reads(r: &mut Routes) {
                r.get(concat!($base, "/v1/ping"), ping).unchecked()
                    .summary(concat!("Tells Conan clients what the remote of ", $of, " can do"));
                for version in ["v1", "v2"] {
                    r.get(&format!("{}/{version}/users/authenticate", $base), authenticate)
                        .scopes(READ).registry()
                        .summary(concat!("Gives a Conan client a pass for the remote of ", $of));
                    r.get(&format!("{}/{version}/users/check_credentials", $base), check)
                        .scopes(READ).registry()
                        .summary(concat!("Tells whether credentials are good at the remote of ", $of));
                    r.get(&format!("{}/{version}/conans/search", $base), find)
                        .scopes(READ).registry()
                        .summary(concat!("Searches the Conan recipes of ", $of));
                }
                r.get(concat!($base, "/v1/conans/{*recipe_path}"), show).scopes(READ).registry()
                    .summary(concat!("Shows a Conan recipe of ", $of, ", or where its files are"));
                r.get(concat!($base, "/v1/files/{*recipe_file}"), fetch).scopes(READ).registry()
                    .summary(concat!("Downloads a file of a Conan package of ", $of));
                r.get(concat!($base, "/v2/conans/{*recipe_path}"), show_revision).scopes(READ).registry()
                    .summary(concat!("Lists revisions of a Conan recipe of ", $of, ", or downloads a file of one"));
            }

            async fn ping(at: Params<Remote>) -> Result<Response> {
                let _ = at;
                session::ping()
            }

            async fn authenticate(
                Here(client): Here,
                _at: Params<Remote>,
                _proof: WithoutPass,
            ) -> Result<Response> {
                session::authenticate(&client).await
            }

            async fn check(Here(client): Here, _at: Params<Remote>) -> Result<Response> {
                session::check(&client).await
            }

            async fn find(Here(client): Here, at: Params<Search>) -> Result<Response> {
                let (q, ignorecase) = (at.q.as_deref(), at.ignorecase.as_deref());
                search::recipes(&client, q, ignorecase).await
            }

            async fn show(Here(client): Here, at: Params<OfRecipe>) -> Result<Response> {
                let list_only = at.list_only.as_deref();
                read::without_revisions(&client, &at.recipe_path, list_only).await
            }

            async fn show_revision(
                Here(client): Here,
                at: Params<OfRecipe>,
                asked: Arc<RequestContext>,
            ) -> Result<Response> {
                let list_only = at.list_only.as_deref();
                let shown = read::with_revisions(&client, &at.recipe_path, list_only, &asked);
                shown.await
            }

            async fn fetch(
                Here(client): Here,
                at: Params<OfFile>,
                asked: Arc<RequestContext>,
            ) -> Result<Response> {
                read::file(&client, &at.recipe_file, &asked).await
            }

            $($more)*
        }
    };
}

/// What clients write below one kind of prefix.
macro_rules! writable_remote {
    ($module:ident, $base:literal, $of:literal, { $($id:ident)? }, $prefix:expr) => {
        remote!($module, $base, $of, { $($id)? }, $prefix, {
            pub fn writes(r: &mut Routes) {
                r.put(concat!($base, "/v1/files/{*recipe_file}"), upload).scopes(WRITE).registry()
                    .streams()
                    .summary(concat!("Publishes a file of a Conan package in ", $of));
                r.post(concat!($base, "/v1/conans/{*recipe_path}"), command).scopes(WRITE).registry()
                    .streams()
                    .summary(concat!("Tells where files of a Conan package of ", $of, " are uploaded to, or deletes some"));
                r.delete(concat!($base, "/v1/conans/{*recipe_path}"), delete).scopes(WRITE).registry()
                    .summary(concat!("Deletes a Conan recipe of ", $of));
                r.put(concat!($base, "/v2/conans/{*recipe_path}"), upload_revision).scopes(WRITE)
                    .registry().streams()
                    .summary(concat!("Publishes a file of a revision of a Conan package in ", $of));
                r.delete(concat!($base, "/v2/conans/{*recipe_path}"), delete_revision).scopes(WRITE)
                    .registry()
                    .summary(concat!("Deletes a revision of a Conan package of ", $of));
            }

            async fn upload(
                Here(client): Here,
                at: Params<OfFile>,
                asked: Arc<RequestContext>,
                body: Upload,
            ) -> Result<Response> {
                publish::without_revisions(&client, &at.recipe_file, &asked, body).await
            }

            async fn upload_revision(
                Here(client): Here,
                at: Params<OfRecipe>,
                asked: Arc<RequestContext>,
                body: Upload,
            ) -> Result<Response> {
                publish::with_revisions(&client, &at.recipe_path, &asked, body).await
            }

            async fn command(
                Here(client): Here,
                at: Params<OfRecipe>,
                body: Upload,
            ) -> Result<Response> {
                publish::command(&client, &at.recipe_path, body).await
            }

            async fn delete(Here(client): Here, at: Params<OfRecipe>) -> Result<Response> {
                remove::without_revisions(&client, &at.recipe_path).await
            }

            async fn delete_revision(Here(client): Here, at: Params<OfRecipe>) -> Result<Response> {
                remove::with_revisions(&client, &at.recipe_path).await
            }
        });
    };
}

writable_remote!(
    project,
    "/projects/{id}/packages/conan",
    "a project",
    { id },
    Prefix::Project(id.clone())
);
remote!(
    group,
    "/groups/{id}/-/packages/conan",
    "a group",
    { id },
    Prefix::Group(id.clone()),
    {}
);
writable_remote!(
    instance,
    "/packages/conan",
    "the instance",
    {},
    Prefix::Instance
);
