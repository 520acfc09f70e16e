//! Tokens that prove a form came from our own page.
//!
//! Signed with the server's keys and bound to the session, so nothing is
//! stored. Sign-in, which has no session yet, binds them to a cookie.

use crate::viewer::SignedIn;
use http::header;
use kernel::app::App;
use kernel::http::RequestContext;
use kernel::http::routes::Surface;
use kernel::secrets;

pub const FIELD: &str = "authenticity_token";
pub const HEADER: &str = "x-csrf-token";
const LABEL: &str = "csrf";

/// Left in the call where a session's request does not prove that it comes
/// from our own page, and the handler decides what that means.
#[derive(Debug, Clone, Copy)]
pub struct Unproven;

/// The token for the session's forms; empty for tokens, which need none.
pub fn token(app: &App, signed_in: &SignedIn) -> String {
    let sign = |id: i64| app.secrets().sign(LABEL, id.to_string().as_bytes());
    signed_in.session_id().map(sign).unwrap_or_default()
}

/// Whether `sent` is a token of this session's forms.
pub fn check(app: &App, session: i64, sent: &str) -> bool {
    proves(app, &session.to_string(), sent)
}

/// Whether a browser says that a page of another site made it send this.
///
/// The forms of a page with `no-referrer` come with the origin `null`. Whose
/// page it was is then in `Sec-Fetch-Site`, which no script can set; browsers
/// leave it out over plain HTTP, where the form's token alone has to do.
pub fn is_foreign(app: &App, request: &RequestContext, surface: Surface) -> bool {
    match request.header(header::ORIGIN) {
        None => false,
        Some("null") => match request.header("sec-fetch-site") {
            Some(site) => site != "same-origin",
            None => surface != Surface::Page,
        },
        Some(origin) => origin != app.base_url(),
    }
}

/// A token bound to any text, for forms shown before sign-in.
pub fn bound_to(app: &App, text: &str) -> String {
    app.secrets().sign(LABEL, format!("before {text}").as_bytes())
}

/// Whether `sent` was made by [`bound_to`] the same text.
pub fn check_bound(app: &App, text: &str, sent: &str) -> bool {
    !text.is_empty() && proves(app, &format!("before {text}"), sent)
}

fn proves(app: &App, text: &str, sent: &str) -> bool {
    app.secrets()
        .verify(LABEL, sent)
        .is_some_and(|data| secrets::same(data, text.as_bytes()))
}
