//! What is looked at before an import from a server or the cloud of Provider B begins: where it
//! comes to stand, and what there is. Nothing is made until all of it is well. Refusals are
//! told as `{"message": {"error": …}}`.

use super::{provider_b_cloud, provider_b_server};
use crate::people;
use crate::rest::target::{self, Naming, sentences};
use crate::run::dry::{DryRun, dry_run};
use crate::run::{self, Credentials, NewImport, Options, SourceName};
use crate::settings;
use crate::upstream::Failed;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found as _, Result};
use kernel::ids::Reference;
use serde_json::{Map, Value, json};
use spaces::access::find_project;
use spaces::model::{Project, Visibility};
use spaces::store::namespaces;
use std::collections::BTreeMap;
use store::Tx;
use url::Url;

const NO_RIGHT: &str = "You don't have permissions to import this project";
const NO_NAMESPACE: &str = "Namespace or group to import repository into does not exist.";
const NO_ACCOUNT: &str = "Unable to authorize with Provider B Cloud. Check your credentials";
/// Letters of an address that are told.
const MOST_TOLD: usize = 300;
/// Seconds after which it makes sense to ask again.
const LATER: u64 = 60;
const CHECKS: &[&str] = &["namespace", "credentials", "repository", "name"];

/// Where a repository is.
#[derive(Debug, Clone)]
pub enum At {
    /// A server at this address.
    Server(String),
    Cloud,
}

/// What somebody wants imported, and how.
#[derive(Debug, Clone)]
pub struct Wish {
    pub at: At,
    /// Key of the project, or workspace, and name of the repository, with a slash between.
    pub origin: String,
    pub credentials: Credentials,
    /// A group, or a person's own; that of who asks without one. Missing groups are made.
    pub target_namespace: Option<String>,
    pub new_name: Option<String>,
    pub options: Options,
    /// Logins there, and who they are here.
    pub user_map: Map<String, Value>,
    pub is_live: bool,
    /// The request that asks for it.
    pub correlation_id: Option<String>,
}

/// A repository that was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// The name of its server.
    pub host: String,
    pub origin_id: Option<i64>,
    /// Where the interface is, without a slash at the end.
    pub base_url: String,
    /// What its source wants to know of it later on.
    pub upstream: Value,
    pub name: String,
    /// The last part of its address there.
    pub path: String,
    pub description: Option<String>,
    pub visibility: Visibility,
}

/// An import that may begin.
#[derive(Debug, Clone)]
pub struct Accepted {
    pub new: NewImport,
    target_namespace: Option<String>,
    naming: Naming,
    visibility: Visibility,
    description: Option<String>,
}

impl At {
    fn source(&self) -> SourceName {
        match self {
            At::Server(_) => SourceName::ProviderBServer,
            At::Cloud => SourceName::ProviderBCloud,
        }
    }
}

/// Looks at all that an import needs.
///
/// # Errors
///
/// As the endpoints answer it.
pub async fn accept(app: &App, viewer: &Viewer, wish: Wish) -> Result<Accepted> {
    viewer.signed_in()?;
    let (who, asked) = (viewer.clone(), wish.clone());
    let here = app.read(move |tx| {
        settings::need(tx, asked.at.source())?;
        target::find(tx, &who, asked.target_namespace.as_deref(), true)?;
        people::user_map(tx, &who, &asked.user_map)
    });
    let user_map = here.await.map_err(worded)?;
    let found = find(app, &wish).await?;
    let naming = Naming::of(wish.new_name.as_deref(), &found.name, &found.path);
    Ok(Accepted {
        naming: naming.map_err(worded)?,
        visibility: found.visibility,
        description: found.description.clone(),
        target_namespace: wish.target_namespace.clone(),
        new: new(found, wish, user_map),
    })
}

