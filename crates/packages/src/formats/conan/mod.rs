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
use crate::client::Client;
use crate::declare::{Place, writes};
use crate::model::PackageType;
use crate::scope::{self, Prefix, Scope};
use ::store::Tx;
use address::Recipe;
use http::StatusCode;
use identity::registry_session::WithoutPass;
use kernel::error::{Error, Result};
use kernel::http::{Params, Response, Routes, Upload, reply};
use kernel::ids::Reference;
use serde_json::json;
use spaces::access::Purpose;

const CONAN: PackageType = PackageType::Conan;

const PROJECT: Place = Place::new("/projects/{id}/packages/conan", "a project", "project");
const GROUP: Place = Place::new("/groups/{id}/-/packages/conan", "a group", "group");
const INSTANCE: Place = Place::new("/packages/conan", "the instance", "instance");

pub fn routes(r: &mut Routes) {
    read_at(r, &PROJECT);
    written_at(r, &PROJECT);
    read_at(r, &GROUP);
    read_at(r, &INSTANCE);
    written_at(r, &INSTANCE);
}

const RECIPE: &str = "/v1/conans/{*recipe_path}";
const REVISION: &str = "/v2/conans/{*recipe_path}";
const FILE: &str = "/v1/files/{*recipe_file}";

fn read_at(r: &mut Routes, place: &Place) {
    let tells = "Tells Conan clients what the remote of {whose} can do";
    place.of(r.get(&place.at("/v1/ping"), ping).unchecked(), tells);
    for version in ["v1", "v2"] {
        let users = format!("/{version}/users");
        let gives = "Gives a Conan client a pass for the remote of {whose}";
        place.reads(r, &format!("{users}/authenticate"), authenticate, gives);
        let tells = "Tells whether credentials are good at the remote of {whose}";
        place.reads(r, &format!("{users}/check_credentials"), check, tells);
        let recipes = format!("/{version}/conans/search");
        place.reads(r, &recipes, find, "Searches the Conan recipes of {whose}");
    }
    let shows = "Shows a Conan recipe of {whose}, or where its files are";
    place.reads(r, RECIPE, show, shows);
    let downloads = "Downloads a file of a Conan package of {whose}";
    place.reads(r, FILE, fetch, downloads);
    let lists = "Lists revisions of a Conan recipe of {whose}, or downloads a file of one";
    place.reads(r, REVISION, show_revision, lists);
}

fn written_at(r: &mut Routes, place: &Place) {
    let (recipe, revision) = (place.at(RECIPE), place.at(REVISION));
    let publishes = writes(r.put(&place.at(FILE), upload)).streams();
    place.of(publishes, "Publishes a file of a Conan package in {whose}");
    let tells = "Tells where files of a Conan package of {whose} are uploaded to, or deletes some";
    place.of(writes(r.post(&recipe, command)).streams(), tells);
    let deletes = "Deletes a Conan recipe of {whose}";
    place.of(writes(r.delete(&recipe, delete)), deletes);
    let publishes = "Publishes a file of a revision of a Conan package in {whose}";
    let revised = writes(r.put(&revision, upload_revision)).streams();
    place.of(revised, publishes);
    let deletes = "Deletes a revision of a Conan package of {whose}";
    place.of(writes(r.delete(&revision, delete_revision)), deletes);
}

impl Client {
    /// The prefix as the client wrote it, without what follows `conan`.
    fn base(&self) -> &str {
        const ROOT: &str = "/packages/conan";
        let path = self.request.uri.path();
        let end = path.find(ROOT).map_or(path.len(), |at| at + ROOT.len());
        &path[..end]
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
    fn scope_of(&self, tx: &mut Tx<'_>, recipe: &Recipe) -> Result<Scope> {
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

    /// What is read of the package of a recipe that this client may fetch.
    async fn look<T: Send + 'static>(
        &self, recipe: &Recipe, read: impl FnOnce(&mut Tx<'_>, i64) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (client, recipe) = (self.clone(), recipe.clone());
        let looked = self.app.read(move |tx| {
            let package = client.find(tx, &recipe)?;
            read(tx, package)
        });
        looked.await
    }

    /// The package of a recipe that this client may fetch.
    fn find(&self, tx: &mut Tx<'_>, recipe: &Recipe) -> Result<i64> {
        let scope = self.scope_of(tx, recipe)?;
        match store::package(tx, &scope, recipe)? {
            Some(id) => Ok(id),
            None => Err(self.missing(tx)?),
        }
    }
}

/// The answer to a change, which clients do not look at.
fn done() -> Result<Response> {
    reply::json(StatusCode::OK, &json!({"message": "200 OK"}))
}

kernel::params! {
    pub struct OfRecipe {
        /// `NAME/VERSION/USER/CHANNEL` and what of it.
        pub recipe_path: String,
        /// In searches: leave out what binary packages are made for.
        pub list_only: Option<String>,
    }
}

kernel::params! {
    pub struct OfFile {
        /// `NAME/VERSION/USER/CHANNEL/0/export/FILE`, or of a binary
        /// package `NAME/VERSION/USER/CHANNEL/0/package/REFERENCE/0/FILE`.
        pub recipe_file: String,
    }
}

kernel::params! {
    pub struct Search {
        /// A pattern with `*` and `?`, for the name or more of it.
        pub q: Option<String>,
        /// `False` to tell upper case from lower.
        pub ignorecase: Option<String>,
    }
}

async fn ping(_: Prefix) -> Result<Response> {
    session::ping()
}

async fn authenticate(client: Client, _proof: WithoutPass) -> Result<Response> {
    session::authenticate(&client).await
}

async fn check(client: Client) -> Result<Response> {
    session::check(&client).await
}

async fn find(client: Client, wanted: Params<Search>) -> Result<Response> {
    search::recipes(&client, &wanted).await
}

async fn show(client: Client, of: Params<OfRecipe>) -> Result<Response> {
    read::without_revisions(&client, &of).await
}

async fn show_revision(client: Client, of: Params<OfRecipe>) -> Result<Response> {
    read::with_revisions(&client, &of).await
}

async fn fetch(client: Client, of: Params<OfFile>) -> Result<Response> {
    read::file(&client, &of.recipe_file).await
}

async fn upload(client: Client, of: Params<OfFile>, body: Upload) -> Result<Response> {
    publish::without_revisions(&client, &of.recipe_file, body).await
}

async fn upload_revision(client: Client, of: Params<OfRecipe>, body: Upload) -> Result<Response> {
    publish::with_revisions(&client, &of.recipe_path, body).await
}

async fn command(client: Client, of: Params<OfRecipe>, body: Upload) -> Result<Response> {
    publish::command(&client, &of.recipe_path, body).await
}

async fn delete(client: Client, of: Params<OfRecipe>) -> Result<Response> {
    remove::without_revisions(&client, &of.recipe_path).await
}

async fn delete_revision(client: Client, of: Params<OfRecipe>) -> Result<Response> {
    remove::with_revisions(&client, &of.recipe_path).await
}
