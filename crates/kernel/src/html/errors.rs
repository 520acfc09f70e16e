//! Refusals as pages.

use super::explained::words;
use super::page::{Page, Seen};
use super::reply::Html;
use crate::http::{RequestContext, Response};
use askama::Template;
use axum::body::Body;
use http::{Method, StatusCode};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    page: Page,
    code: u16,
    heading: &'static str,
    advice: &'static str,
    reason: &'a str,
    /// Where strangers sign in and come back, where that may help.
    sign_in: Option<String>,
    request_id: &'a str,
}

/// The page for a refusal. `reason` is shown as it is and may be empty; the
/// request id is what an administrator finds in the log.
pub fn error_page(
    status: StatusCode, reason: &str, request: &RequestContext, seen: Option<Seen>,
) -> Response {
    let (viewer, csrf) = match seen {
        Some(seen) => (Some(seen.viewer), seen.csrf),
        None => (None, String::new()),
    };
    let (heading, advice) = words(status, request.uri.path(), viewer.is_some());
    let is_door = [401, 403, 404].contains(&status.as_u16());
    let template = ErrorPage {
        sign_in: (is_door && viewer.is_none()).then(|| sign_in(request)),
        page: Page {
            active: "error",
            instance: request.instance.clone(),
            viewer,
            csrf,
            ..Page::new(heading)
        },
        code: status.as_u16(),
        heading,
        advice,
        reason,
        request_id: &request.request_id,
    };
    match Html::new(&template) {
        Ok(html) => html.status(status).response(),
        Err(_) => {
            let mut response = http::Response::new(Body::from(heading));
            *response.status_mut() = status;
            response
        }
    }
}

/// Where people sign in to come back.
pub(crate) const SIGN_IN: &str = "/users/sign_in?return_to=";

/// The address to sign in at and come back to the page asked for, if that was
/// only looked at.
pub(crate) fn sign_in(request: &RequestContext) -> String {
    let back = match (&request.method, request.uri.path_and_query()) {
        (&(Method::GET | Method::HEAD), Some(path)) => path.as_str(),
        _ => "/",
    };
    format!("{SIGN_IN}{}", utf8_percent_encode(back, NON_ALPHANUMERIC))
}