impl Accepted {
    /// Makes the project, and has it be brought; the project as it is then, and what is to be
    /// known of it.
    ///
    /// # Errors
    ///
    /// As the endpoints answer it.
    pub async fn begin(self, app: &App, viewer: &Viewer) -> Result<(Project, Option<String>)> {
        let (own, viewer) = (app.clone(), viewer.clone());
        let begun = app.write(move |tx| {
            let project = self.make(tx, &own, &viewer)?;
            let warning = self.warning(&project);
            Ok((project, warning))
        });
        begun.await.map_err(worded)
    }

    fn make(&self, tx: &mut Tx<'_>, app: &App, viewer: &Viewer) -> Result<Project> {
        let namespace = target::resolve(tx, viewer, self.target_namespace.as_deref(), true)?;
        let (name, path) = (&self.naming.name, &self.naming.path);
        let about = (self.visibility, self.description.as_deref());
        let made = target::project(tx, viewer, &namespace, name, path, about.0, about.1)?;
        run::begin(tx, app, viewer, &made, &self.new)?;
        find_project(tx, &Reference::Id(made.id))?.found("Project")
    }

    /// What is told of a project that is less visible here than it is there.
    fn warning(&self, project: &Project) -> Option<String> {
        let (here, there) = (project.visibility(), self.visibility);
        (here.level() < there.level()).then(|| {
            format!("The project is {here} here and {there} there: its namespace is {here}.")
        })
    }

    /// What it would bring.
    ///
    /// # Errors
    ///
    /// As the endpoints answer it.
    pub async fn dry_run(self, app: &App, viewer: &Viewer) -> Result<DryRun> {
        let (who, asked) = (viewer.clone(), self.clone());
        let free = app.read(move |tx| asked.check_free(tx, &who));
        free.await.map_err(worded)?;
        let user_id = viewer.signed_in()?.user.id;
        dry_run(app, user_id, &self.new, CHECKS.to_vec()).await.map_err(worded)
    }

    /// Refuses a path that is taken.
    fn check_free(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<()> {
        let place = target::find(tx, viewer, self.target_namespace.as_deref(), true)?;
        let full_path = format!("{}/{}", place.full_path(), self.naming.path);
        match namespaces::is_taken(tx, &full_path)? {
            true => Err(Error::invalid("path", "has already been taken")),
            false => Ok(()),
        }
    }
}

fn new(found: Found, wish: Wish, user_map: BTreeMap<String, i64>) -> NewImport {
    NewImport {
        source: wish.at.source(),
        host: found.host,
        origin: wish.origin,
        origin_id: found.origin_id,
        base_url: found.base_url,
        upstream: found.upstream,
        options: wish.options,
        user_map,
        is_live: wish.is_live,
        credentials: Some(wish.credentials),
        correlation_id: wish.correlation_id,
    }
}

async fn find(app: &App, wish: &Wish) -> Result<Found> {
    let (origin, credentials) = (wish.origin.as_str(), wish.credentials.clone());
    match &wish.at {
        At::Server(address) => {
            let server = server_address(app, address).await?;
            let base = provider_b_server::interface(&server);
            let found = provider_b_server::find(app, &base, origin, credentials).await;
            found.map_err(|failed| refused_by_server(failed, origin, &server))
        }
        At::Cloud => {
            let found = provider_b_cloud::find(app, origin, credentials).await;
            found.map_err(|failed| refused_by_cloud(failed, origin))
        }
    }
}

/// The address of a server that may be asked.
async fn server_address(app: &App, text: &str) -> Result<String> {
    let server = readable(text).ok_or_else(|| invalid(text))?;
    match app.outbound().await?.check(&server).await {
        Err(fault) if !fault.may_pass() => Err(invalid(text)),
        // Whether it can be reached is told by asking.
        _ => Ok(server),
    }
}

/// An address of a server and nothing else: nobody's name, no question.
fn readable(text: &str) -> Option<String> {
    let is_strange = |c: char| c.is_whitespace() || c.is_control() || c == '\\';
    if text.chars().any(is_strange) {
        return None;
    }
    let url = Url::parse(text).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
    let is_bare = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    (is_web && is_bare).then(|| url.as_str().trim_end_matches('/').to_owned())
}

/// Our own refusals, as the endpoints tell them.
fn worded(error: Error) -> Error {
    match error {
        Error::Forbidden(text) if text.is_empty() => refused(401, NO_RIGHT),
        Error::NotFound(_) => refused(422, NO_NAMESPACE),
        Error::Unprocessable(text) => refused(422, &text),
        Error::Invalid(fields) => refused(422, &sentences(&fields)),
        other => other,
    }
}

fn refused_by_server(failed: Failed, origin: &str, server: &str) -> Error {
    let text = provider_b_server::told(&failed);
    match failed {
        Failed::Blocked(_) => invalid(server),
        Failed::Status { status: 401 | 403, .. } => refused(401, &text),
        failed => {
            let text = format!("Import failed due to a Provider B Server error: {text}");
            refused_by_either(failed, origin, &text)
        }
    }
}

fn refused_by_cloud(failed: Failed, origin: &str) -> Error {
    let text = format!("Import failed due to an error: {}", provider_b_cloud::told(&failed));
    match failed.status() {
        Some(401) => refused(401, NO_ACCOUNT),
        // What somebody may not read is as if it were not there.
        Some(403) => refused(422, &not_found(origin)),
        _ => refused_by_either(failed, origin, &text),
    }
}

fn refused_by_either(failed: Failed, origin: &str, text: &str) -> Error {
    match failed {
        Failed::Internal(error) => error,
        Failed::Limited(_) => Error::Limited(LATER),
        failed if failed.is_absent() => refused(422, &not_found(origin)),
        _ => refused(400, text),
    }
}

fn not_found(origin: &str) -> String {
    format!("Project {} could not be found", told(origin))
}

fn invalid(url: &str) -> Error {
    refused(400, &format!("Invalid URL: {}", told(url)))
}

/// As much as is told of what was sent.
fn told(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MOST_TOLD).collect()
}

