//! The bytes of files as browsers ask for them: `…/raw`, `…/raw/main/PATH`. Nothing of
//! them runs there.

use super::SnippetVisit;
use crate::files::{self, File};
use crate::model::Snippet;
use code::pages::raw::{file_for, plain};
use code::sending::SMALL;
use http::{Method, StatusCode};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::{Params, RequestContext, Response, Routes};
use repositories::model::Repository;
use std::sync::Arc;

pub(super) fn routes(r: &mut Routes, one: &str) {
    r.page(Method::GET, &format!("{one}/raw"), first);
    r.page(Method::GET, &format!("{one}/raw/{{*spot}}"), named);
}

kernel::params! {
    struct How {
        /// `false` to keep the file, not to show it.
        inline: Option<bool>,
    }
}

/// A branch or commit, and the path of the file, as the address ends.
fn spot(request: &RequestContext) -> Result<(String, String)> {
    let gone = || Error::NotFound("File");
    let (_, one) = request.uri.path().split_once("/-/snippets/").ok_or_else(gone)?;
    let (_, spot) = one.split_once("/raw/").ok_or_else(gone)?;
    let spot = percent_encoding::percent_decode_str(spot).decode_utf8().map_err(|_| gone())?;
    let (name, path) = spot.split_once('/').ok_or_else(gone)?;
    Ok((name.to_owned(), path.to_owned()))
}

async fn first(
    visit: SnippetVisit, request: Arc<RequestContext>, how: Params<How>,
) -> Result<Response> {
    let snippet = visit.find().await?.snippet;
    let path = snippet.files().first().cloned().found("File")?;
    send(&visit, &request, (snippet, "HEAD".to_owned(), path), how.0).await
}

async fn named(
    visit: SnippetVisit, request: Arc<RequestContext>, how: Params<How>,
) -> Result<Response> {
    let snippet = visit.find().await?.snippet;
    let (name, path) = spot(&request)?;
    send(&visit, &request, (snippet, name, path), how.0).await
}

async fn send(
    visit: &SnippetVisit, request: &RequestContext,
    (snippet, name, path): (Snippet, String, String), how: How,
) -> Result<Response> {
    let asker = (&visit.viewer, request.peer);
    if !code::limits::is_raw_allowed(&visit.app, asker, -snippet.id, &path).await? {
        let text = "You cannot access the raw file. Please wait a minute.";
        return plain(StatusCode::TOO_MANY_REQUESTS, text);
    }
    let (repository, file) = read(&visit.app, &snippet, (&name, &path)).await?;
    let is_public = visit.app.read(move |tx| {
        let found = crate::access::see(tx, &Viewer::Anonymous, snippet)?;
        Ok(found.is_some())
    });
    let by = if is_public.await? { "public" } else { "private" };
    // A commit stays what it is; a branch may be another at any moment.
    let is_fixed = name.len() == 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let seconds = if is_fixed { 3600 } else { 0 };
    let named = (file.blob, file.path.name());
    let shown = how.inline != Some(false);
    file_for(&visit.app, repository.id, request, named, (seconds, by, shown)).await
}

async fn read(
    app: &App, snippet: &Snippet, (name, path): (&str, &str),
) -> Result<(Repository, File)> {
    let repository = files::repository(app, snippet).await?;
    let file = files::file(app, &repository, (name, path), SMALL).await?;
    Ok((repository, file))
}
