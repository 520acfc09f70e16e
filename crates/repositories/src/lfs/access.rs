//! Who may use large files, and how others are refused: JSON of a type of its own.

use super::settings::LfsSettings;
use crate::access::{self, Address, Service};
use crate::hooks;
use crate::http::address::{self, Asked};
use crate::model::{self, RepositoryKind};
use crate::place::Place;
use crate::size_limit;
use crate::store;
use http::{HeaderValue, StatusCode, header};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::refusal;
use kernel::http::routes::Surface;
use kernel::http::{RequestContext, Response, reply};
use serde::Serialize;
use serde_json::{Value, json};
use spaces::access::Purpose;
use spaces::model::Project;

/// Scopes of tokens that large files may be used with.
pub const SCOPES: &[&str] = &["read_repository", "write_repository", "api"];
/// The type of requests and answers.
pub(super) const KIND: &str = "application/vnd.git-lfs+json";

const DENIED: &str = "The user name or password is wrong, or a token is needed in place of the \
     password. A token may have expired, or may lack the scope read_repository or \
     write_repository.";
const READ_ONLY: &str = "You cannot write to this read-only Service instance.";

/// A refusal with exactly this message.
pub fn refused(status: u16, message: &str) -> Error {
    Error::Exact(status, json!({"message": message}))
}

pub fn not_found() -> Error {
    refused(404, "Not found.")
}

/// Refuses everything where the instance has no large files.
pub async fn check_enabled(app: &App) -> Result<()> {
    let settings: LfsSettings = app.settings().get(app).await?;
    match settings.enabled {
        true => Ok(()),
        false => Err(refused(501, "Git LFS is not enabled on this server.")),
    }
}

/// Refuses changes of a read-only instance.
pub async fn check_writable(app: &App) -> Result<()> {
    kernel::read_only::check(app).await.map_err(|_| refused(403, READ_ONLY))
}

/// What somebody is about to do with large files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    Get,
    /// For this branch alone, if one is named.
    Send(Option<String>),
    Lock,
}

impl Deed {
    fn service(&self) -> Service {
        match self {
            Deed::Get => Service::Fetch,
            Deed::Send(_) | Deed::Lock => Service::Push,
        }
    }
}

/// Whether somebody sends large files for a branch of a project, or for any where none is
/// named: who pushes there, be it that the branch was opened to them.
pub fn may_send(
    tx: &mut ::store::Tx<'_>, viewer: &Viewer, project: &Project, branch: Option<&str>,
) -> Result<bool> {
    Ok(pushes(tx, viewer, project)? || hooks::is_opened(tx, viewer, project, branch)?)
}

/// The project of a request to `/group/project.git` and `ending`, for who may do this.
pub async fn project(
    app: &App, viewer: &Viewer, request: &RequestContext, ending: &str, deed: Deed,
) -> Result<Project> {
    check_enabled(app).await?;
    let address = match address::read(request.uri.path(), ending)? {
        Asked::Repository(address) => address,
        Asked::Without => return Err(not_found()),
    };
    let viewer = viewer.clone();
    app.read_inline(move |tx| found(tx, &viewer, &address, &deed)).await
}

fn found(
    tx: &mut ::store::Tx<'_>, viewer: &Viewer, address: &Address, deed: &Deed,
) -> Result<Project> {
    let found = access::find(tx, viewer, address, deed.service()).map_err(|error| match error {
        Error::Exact(404, _) => not_found(),
        Error::Exact(403, _) => forbidden(),
        other => in_words(other),
    })?;
    // Wikis and snippets have none.
    let Place::Code(project) = found.place else {
        return Err(not_found());
    };
    let may = match deed {
        Deed::Get => true,
        Deed::Send(branch) => may_send(tx, viewer, &project, branch.as_deref())?,
        // Locks are for who pushes to the project, not to an opened branch of it.
        Deed::Lock => pushes(tx, viewer, &project)?,
    };
    match (may, project.lfs_enabled) {
        (false, _) => Err(forbidden()),
        (true, true) => Ok(*project),
        (true, false) => Err(not_found()),
    }
}

pub fn forbidden() -> Error {
    refused(403, "Access forbidden. Check your access level.")
}

fn pushes(tx: &mut ::store::Tx<'_>, viewer: &Viewer, project: &Project) -> Result<bool> {
    spaces::access::may(tx, viewer, project, Purpose::PushCode)
}

/// Refuses large files of a project whose code is about to lie elsewhere.
pub fn check_held(tx: &mut ::store::Tx<'_>, project_id: i64) -> Result<()> {
    match store::of_project(tx, project_id, RepositoryKind::Project)? {
        Some(code) => code.check_writable().map_err(in_words),
        None => Ok(()),
    }
}

/// A refusal as git-lfs shows it.
fn in_words(error: Error) -> Error {
    match error {
        Error::Forbidden(text) if text == model::READ_ONLY => refused(403, &text),
        other => other,
    }
}

/// Refuses large files that the project has no room for.
pub fn check_size(tx: &mut ::store::Tx<'_>, project_id: i64, more: i64) -> Result<()> {
    let checked = size_limit::check(tx, project_id, more)?;
    checked.map_err(|too_large| refused(406, &too_large.of_files()))
}

pub fn answer<T: Serialize>(status: StatusCode, value: &T) -> Result<Response> {
    reply::json(status, value).map(of_kind)
}

fn of_kind(mut response: Response) -> Response {
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(KIND));
    response
}

pub fn render(error: Error, request: &RequestContext) -> Response {
    match error {
        Error::Unauthenticated | Error::Token { .. } | Error::InsufficientScope(_) => denied(),
        other => of_kind(refusal::render(other, Surface::Api, request)),
    }
}

fn denied() -> Response {
    let told: Value = json!({"message": DENIED});
    let response = answer(StatusCode::UNAUTHORIZED, &told);
    let mut response = response.unwrap_or_else(|_| reply::empty(StatusCode::UNAUTHORIZED));
    let asks = HeaderValue::from_static("Basic realm=\"Service\"");
    response.headers_mut().insert("lfs-authenticate", asks.clone());
    response.headers_mut().insert(header::WWW_AUTHENTICATE, asks);
    response
}
