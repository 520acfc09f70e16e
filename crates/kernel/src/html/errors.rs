//! Refusals as pages.

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
    /// Where to sign in and come back, on 401 only.
    sign_in: Option<String>,
    request_id: &'a str,
}

/// The page for a refusal. `reason` is shown as it is and may be empty; the
/// request id is what an administrator finds in the log.
pub fn error_page(
    status: StatusCode,
    reason: &str,
    request: &RequestContext,
    seen: Option<Seen>,
) -> Response {
    let (viewer, csrf) = match seen {
        Some(seen) => (Some(seen.viewer), seen.csrf),
        None => (None, String::new()),
    };
    let (heading, advice) = words(status);
    let template = ErrorPage {
        page: Page { active: "error", viewer, csrf, ..Page::new(heading) },
        code: status.as_u16(),
        heading,
        advice,
        reason,
        sign_in: (status == StatusCode::UNAUTHORIZED).then(|| sign_in(request)),
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

fn words(status: StatusCode) -> (&'static str, &'static str) {
    match status.as_u16() {
        400 => ("This request cannot be read", "Check what you entered and try again."),
        401 => ("Please sign in", "This page is for signed-in people."),
        403 => ("You may not do this", "Ask an owner of the project or group for a higher role."),
        404 => (
            "Nothing here",
            "The address may be mistyped, or the page is private and you are not signed in.",
        ),
        405 => ("This address does not take that", "Go back and use the form on the page."),
        409 => ("Someone was faster", "Reload the page and look at its present state first."),
        412 => (
            "This has changed meanwhile",
            "Reload the page and look at its present state first.",
        ),
        413 => ("Too large", "The file or text is larger than this server takes."),
        422 => ("This cannot be accepted", "Go back, reload the page and send the form again."),
        429 => ("Too many requests", "Wait a minute and try again."),
        503 => ("Back in a moment", "The server is busy or being updated. Try again shortly."),
        code if (400..500).contains(&code) => {
            ("This request cannot be answered", "Check the address and try again.")
        }
        _ => (
            "Something failed on our side",
            "It has been written to the log. If it happens again, tell your administrator.",
        ),
    }
}
