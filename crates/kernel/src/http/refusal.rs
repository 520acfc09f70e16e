//! How each refusal looks on the wire, once per surface.

use super::call::RequestContext;
use super::reply::{self, Response};
use super::route::Surface;
use crate::error::Error;
use crate::graph::media;
use crate::html::{self, Seen};
use http::{HeaderName, HeaderValue, Method, StatusCode, header};
use serde_json::{Map, Value, json};

/// Renders a refusal; internal causes go to the log only.
pub fn render(error: Error, surface: Surface, request: &RequestContext) -> Response {
    render_for(error, surface, request, None)
}

/// The same for a page that somebody looks at.
pub fn render_for(
    error: Error, surface: Surface, request: &RequestContext, seen: Option<Seen>,
) -> Response {
    if let Error::Internal(cause) = &error {
        log_internal(cause.as_ref(), request);
    }
    let error = match error {
        Error::Shown(page) => return page.response(),
        Error::SeeOther(to) => {
            return reply::see_other(&to)
                .unwrap_or_else(|_| reply::empty(StatusCode::INTERNAL_SERVER_ERROR));
        }
        other => other,
    };
    let status = status(&error);
    let mut response = match surface {
        Surface::Api => api_body(status, &error),
        Surface::Page => html::error_page(status, &page_reason(&error), request, seen),
        Surface::Plain => reply::text(status, format!("{}\n", message(status, &error))),
        Surface::Graphql => graphql_body(status, &error, request),
    };
    add_headers(&error, &mut response);
    response
}

/// The refusal of a page to a stranger, whom the gate has looked at. Who looks
/// for what is hidden from them, or is not there, is asked to sign in first,
/// and told neither.
pub fn render_for_stranger(error: Error, request: &RequestContext) -> Response {
    let looks = request.method == Method::GET || request.method == Method::HEAD;
    // Names there are for programs, and no page is hidden (RFC 8615).
    let is_page = !request.uri.path().starts_with("/.well-known/");
    if status(&error) == StatusCode::NOT_FOUND && looks && is_page {
        return reply::redirect(&html::sign_in(request))
            .unwrap_or_else(|_| reply::empty(StatusCode::NOT_FOUND));
    }
    render(error, Surface::Page, request)
}

/// Whether it is where strangers are sent who look for a page.
pub(super) fn is_lead_to_sign_in(response: &Response) -> bool {
    let to = response.headers().get(header::LOCATION);
    response.status() == StatusCode::FOUND
        && to.is_some_and(|to| to.as_bytes().starts_with(html::SIGN_IN.as_bytes()))
}

/// Renders the refusal of a request that is not looked at any further.
pub fn unasked<B>(error: Error, surface: Surface, request: http::Request<B>) -> Response {
    let (parts, _) = request.into_parts();
    let request = RequestContext {
        method: parts.method,
        uri: parts.uri,
        headers: parts.headers,
        peer: std::net::Ipv4Addr::UNSPECIFIED.into(),
        request_id: String::new(),
        base_url: String::new(),
        instance: String::new(),
    };
    render(error, surface, &request)
}

