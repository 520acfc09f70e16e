//! A file on its way out.

use super::model::Upload;
use http::{HeaderValue, StatusCode, header};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::files::{self, SentBlob};
use kernel::http::{RequestContext, Response};

/// What a file may do that is shown by itself: be a picture, film or document.
const SHOWN: &str = "default-src 'none'; img-src 'self'; media-src 'self'; object-src 'self'; \
                     style-src 'unsafe-inline'; frame-ancestors 'none'";
/// What a file may do that is to be kept: nothing.
const KEPT: &str = "default-src 'none'; sandbox";

/// Answers with the file: shown where browsers show it safely, else to be kept.
pub async fn serve(app: &App, request: &RequestContext, upload: &Upload) -> Result<Response> {
    let size = u64::try_from(upload.size).map_err(Error::internal)?;
    let sha256 = upload.sha256();
    let file = SentBlob { key: &upload.blob_key, size, sha256: &sha256 };
    let mut response = files::send(app, request, file).await?;
    let media_type = kernel::media::inline_type(&upload.name);
    let (kind, policy) = match media_type {
        Some(_) => ("inline", SHOWN),
        None => ("attachment", KEPT),
    };
    let is_new = response.status() != StatusCode::NOT_MODIFIED;
    let headers = response.headers_mut();
    let mut set = |name, value: &str| -> Result<()> {
        headers.insert(name, HeaderValue::from_str(value).map_err(Error::internal)?);
        Ok(())
    };
    set(header::CACHE_CONTROL, "private, must-revalidate, max-age=0")?;
    if is_new {
        set(header::CONTENT_TYPE, media_type.unwrap_or("application/octet-stream"))?;
        set(header::CONTENT_DISPOSITION, &files::disposition(kind, &upload.name))?;
        set(header::CONTENT_SECURITY_POLICY, policy)?;
    }
    Ok(response)
}
