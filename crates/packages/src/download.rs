//! The one path of a file out of the registry, for every format: ranges,
//! validators and safe headers (docs/interface/packages.md 2.1).

use crate::downloads;
use crate::model::PackageFile;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::RequestContext;
use kernel::http::files::{self, SentBlob};
use kernel::http::reply::{self, Response};

/// Answers with the bytes of a file, or the part asked for.
pub async fn serve(app: &App, request: &RequestContext, file: &PackageFile) -> Result<Response> {
    let size = u64::try_from(file.size).map_err(Error::internal)?;
    let bytes = SentBlob { key: &file.blob_key, size, sha256: &file.sha256 };
    let mut response = files::send(app, request, bytes).await?;
    if response.status() == StatusCode::NOT_MODIFIED {
        return Ok(response);
    }
    let part = response.headers().get(header::CONTENT_RANGE);
    // The later parts of a file fetched piece by piece are no more downloads.
    let begins = part.is_none_or(|part| part.as_bytes().starts_with(b"bytes 0-"));
    if begins && request.method != Method::HEAD {
        downloads::count(app, file);
    }
    describe(response.headers_mut(), file)?;
    Ok(response)
}

/// Answers with what is kept beside a file, which the ending tells from it.
pub fn extract(
    request: &RequestContext, file: &PackageFile, ending: &str, content_type: &'static str,
    bytes: Vec<u8>,
) -> Result<Response> {
    let tag = format!("\"{}{ending}\"", file.sha256);
    let mut response = reply::tagged(request, content_type, bytes, &tag)?;
    let attached = HeaderValue::from_static("attachment");
    response.headers_mut().insert(header::CONTENT_DISPOSITION, attached);
    Ok(response)
}

fn describe(headers: &mut HeaderMap, file: &PackageFile) -> Result<()> {
    let text = |text: &str| HeaderValue::from_str(text).map_err(Error::internal);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_DISPOSITION, text(&disposition(&file.file_name))?);
    headers.insert(HeaderName::from_static("x-checksum-sha256"), text(&file.sha256)?);
    Ok(())
}

/// `attachment` with the last part of a stored name.
fn disposition(stored: &str) -> String {
    let decoded = percent_encoding::percent_decode_str(stored).decode_utf8_lossy();
    files::disposition("attachment", decoded.rsplit('/').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_never_leave_their_quotes() {
        assert_eq!(disposition("a+b.zip"), "attachment; filename=\"a+b.zip\"");
        assert_eq!(disposition("docs%2Fguide.pdf"), "attachment; filename=\"guide.pdf\"");
        let odd = disposition("x\"\r\nset-cookie: a");
        assert!(!odd.contains(['\r', '\n']));
        assert_eq!(odd.matches('"').count(), 2);
    }
}