fn log_internal(cause: &(dyn std::error::Error + 'static), request: &RequestContext) {
    let mut chain = cause.to_string();
    let mut next = cause.source();
    while let Some(inner) = next {
        chain.push_str(": ");
        chain.push_str(&inner.to_string());
        next = inner.source();
    }
    tracing::error!(request_id = %request.request_id, path = request.uri.path(), cause = %chain,
        "request failed");
}

/// The status a refusal is answered with.
pub fn status(error: &Error) -> StatusCode {
    let code = match error {
        Error::Parameters(_) | Error::BadRequest(_) | Error::Invalid(_) => 400,
        Error::Unauthenticated | Error::Token { .. } => 401,
        Error::Forbidden(_) | Error::InsufficientScope(_) => 403,
        Error::NotFound(_) | Error::NotFoundText(_) => 404,
        Error::MethodNotAllowed(_) => 405,
        Error::NotAcceptable => 406,
        Error::TooSlow => 408,
        Error::Conflict(_) => 409,
        Error::Precondition => 412,
        Error::TooLarge => 413,
        Error::RangeNotSatisfiable(_) => 416,
        Error::Unprocessable(_) => 422,
        Error::Limited(_) | Error::Throttled(_) => 429,
        Error::Moved(_) => 301,
        Error::SeeOther(_) => 303,
        Error::Shown(_) => 403,
        Error::Exact(code, _) => *code,
        Error::Unavailable(_) => 503,
        Error::Internal(_) => 500,
    };
    StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// The `message` text of a refusal.
pub fn message(status: StatusCode, error: &Error) -> String {
    let plain = || format!("{} {}", status.as_u16(), status.canonical_reason().unwrap_or(""));
    match error {
        Error::Parameters(errors) => match errors.as_slice() {
            [only] if only.ends_with(" is missing") => {
                format!("400 Bad request - \"{}\" not given", &only[..only.len() - 11])
            }
            _ => format!("400 Bad request - {}", errors.join(", ")),
        },
        Error::BadRequest(reason) => format!("400 Bad request - {reason}"),
        Error::Forbidden(reason) if !reason.is_empty() => format!("403 Forbidden - {reason}"),
        Error::NotFound("") => "404 Not found".into(),
        Error::NotFound(thing) => format!("404 {thing} Not Found"),
        Error::NotFoundText(text) | Error::Conflict(text) | Error::Unprocessable(text) => {
            text.clone()
        }
        Error::TooLarge => "413 Request Entity Too Large".into(),
        Error::RangeNotSatisfiable(_) => "416 Range Not Satisfiable".into(),
        Error::Unavailable(reason) if !reason.is_empty() => {
            format!("503 Service Unavailable - {reason}")
        }
        _ => plain(),
    }
}

fn page_reason(error: &Error) -> String {
    match error {
        Error::Forbidden(reason) | Error::Unavailable(reason) | Error::BadRequest(reason) => {
            reason.clone()
        }
        Error::Parameters(errors) => errors.join(", "),
        Error::Conflict(text) | Error::Unprocessable(text) | Error::NotFoundText(text) => {
            text.clone()
        }
        Error::Invalid(fields) => fields
            .iter()
            .map(|(field, messages)| format!("{field} {}", messages.join(", ")))
            .collect::<Vec<_>>()
            .join("; "),
        _ => String::new(),
    }
}

fn api_body(status: StatusCode, error: &Error) -> Response {
    let body = match error {
        Error::Throttled(_) => return reply::text(status, "Retry later\n"),
        Error::Limited(_) => json!({"message": {
            "error": "This endpoint has been requested too many times. Try again later.",
        }}),
        Error::Parameters(errors) => {
            json!({"error": errors.join(", "), "message": message(status, error)})
        }
        Error::Invalid(fields) => {
            let fields: Map<String, Value> = fields
                .iter()
                .map(|(field, messages)| (field.clone(), json!(messages)))
                .collect();
            json!({"message": fields})
        }
        Error::Token { error, description } => {
            json!({"error": error, "error_description": description})
        }
        Error::InsufficientScope(scope) => json!({
            "error": "insufficient_scope",
            "error_description": "The request requires higher privileges than provided by the \
                                  access token.",
            "scope": scope,
        }),
        Error::Exact(_, body) => body.clone(),
        Error::Moved(to) => json!({
            "message": format!("This resource has been moved permanently to {to}")
        }),
        _ => json!({"message": message(status, error)}),
    };
    reply::json(status, &body).unwrap_or_else(|_| reply::empty(status))
}

/// A request refused as a whole (docs/interface/graphql.md 3). Every token
/// that does not suffice is one and the same «Invalid token».
fn graphql_body(status: StatusCode, error: &Error, request: &RequestContext) -> Response {
    let (status, text) = match error {
        // No answer of GraphQL's: clients wait and ask again on a bare 429,
        // and show the user what stands in `errors`.
        Error::Throttled(_) => return reply::text(status, "Retry later\n"),
        Error::Unauthenticated | Error::Token { .. } | Error::InsufficientScope(_) => {
            (StatusCode::UNAUTHORIZED, "Invalid token".to_owned())
        }
        Error::Forbidden(_) => (status, "API not accessible for user".to_owned()),
        Error::NotFound(_) | Error::NotFoundText(_) => (status, "Not found!".to_owned()),
        Error::Limited(_) => (
            status,
            "This endpoint has been requested too many times. Try again later.".to_owned(),
        ),
        Error::Unavailable(_) => (
            status,
            "Request timed out. Please try a less complex query or a smaller set of records."
                .to_owned(),
        ),
        Error::Internal(_) => (status, "Internal server error".to_owned()),
        Error::BadRequest(text) => (status, text.clone()),
        other => (status, message(status, other)),
    };
    let body = match error {
        Error::Exact(_, body) => body.clone(),
        _ => json!({"errors": [{"message": text}]}),
    };
    let kind = media::answer(media::is_strict(request.header(header::ACCEPT)));
    let mut response = reply::json(status, &body).unwrap_or_else(|_| reply::empty(status));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn add_headers(error: &Error, response: &mut Response) {
    let mut set = |name: HeaderName, value: String| {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(name, value);
        }
    };
    match error {
        Error::Token { error, description } => set(
            header::WWW_AUTHENTICATE,
            format!(
                "Bearer realm=\"The API\", error=\"{error}\", error_description=\"{description}\""
            ),
        ),
        Error::MethodNotAllowed(methods) => set(header::ALLOW, methods.join(", ")),
        Error::Limited(seconds) | Error::Throttled(seconds) => {
            set(header::RETRY_AFTER, seconds.to_string())
        }
        Error::Unavailable(_) => set(header::RETRY_AFTER, "5".into()),
        Error::RangeNotSatisfiable(size) => set(header::CONTENT_RANGE, format!("bytes */{size}")),
        Error::Moved(to) => set(header::LOCATION, to.clone()),
        _ => {}
    }
}

/// Asks for a user name and password: clients of registries send theirs only
/// when asked (docs/interface/packages.md 1.5).
pub fn ask_for_password(response: &mut Response) {
    let asks = |value: &HeaderValue| value.as_bytes().starts_with(b"Basic ");
    let headers = response.headers_mut();
    if !headers.get_all(header::WWW_AUTHENTICATE).iter().any(asks) {
        headers
            .append(header::WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"Service\""));
    }
}
