//! Bytes of files: small ones at once, large ones as git tells them.

use crate::access::{Code, CodeRequest};
use axum::body::Body;
use http::{HeaderName, HeaderValue, Method, header};
use kernel::error::{Error, Result};
use kernel::http::files::disposition;
use kernel::http::{RequestContext, Response};
use repositories::objects::Blob;
use repositories::output;

/// Bytes of a file that are held at once to be sent.
pub(super) const SMALL: u64 = 4 * 1024 * 1024;
/// Bytes that tell whether a file is a text.
const LOOKED_AT: usize = 8000;

/// The bytes of a file as what they are, never as what browsers would run.
pub(super) async fn send(
    at: &CodeRequest, code: &Code, request: &RequestContext, blob: Blob, name: &str,
) -> Result<Response> {
    let kind = match &blob.content {
        Some(content) if is_text(content) => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    };
    let body = match (blob.content, request.method == Method::HEAD) {
        (_, true) => Body::empty(),
        (Some(content), _) => Body::from(content),
        (None, _) => {
            let id = blob.id.to_string();
            let said = ["cat-file".to_owned(), "blob".to_owned(), id];
            let repository = code.repository()?.id;
            let sent = output::start(&at.app, repository, |git| git.args(said));
            Body::from_stream(sent.await?.stream())
        }
    };
    let mut response = http::Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(blob.size));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let shown = HeaderValue::from_str(&disposition("attachment", name)).map_err(Error::internal)?;
    headers.insert(header::CONTENT_DISPOSITION, shown);
    Ok(response)
}

/// Whether bytes are a text, as git has it: no zero at their beginning.
pub(super) fn is_text(content: &[u8]) -> bool {
    !content[..content.len().min(LOOKED_AT)].contains(&0)
}

/// Sets a header of ours, and the one that clients have compiled in.
pub(super) fn tell(response: &mut Response, name: &str, value: &str) {
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
