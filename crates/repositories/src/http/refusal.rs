//! Refusals as git shows them to its user: plain text.

use http::{HeaderValue, StatusCode, header};
use kernel::error::Error;
use kernel::http::refusal;
use kernel::http::routes::Surface;
use kernel::http::{RequestContext, Response, reply};
use serde_json::Value;

const DENIED: &str = "HTTP Basic: Access denied. The user name or password is wrong, or a token \
     is needed in place of the password. A token may have expired, or may lack the scope \
     read_repository or write_repository.\n";

/// A refusal with exactly this text.
pub fn told(status: u16, text: &str) -> Error {
    Error::Exact(status, text.into())
}

pub fn render(error: Error, request: &RequestContext) -> Response {
    match error {
        Error::Unauthenticated | Error::Token { .. } | Error::InsufficientScope(_) => denied(),
        Error::Exact(status, Value::String(text)) => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::FORBIDDEN);
            match text.is_empty() {
                true => reply::empty(status),
                false => reply::text(status, format!("{text}\n")),
            }
        }
        Error::Forbidden(text) if !text.is_empty() => {
            reply::text(StatusCode::FORBIDDEN, format!("{text}\n"))
        }
        other => refusal::render(other, Surface::Plain, request),
    }
}

fn denied() -> Response {
    let mut response = reply::text(StatusCode::UNAUTHORIZED, DENIED);
    let asks = HeaderValue::from_static("Basic realm=\"Service\"");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, asks);
    response
}
