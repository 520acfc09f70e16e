//! Bytes of files: small ones at once, large ones as git tells them.

use crate::access::Code;
use crate::text::is_text;
use axum::body::Body;
use http::{HeaderName, HeaderValue, Method, header};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::files::{self, disposition};
use kernel::http::{RequestContext, Response};
use repositories::lfs::{self, Pointer};
use repositories::objects::Blob;
use repositories::output;

/// Bytes of a file that are held at once to be sent.
pub const SMALL: u64 = 4 * 1024 * 1024;

/// The bytes of a file as what they are, never as what browsers would run.
pub(crate) async fn send(
    app: &App, code: &Code, request: &RequestContext, blob: Blob, name: &str,
) -> Result<Response> {
    send_from(app, code.repository()?.id, request, blob, name).await
}

/// The same of a repository whose files are no code.
pub async fn send_from(
    app: &App, repository: i64, request: &RequestContext, blob: Blob, name: &str,
) -> Result<Response> {
    let kind = match &blob.content {
        Some(content) if is_text(content) => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    };
    let mut response = bytes(app, repository, request, blob).await?;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    let shown = HeaderValue::from_str(&disposition("attachment", name)).map_err(Error::internal)?;
    headers.insert(header::CONTENT_DISPOSITION, shown);
    Ok(response)
}

/// The bytes of a file, which browsers take for nothing else than they are said to be.
pub(crate) async fn bytes(
    app: &App, repository: i64, request: &RequestContext, blob: Blob,
) -> Result<Response> {
    let body = match (blob.content, request.method == Method::HEAD) {
        (_, true) => Body::empty(),
        (Some(content), _) => Body::from(content),
        (None, _) => {
            let id = blob.id.to_string();
            let said = ["cat-file".to_owned(), "blob".to_owned(), id];
            let sent = output::start(app, repository, |git| git.args(said));
            Body::from_stream(sent.await?.stream())
        }
    };
    let mut response = http::Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(blob.size));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    Ok(response)
}

/// Sets a header of ours, and the one that clients have compiled in.
pub(crate) fn tell(response: &mut Response, name: &str, value: &str) {
    // What is no header is written as in addresses.
    let value = match HeaderValue::from_str(value) {
        Ok(value) if value.to_str().is_ok() => Some(value),
        _ => HeaderValue::from_str(&crate::entity::in_address(value)).ok(),
    };
    for family in ["x-service", "x-gitlab"] {
        let name = HeaderName::from_bytes(format!("{family}-{name}").as_bytes());
        if let (Ok(name), Some(value)) = (name, value.clone()) {
            response.headers_mut().insert(name, value);
        }
    }
}

/// Sends the large file that a pointer leads to, under this name.
pub(crate) async fn send_large(
    app: &App, project: i64, request: &RequestContext, (pointer, name): (&Pointer, &str),
) -> Result<Response> {
    let oid = pointer.oid.clone();
    let found = app.read(move |tx| lfs::find(tx, project, &oid)).await?;
    let object = found.found("File")?;
    let mut response = files::send(app, request, object.sent()).await?;
    let named = disposition("attachment", name);
    let named = HeaderValue::from_str(&named).map_err(Error::internal)?;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_DISPOSITION, named);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    Ok(response)
}
