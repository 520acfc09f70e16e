//! The bytes of files: `/-/raw/REF/PATH`.

use super::blob::{File, read};
use super::{CodeVisit, RefKind, Spot};
use crate::caching::cached;
use crate::limits;
use crate::sending::{SMALL, bytes, send_large};
use crate::text::is_text;
use axum::body::Body;
use http::{HeaderValue, Method, StatusCode, header};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::conditional::matches_etag;
use kernel::http::files::disposition;
use kernel::http::{Params, RequestContext, Response, Routes, reply};
use kernel::media;
use repositories::lfs::Pointer;
use repositories::objects::Blob;
use spaces::access::{self, Purpose};
use spaces::pages::PROJECT;
use std::sync::Arc;

/// What the bytes of a file may do in a browser: nothing.
const POLICY: &str = "default-src 'none'; sandbox";
/// A document is shown by a part of the browser that runs in no sandbox.
const OF_DOCUMENTS: &str = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &format!("{PROJECT}/-/raw/{{*rest}}"), send);
}

kernel::params! {
    struct How {
        /// `false` to keep the file, not to show it.
        inline: Option<bool>,
    }
}

async fn send(
    visit: CodeVisit, request: Arc<RequestContext>, how: Params<How>,
) -> Result<Response> {
    let (rest, kind) = (visit.rest.clone(), visit.kind);
    let found = visit.find(move |tx, head| {
        let repository = head.code.repository()?;
        let spot = Spot::read(tx, repository, &rest, kind)?.found("File")?;
        let is_public =
            access::may(tx, &Viewer::Anonymous, &head.code.project, Purpose::DownloadCode)?;
        Ok((spot, is_public))
    });
    let (head, (spot, is_public)) = found.await?;
    let project = head.code.project.id;
    let asker = (&visit.viewer, request.peer);
    if !limits::is_raw_allowed(&visit.app, asker, project, spot.path.as_str()).await? {
        let text = "You cannot access the raw file. Please wait a minute.";
        return plain(StatusCode::TOO_MANY_REQUESTS, text);
    }
    let wanted = spot.clone();
    let file = visit.objects(&head, move |objects| read(objects, &wanted, SMALL)).await?;
    let File { blob, .. } = file.found("File")?;
    let tag = HeaderValue::from_str(&format!("\"{}\"", blob.id)).map_err(Error::internal)?;
    let name = spot.path.name();
    let mut response = match matches_etag(&request, Some(&tag)) {
        true => reply::empty(StatusCode::NOT_MODIFIED),
        false => match blob.content.as_deref().and_then(Pointer::read) {
            Some(pointer) => send_large(&visit.app, project, &request, (&pointer, name)).await?,
            None => {
                let repository = head.code.repository()?.id;
                let is_wanted = how.inline != Some(false);
                small(&visit.app, repository, &request, (blob, name), is_wanted).await?
            }
        },
    };
    // A commit stays what it is.
    let is_fixed = spot.kind == RefKind::Commit && spot.name.len() == 40;
    let by = if is_public { "public" } else { "private" };
    guard(&mut response, name);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, cached(if is_fixed { 3600 } else { 60 }, by)?);
    headers.insert(header::ETAG, tag);
    Ok(response)
}

/// A file of a repository whose files are no code, for who may read it.
pub async fn file(
    app: &App, repository: i64, request: &RequestContext, (blob, name): (Blob, &str),
) -> Result<Response> {
    file_for(app, repository, request, (blob, name), (60, "private", true)).await
}

/// The same, which others may keep for so many seconds, shown if that is wanted. Who has
/// it already is told so.
pub async fn file_for(
    app: &App, repository: i64, request: &RequestContext, (blob, name): (Blob, &str),
    (seconds, by, is_wanted): (u32, &str, bool),
) -> Result<Response> {
    let tag = HeaderValue::from_str(&format!("\"{}\"", blob.id)).map_err(Error::internal)?;
    let mut response = match matches_etag(request, Some(&tag)) {
        true => reply::empty(StatusCode::NOT_MODIFIED),
        false => small(app, repository, request, (blob, name), is_wanted).await?,
    };
    guard(&mut response, name);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, cached(seconds, by)?);
    headers.insert(header::ETAG, tag);
    Ok(response)
}

/// The bytes of a file, shown if that is wanted and harmless.
async fn small(
    app: &App, repository: i64, request: &RequestContext, (blob, name): (Blob, &str),
    is_wanted: bool,
) -> Result<Response> {
    let (kind, is_shown) = kind_of(&blob, name, is_wanted);
    let mut response = bytes(app, repository, request, blob).await?;
    let shown = disposition(if is_shown { "inline" } else { "attachment" }, name);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    let shown = HeaderValue::from_str(&shown).map_err(Error::internal)?;
    headers.insert(header::CONTENT_DISPOSITION, shown);
    Ok(response)
}

/// Takes from a file what it could do in a browser.
fn guard(response: &mut Response, name: &str) {
    let policy = match media::inline_type(name) {
        Some("application/pdf") => OF_DOCUMENTS,
        _ => POLICY,
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
}

/// The type that a file is sent as, and whether it is shown. A drawing may hold
/// scripts: pages show it, browsers by themselves do not.
fn kind_of(blob: &Blob, name: &str, wanted: bool) -> (&'static str, bool) {
    let is_drawing = name.to_ascii_lowercase().ends_with(".svg");
    match (media::inline_type(name), &blob.content) {
        (Some(kind), _) => (kind, wanted),
        (None, Some(_)) if is_drawing => ("image/svg+xml", false),
        (None, Some(content)) if is_text(content) => ("text/plain; charset=utf-8", wanted),
        _ => ("application/octet-stream", false),
    }
}

/// An answer in words.
pub fn plain(status: StatusCode, text: &'static str) -> Result<Response> {
    let mut response = http::Response::new(Body::from(text));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}
