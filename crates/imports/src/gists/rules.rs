//! How imports of gists begin, and end.

use super::model::GistImport;
use super::store as rows;
use super::tasks::{ImportGists, TellOfGists};
use crate::run::SourceName;
use crate::settings::{self, Providers};
use crate::sources::provider_a::accept::Place;
use crate::sources::provider_a::{User, client};
use crate::upstream::Failed;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::audit;
use kernel::error::{Error, Result};
use kernel::jobs::{enqueue, enqueue_at};
use kernel::secrets::Secrets;
use serde_json::json;

const NO_ACCOUNT: &str = "Access denied to the Provider A account.";
const IN_PROGRESS: &str = "Import already in progress";

/// Has the gists of the owner of a token become snippets of the viewer.
///
/// # Errors
///
/// As the endpoint answers it.
pub async fn begin(app: &App, viewer: &Viewer, token: &str) -> Result<()> {
    let who = viewer.clone();
    app.read(move |tx| check(tx, &who)).await?;
    let place = Place::of(None, &app.plugged::<Providers>()?.get())?;
    let asked = match client(app, &place.api, token, None) {
        Ok(client) => client.ask::<User>("/user", &[]).await.map(drop),
        Err(failed) => Err(failed),
    };
    asked.map_err(|failed| refusal(failed, &place))?;
    let (own, viewer, token) = (app.clone(), viewer.clone(), token.to_owned());
    app.write(move |tx| insert(tx, &own, &viewer, (&place, &token))).await
}

/// Refuses who may not import gists now.
fn check(tx: &mut Tx<'_>, viewer: &Viewer) -> Result<()> {
    settings::need(tx, SourceName::ProviderA)?;
    snippets::access::to_create(tx, viewer, None)?;
    let now = tx.now();
    let before = rows::of_user(tx, viewer.signed_in()?.user.id)?;
    match before.is_some_and(|before| before.is_open(now)) {
        true => Err(refused(422, IN_PROGRESS)),
        false => Ok(()),
    }
}

fn insert(
    tx: &mut Tx<'_>, app: &App, viewer: &Viewer, (place, token): (&Place, &str),
) -> Result<()> {
    check(tx, viewer)?;
    let user = &viewer.signed_in()?.user;
    if let Some(before) = rows::of_user(tx, user.id)? {
        rows::delete(tx, before.id)?;
    }
    let host = place.host();
    let sealed = app.secrets().seal(&context(user.id), token.as_bytes());
    let inserted = rows::insert(tx, user.id, (&place.api, &host), &sealed)?;
    // Another request was faster.
    let import = inserted.ok_or_else(|| refused(422, IN_PROGRESS))?;
    let thing = ("User", user.id, user.username.as_str());
    audit::record(tx, viewer, "gists.import", thing, json!({"host": host}))?;
    enqueue(tx, app.jobs(), &ImportGists { import })
}

/// Ends one; the token goes, and who asked is told of what did not come.
pub(super) fn end(tx: &mut Tx<'_>, import: GistImport) -> Result<()> {
    let now = tx.now();
    let is_whole = import.failed.0.is_empty();
    let import = GistImport { sealed_token: None, ended_at: Some(now), ..import };
    rows::write(tx, &import)?;
    match is_whole {
        true => Ok(()),
        false => enqueue_at(tx, &TellOfGists { import: import.id }, now),
    }
}

/// The token of one that has not ended.
pub(super) fn token(secrets: &Secrets, import: &GistImport) -> Result<String> {
    let sealed = import.sealed_token.as_deref().unwrap_or_default();
    let plain = secrets.unseal(&context(import.user_id), sealed)?;
    Ok(String::from_utf8_lossy(&plain).into_owned())
}

fn context(user_id: i64) -> String {
    format!("gist_imports.sealed_token:{user_id}")
}

fn refused(status: u16, text: &str) -> Error {
    Error::Exact(status, json!({"message": text, "errors": text}))
}

fn refusal(failed: Failed, place: &Place) -> Error {
    match failed {
        Failed::Internal(error) => error,
        Failed::Limited(_) => refused(429, "Too Many Requests"),
        Failed::Blocked(_) => refused(400, &format!("Invalid URL: {}", place.api)),
        failed if matches!(failed.status(), Some(401 | 403)) => refused(401, NO_ACCOUNT),
        failed => refused(422, &format!("Import failed because of a Provider A error: {failed}")),
    }
}
