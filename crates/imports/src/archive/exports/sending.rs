//! The file of a project goes out: over REST and on pages.

use super::model::Export;
use http::{HeaderValue, header};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::files::{self, SentBlob, disposition};
use kernel::http::{RequestContext, Response};

/// The file of an export that has finished.
///
/// # Errors
///
/// 404 without one.
pub async fn sent(app: &App, request: &RequestContext, export: &Export) -> Result<Response> {
    let file = export.file().found("")?;
    let blob = SentBlob { key: file.key, size: file.size, sha256: file.sha256 };
    let mut response = files::send(app, request, blob).await?;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/gzip"));
    let shown = HeaderValue::from_str(&disposition("attachment", file.name));
    headers.insert(header::CONTENT_DISPOSITION, shown.map_err(Error::internal)?);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    Ok(response)
}
