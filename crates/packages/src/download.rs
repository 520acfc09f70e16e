//! The one path of a file out of the registry, for every format: ranges,
//! validators and safe headers (docs/interface/packages.md 2.1).

use crate::downloads;
use crate::model::PackageFile;
use axum::body::Body;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::RequestContext;
use kernel::http::conditional::matches_etag;
use kernel::http::reply::{self, Response};
use std::ops::Range;

/// Answers with the bytes of a file, or the part asked for.
pub async fn serve(app: &App, request: &RequestContext, file: &PackageFile) -> Result<Response> {
    let size = u64::try_from(file.size).map_err(Error::internal)?;
    let tag = HeaderValue::from_str(&format!("\"{}\"", file.sha256)).map_err(Error::internal)?;
    if matches_etag(request, Some(&tag)) {
        let mut response = reply::empty(StatusCode::NOT_MODIFIED);
        response.headers_mut().insert(header::ETAG, tag);
        return Ok(response);
    }
    if request.method == Method::HEAD {
        let mut response = reply::empty(StatusCode::OK);
        describe(response.headers_mut(), file, tag, size)?;
        return Ok(response);
    }
    let part = asked_range(request, &file.sha256, size)?;
    let (_, bytes) = app.blobs().get(&file.blob_key, part.clone()).await.map_err(missing)?;
    let mut response = http::Response::new(Body::from_stream(bytes));
    let length = part.as_ref().map_or(size, |range| range.end - range.start);
    describe(response.headers_mut(), file, tag, length)?;
    // The later parts of a file fetched piece by piece are no more downloads.
    if part.as_ref().is_none_or(|range| range.start == 0) {
        downloads::count(app, file);
    }
    if let Some(range) = part {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
        let shown = format!("bytes {}-{}/{size}", range.start, range.end - 1);
        let shown = HeaderValue::from_str(&shown).map_err(Error::internal)?;
        response.headers_mut().insert(header::CONTENT_RANGE, shown);
    }
    Ok(response)
}

/// Answers with what is kept beside a file, which the ending tells from it.
pub fn extract(
    request: &RequestContext,
    file: &PackageFile,
    ending: &str,
    content_type: &'static str,
    bytes: Vec<u8>,
) -> Result<Response> {
    let tag = format!("\"{}{ending}\"", file.sha256);
    let mut response = reply::tagged(request, content_type, bytes, &tag)?;
    let attached = HeaderValue::from_static("attachment");
    response.headers_mut().insert(header::CONTENT_DISPOSITION, attached);
    Ok(response)
}

/// A row without its bytes is our failure, not an unknown address.
fn missing(error: Error) -> Error {
    match error {
        Error::NotFound(_) => Error::internal("the bytes of a package file are missing"),
        other => other,
    }
}

fn describe(
    headers: &mut HeaderMap,
    file: &PackageFile,
    tag: HeaderValue,
    length: u64,
) -> Result<()> {
    let text = |text: &str| HeaderValue::from_str(text).map_err(Error::internal);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    headers.insert(header::CONTENT_DISPOSITION, text(&disposition(&file.file_name))?);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(header::ETAG, tag);
    headers.insert(HeaderName::from_static("x-checksum-sha256"), text(&file.sha256)?);
    Ok(())
}

/// `attachment` with the last part of a stored name, quoted for old clients
/// and exact for others (RFC 6266).
fn disposition(stored: &str) -> String {
    let decoded = percent_encoding::percent_decode_str(stored).decode_utf8_lossy();
    let name = decoded.rsplit('/').next().unwrap_or_default();
    let plain: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%') {
                c
            } else {
                '_'
            }
        })
        .collect();
    if plain == name {
        return format!("attachment; filename=\"{plain}\"");
    }
    let exact = percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC);
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{exact}")
}

/// The one range a GET asks for. Several ranges, other units and malformed
/// ones mean the whole file (RFC 9110 section 14.2), as does an `If-Range`
/// that names another content.
fn asked_range(request: &RequestContext, sha256: &str, size: u64) -> Result<Option<Range<u64>>> {
    let Some(text) = request.header(header::RANGE) else {
        return Ok(None);
    };
    if request
        .header(header::IF_RANGE)
        .is_some_and(|tag| tag.trim() != format!("\"{sha256}\""))
    {
        return Ok(None);
    }
    parse_range(text, size)
}

fn parse_range(text: &str, size: u64) -> Result<Option<Range<u64>>> {
    let Some((first, last)) =
        text.trim().strip_prefix("bytes=").and_then(|range| range.split_once('-'))
    else {
        return Ok(None);
    };
    let number = |text: &str| -> Option<u64> {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        // Beyond 64 bits is beyond every file.
        digits.then(|| text.parse().unwrap_or(u64::MAX))
    };
    let range = match (first.trim(), last.trim()) {
        ("", suffix) => match number(suffix) {
            Some(0) => return Err(Error::RangeNotSatisfiable(size)),
            Some(length) => size.saturating_sub(length)..size,
            None => return Ok(None),
        },
        (start, "") => match number(start) {
            Some(start) => start..size,
            None => return Ok(None),
        },
        (start, end) => match (number(start), number(end)) {
            (Some(start), Some(end)) if start <= end => start..end.saturating_add(1).min(size),
            _ => return Ok(None),
        },
    };
    if range.start >= size {
        Err(Error::RangeNotSatisfiable(size))
    } else {
        Ok(Some(range))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_understood_and_the_rest_is_the_whole() {
        for (text, wanted) in [
            ("bytes=0-0", Some(0..1)),
            ("bytes=2-", Some(2..10)),
            ("bytes=-3", Some(7..10)),
            ("bytes=-30", Some(0..10)),
            ("bytes=5-99999999999999999999999", Some(5..10)),
            ("bytes=0-1,3-4", None),
            ("items=0-1", None),
            ("bytes=b-a", None),
            ("bytes=3-2", None),
            ("bytes=-", None),
            ("bytes=+1-2", None),
        ] {
            assert_eq!(parse_range(text, 10).unwrap(), wanted, "{text}");
        }
        for text in ["bytes=10-", "bytes=-0", "bytes=10-20"] {
            assert!(parse_range(text, 10).is_err(), "{text}");
        }
        assert!(parse_range("bytes=0-", 0).is_err());
    }

    #[test]
    fn names_never_leave_their_quotes() {
        assert_eq!(disposition("a+b.zip"), "attachment; filename=\"a+b.zip\"");
        assert_eq!(disposition("docs%2Fguide.pdf"), "attachment; filename=\"guide.pdf\"");
        let odd = disposition("x\"\r\nset-cookie: a");
        assert!(!odd.contains(['\r', '\n']));
        assert_eq!(odd.matches('"').count(), 2);
    }
}
