//! Files out of the blob store: ranges, validators, lengths and names
//! (RFC 9110, RFC 6266). Who sends one says what it is and who may keep it.

use super::call::RequestContext;
use super::conditional::matches_etag;
use super::reply::{self, Response};
use crate::app::App;
use crate::error::{Error, Result};
use axum::body::Body;
use http::{HeaderValue, Method, StatusCode, header};
use std::ops::Range;

/// A file whose bytes are a blob.
#[derive(Debug, Clone, Copy)]
pub struct SentBlob<'f> {
    /// Where the blob is.
    pub key: &'f str,
    /// Bytes.
    pub size: u64,
    /// Digest of the bytes, in hex: it makes the tag that callers keep them by.
    pub sha256: &'f str,
}

/// Answers with the bytes, the part asked for, or that the caller has them.
pub async fn send(app: &App, request: &RequestContext, file: SentBlob<'_>) -> Result<Response> {
    let tag = HeaderValue::from_str(&format!("\"{}\"", file.sha256)).map_err(Error::internal)?;
    if matches_etag(request, Some(&tag)) {
        let mut response = reply::empty(StatusCode::NOT_MODIFIED);
        response.headers_mut().insert(header::ETAG, tag);
        return Ok(response);
    }
    if request.method == Method::HEAD {
        let mut response = reply::empty(StatusCode::OK);
        describe(&mut response, tag, file.size);
        return Ok(response);
    }
    let part = asked_range(request, file.sha256, file.size)?;
    let (_, bytes) = app.blobs().get(file.key, part.clone()).await.map_err(missing)?;
    let mut response = http::Response::new(Body::from_stream(bytes));
    let length = part.as_ref().map_or(file.size, |range| range.end - range.start);
    describe(&mut response, tag, length);
    if let Some(range) = part {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
        let shown = format!("bytes {}-{}/{}", range.start, range.end - 1, file.size);
        let shown = HeaderValue::from_str(&shown).map_err(Error::internal)?;
        response.headers_mut().insert(header::CONTENT_RANGE, shown);
    }
    Ok(response)
}

fn describe(response: &mut Response, tag: HeaderValue, length: u64) {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(header::ETAG, tag);
}

/// A row without its bytes is our failure, not an unknown address.
fn missing(error: Error) -> Error {
    match error {
        Error::NotFound(_) => Error::internal("the bytes of a file are missing"),
        other => other,
    }
}

/// `inline` or `attachment` with a name, quoted for old clients and exact for
/// others.
pub fn disposition(kind: &str, name: &str) -> String {
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
        return format!("{kind}; filename=\"{plain}\"");
    }
    let exact = percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC);
    format!("{kind}; filename=\"{plain}\"; filename*=UTF-8''{exact}")
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

/// The part of `size` bytes that a `Range` asks for; none is the whole.
///
/// # Errors
///
/// 416 where it lies outside.
pub fn parse_range(text: &str, size: u64) -> Result<Option<Range<u64>>> {
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
        assert_eq!(disposition("inline", "a+b.zip"), "inline; filename=\"a+b.zip\"");
        let odd = disposition("attachment", "x\"\r\nset-cookie: é");
        assert!(!odd.contains(['\r', '\n']) && odd.is_ascii());
        assert_eq!(odd.matches('"').count(), 2);
    }
}
