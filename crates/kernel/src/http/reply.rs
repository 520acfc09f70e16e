//! Answers: what handlers return, written to the wire in one place.

use super::call::RequestContext;
use super::operation::Operation;
use super::paging::Paged;
use crate::app::App;
use crate::error::{Error, Result};
use axum::body::Body;
use http::{HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;

/// An HTTP response with a streaming body.
pub type Response = http::Response<Body>;

/// What a handler may return.
pub trait Answer {
    /// Writes it.
    fn reply(self, app: &App, request: &RequestContext) -> Result<Response>;
    /// What it adds to the operation's OpenAPI description.
    fn describe(_operation: &mut Operation<'_>) {}
}

/// An [`Answer`] of whatever type.
pub trait Reply {
    /// Writes it.
    fn reply_boxed(self: Box<Self>, app: &App, request: &RequestContext) -> Result<Response>;
}

impl<A: Answer> Reply for A {
    fn reply_boxed(self: Box<Self>, app: &App, request: &RequestContext) -> Result<Response> {
        self.reply(app, request)
    }
}

/// 200 with a JSON body.
pub struct Ok200<T>(pub T);
/// 201 with a JSON body.
pub struct Created<T>(pub T);
/// The answer to a change that may find nothing to do.
pub enum Changed<T> {
    /// 201 with a JSON body: it changed.
    Now(T),
    /// 304: it was so before.
    Before,
}

impl<T> From<Option<T>> for Changed<T> {
    fn from(changed: Option<T>) -> Changed<T> {
        changed.map_or(Changed::Before, Changed::Now)
    }
}

/// 202: accepted for processing.
pub struct Accepted;
/// 204: done, nothing to show.
pub struct NoContent;

/// A JSON response of any status.
pub fn json<T: Serialize>(status: StatusCode, value: &T) -> Result<Response> {
    let body = serde_json::to_vec(value).map_err(Error::internal)?;
    let mut response = http::Response::new(Body::from(body));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}

/// A response without a body.
pub fn empty(status: StatusCode) -> Response {
    let mut response = http::Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// A plain text response.
pub fn text(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = http::Response::new(body.into());
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

/// Bytes that callers keep by a strong tag: 304 to those who have them.
pub fn tagged(
    request: &RequestContext, kind: &'static str, body: impl Into<Body>, tag: &str,
) -> Result<Response> {
    let tag = HeaderValue::from_str(tag).map_err(Error::internal)?;
    let mut response = match super::conditional::matches_etag(request, Some(&tag)) {
        true => empty(StatusCode::NOT_MODIFIED),
        false => http::Response::new(body.into()),
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::ETAG, tag);
    Ok(response)
}

/// A redirect to a path of ours or an absolute URL.
pub fn redirect(to: &str) -> Result<Response> {
    led(StatusCode::FOUND, to)
}

/// After a form: 303, so that the browser GETs what it leads to.
pub fn see_other(to: &str) -> Result<Response> {
    led(StatusCode::SEE_OTHER, to)
}

fn led(status: StatusCode, to: &str) -> Result<Response> {
    let mut response = empty(status);
    let to = HeaderValue::from_str(to).map_err(Error::internal)?;
    response.headers_mut().insert(header::LOCATION, to);
    Ok(response)
}

impl<T: Serialize + JsonSchema> Answer for Ok200<T> {
    fn reply(self, _: &App, _: &RequestContext) -> Result<Response> {
        json(StatusCode::OK, &self.0)
    }
    fn describe(operation: &mut Operation<'_>) {
        operation.answers::<T>(200);
    }
}

impl<T: Serialize + JsonSchema> Answer for Created<T> {
    fn reply(self, _: &App, _: &RequestContext) -> Result<Response> {
        json(StatusCode::CREATED, &self.0)
    }
    fn describe(operation: &mut Operation<'_>) {
        operation.answers::<T>(201);
    }
}

impl<T: Serialize + JsonSchema> Answer for Changed<T> {
    fn reply(self, _: &App, _: &RequestContext) -> Result<Response> {
        match self {
            Changed::Now(shown) => json(StatusCode::CREATED, &shown),
            Changed::Before => Ok(empty(StatusCode::NOT_MODIFIED)),
        }
    }
    fn describe(operation: &mut Operation<'_>) {
        operation.answers::<T>(201);
        operation.status(304, "It was so before");
    }
}

impl Answer for Accepted {
    fn reply(self, _: &App, _: &RequestContext) -> Result<Response> {
        json(StatusCode::ACCEPTED, &serde_json::json!({"message": "202 Accepted"}))
    }
    fn describe(operation: &mut Operation<'_>) {
        operation.status(202, "Accepted for processing");
    }
}

impl Answer for NoContent {
    fn reply(self, _: &App, _: &RequestContext) -> Result<Response> {
        Ok(empty(StatusCode::NO_CONTENT))
    }
    fn describe(operation: &mut Operation<'_>) {
        operation.status(204, "Done");
    }
}

impl Answer for Response {
    fn reply(self, _: &App, _: &RequestContext) -> Result<Response> {
        Ok(self)
    }
    fn describe(operation: &mut Operation<'_>) {
        operation.status(200, "The bytes or document asked for");
    }
}

impl<T: Serialize + JsonSchema> Answer for Paged<T> {
    fn reply(self, app: &App, request: &RequestContext) -> Result<Response> {
        let mut response = json(StatusCode::OK, &self.items)?;
        self.write_headers(app, request, response.headers_mut())?;
        Ok(response)
    }
    fn describe(operation: &mut Operation<'_>) {
        operation.answers::<Vec<T>>(200);
    }
}