fn refused(status: u16, text: &str) -> Error {
    Error::Exact(status, json!({"message": {"error": text}}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_that_of_a_server() {
        for (text, read) in [
            ("https://code.example", "https://code.example"),
            ("http://code.example:7990/git/", "http://code.example:7990/git"),
        ] {
            assert_eq!(readable(text).as_deref(), Some(read));
        }
        for bad in [
            "",
            "code.example",
            "file:///etc",
            "gopher://code.example",
            "https://ada@code.example",
            "https://ada:x@code.example",
            "http://code.example\\@127.0.0.1",
            "https://code.example/?a=b",
            "https://code.example/#a",
            "https://code.example/a b",
        ] {
            assert_eq!(readable(bad), None, "{bad}");
        }
    }

    fn status(error: Error) -> u16 {
        match error {
            Error::Exact(status, _) => status,
            Error::Limited(_) => 429,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn refusals_of_others_have_their_statuses() {
        let failed = |status: u16| Failed::Status { status, body: String::new() };
        for (upstream, server, cloud) in
            [(401, 401, 401), (403, 401, 422), (404, 422, 422), (500, 400, 400)]
        {
            let told = refused_by_server(failed(upstream), "A/b", "https://code.example");
            assert_eq!(status(told), server, "{upstream}");
            assert_eq!(status(refused_by_cloud(failed(upstream), "a/b")), cloud, "{upstream}");
        }
        assert_eq!(status(refused_by_cloud(Failed::NotJson, "a/b")), 400);
    }

    #[test]
    fn our_refusals_have_their_statuses() {
        assert_eq!(status(worded(Error::forbidden(""))), 401);
        assert_eq!(status(worded(Error::NotFound("Namespace"))), 422);
        assert_eq!(status(worded(Error::invalid("path", "has already been taken"))), 422);
        assert!(matches!(worded(Error::forbidden("off")), Error::Forbidden(_)));
    }
}
