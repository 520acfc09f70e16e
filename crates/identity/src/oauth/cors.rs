//! Which origins' scripts may call what (docs/interface/identity.md 2.9): every origin, never
//! with cookies. A preflight that asks for a header beyond `Authorization`
//! and the safelisted ones is answered without permission.

use http::{HeaderValue, StatusCode, header};
use kernel::error::Result;
use kernel::http::{RequestContext, Response, reply};
use std::sync::Arc;

/// Headers every script may send, in lower case (Fetch standard, «CORS-safelisted
/// request-header»).
const SAFELISTED: &[&str] =
    &["accept", "accept-language", "content-language", "content-type", "range"];

/// Lets every origin read this answer.
pub fn allow(response: &mut Response) {
    let any = HeaderValue::from_static("*");
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, any);
}

pub async fn for_post(request: Arc<RequestContext>) -> Result<Response> {
    Ok(preflight(&request, "POST, OPTIONS", true))
}

pub async fn for_get_and_post(request: Arc<RequestContext>) -> Result<Response> {
    Ok(preflight(&request, "GET, HEAD, POST, OPTIONS", true))
}

/// Preflight of endpoints that take GET with a credential.
pub async fn for_get(request: Arc<RequestContext>) -> Result<Response> {
    Ok(preflight(&request, "GET, HEAD, OPTIONS", true))
}

/// Preflight of public documents.
pub async fn for_documents(request: Arc<RequestContext>) -> Result<Response> {
    Ok(preflight(&request, "GET, HEAD", false))
}

fn preflight(request: &RequestContext, methods: &'static str, authorization: bool) -> Response {
    let mut response = reply::empty(StatusCode::OK);
    let sent = |name| request.header(name).unwrap_or_default();
    let method = sent(header::ACCESS_CONTROL_REQUEST_METHOD).trim();
    let known = methods.split(", ").any(|one| one == method);
    let permitted = |name: &str| {
        let name = name.trim().to_ascii_lowercase();
        SAFELISTED.contains(&name.as_str()) || (authorization && name == "authorization")
    };
    let wanted = sent(header::ACCESS_CONTROL_REQUEST_HEADERS);
    let fits = wanted.split(',').filter(|name| !name.trim().is_empty()).all(permitted);
    if !known || !fits {
        return response;
    }
    allow(&mut response);
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(methods));
    if authorization {
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            HeaderValue::from_static("Authorization, Content-Type"),
        );
    }
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("7200"));
    response
}
