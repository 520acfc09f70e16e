//! Requests that depend on what the caller has (RFC 9110 section 13).

use super::call::RequestContext;
use super::reply::{self, Response};
use crate::error::{Error, Result};
use crate::time::Timestamp;
use axum::body::Body;
use http::{HeaderValue, Method, StatusCode, header};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Largest answer that gets an ETag, in bytes.
const MAX_TAGGED: u64 = 4 * 1024 * 1024;
/// What gets one.
const TAGGED: [&str; 2] = ["application/json", "application/atom+xml"];

/// Weak ETag on JSON and feeds that a GET answers, and 304 when the caller has it.
pub(super) async fn conditional(response: Response, request: &RequestContext) -> Response {
    let reads = request.method == Method::GET || request.method == Method::HEAD;
    let is_tagged = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| {
        TAGGED.iter().any(|tagged| kind.as_bytes().starts_with(tagged.as_bytes()))
    });
    if !reads || !is_tagged || response.status() != StatusCode::OK {
        return response;
    }
    use http_body::Body as _;
    if response.body().size_hint().exact().is_none_or(|size| size > MAX_TAGGED) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, MAX_TAGGED as usize).await else {
        return reply::empty(StatusCode::INTERNAL_SERVER_ERROR);
    };
    if !parts.headers.contains_key(header::ETAG) {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let tag = format!("W/\"{:016x}\"", hasher.finish());
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            parts.headers.insert(header::ETAG, tag);
        }
    }
    if matches_etag(request, parts.headers.get(header::ETAG)) {
        parts.status = StatusCode::NOT_MODIFIED;
        parts.headers.remove(header::CONTENT_TYPE);
        return Response::from_parts(parts, Body::empty());
    }
    Response::from_parts(parts, Body::from(bytes))
}

/// Whether `If-None-Match` names this tag (RFC 9110 section 13.1.2, weak).
pub fn matches_etag(request: &RequestContext, tag: Option<&HeaderValue>) -> bool {
    let (Some(sent), Some(tag)) =
        (request.header(header::IF_NONE_MATCH), tag.and_then(|tag| tag.to_str().ok()))
    else {
        return false;
    };
    let bare = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    sent.trim() == "*" || sent.split(',').any(|one| bare(one) == bare(tag))
}

/// Refuses a change of something that changed since `If-Unmodified-Since`;
/// an unreadable date is ignored, resolution is one second.
pub fn check_unmodified(request: &RequestContext, updated_at: Timestamp) -> Result<()> {
    let Some(text) = request.header(header::IF_UNMODIFIED_SINCE) else {
        return Ok(());
    };
    match jiff::fmt::rfc2822::parse(text) {
        Ok(since) if since.timestamp().as_second() < updated_at.as_second() => {
            Err(Error::Precondition)
        }
        _ => Ok(()),
    }
}
