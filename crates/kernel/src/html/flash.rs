//! After a form: a redirect, and one message on the page it leads to.
//!
//! The message travels in a signed cookie that the next page shows and
//! forgets, so it needs no row and nobody else can put words into a page.

use super::page::{Errors, Flash, Tone};
use crate::app::App;
use crate::error::{Error, Result};
use crate::http::{RequestContext, Response, reply};
use http::{HeaderMap, HeaderValue, Method, header};

const COOKIE: &str = "_service_flash";
const LABEL: &str = "flash";
/// Seconds a message waits for its page.
const SECONDS: u32 = 60;
/// Longest message in bytes, so that the cookie stays within what browsers keep.
const MAX_TEXT: usize = 1_000;

/// The answer to a form that was accepted: 303 to a path, with a message.
pub fn done(app: &App, to: &str, text: impl Into<String>) -> Result<Response> {
    lead(app, to, Tone::Good, text.into())
}

/// The answer to a form that was refused and is not shown again: 303 to a
/// path, with the reason.
pub fn refused(app: &App, to: &str, text: impl Into<String>) -> Result<Response> {
    lead(app, to, Tone::Bad, text.into())
}

fn lead(app: &App, to: &str, tone: Tone, mut text: String) -> Result<Response> {
    let mut response = reply::see_other(to)?;
    text.truncate(text.floor_char_boundary(MAX_TEXT));
    let value = app.secrets().sign(LABEL, format!("{}\n{text}", tone.class()).as_bytes());
    let secure = if app.is_https() { "; Secure" } else { "" };
    let cookie =
        format!("{COOKIE}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={SECONDS}{secure}");
    let cookie = HeaderValue::from_str(&cookie).map_err(Error::internal)?;
    response.headers_mut().append(header::SET_COOKIE, cookie);
    Ok(response)
}

/// The message that came with a request.
pub fn read(app: &App, headers: &HeaderMap) -> Option<Flash> {
    let bytes = app.secrets().verify(LABEL, cookie(headers)?)?;
    let text = String::from_utf8(bytes).ok()?;
    let (tone, text) = text.split_once('\n')?;
    Some(Flash {
        tone: if tone == Tone::Bad.class() {
            Tone::Bad
        } else {
            Tone::Good
        },
        text: text.to_owned(),
    })
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let sent = headers.get_all(header::COOKIE).iter();
    let texts = sent.filter_map(|value| value.to_str().ok());
    texts
        .flat_map(|text| text.split(';'))
        .find_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='))
}

/// Forgets a message once a page has shown it.
pub(crate) fn forget(request: &RequestContext, response: &mut Response) {
    let shown = request.method == Method::GET && !response.status().is_redirection();
    if shown && cookie(&request.headers).is_some() {
        let gone = "_service_flash=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0";
        let headers = response.headers_mut();
        headers.append(header::SET_COOKIE, HeaderValue::from_static(gone));
    }
}

/// A refusal as its form shows it: messages beside fields, and one above for
/// what belongs to none. Other errors stay errors.
pub fn in_form(error: Error) -> Result<(Errors, Option<Flash>)> {
    let alone = |text: String| Ok((Errors::default(), Flash::failed(sentence(&text))));
    match error {
        Error::Invalid(fields) => {
            let flash = Flash::failed("Nothing was saved: look at the marked fields.");
            Ok((Errors(fields), flash))
        }
        Error::Conflict(text) | Error::Unprocessable(text) | Error::BadRequest(text) => alone(text),
        Error::Parameters(texts) => alone(texts.join("; ")),
        Error::Forbidden(text) if !text.is_empty() => alone(text),
        other => Err(other),
    }
}

/// A reason as a message: it begins with a capital and ends with a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.trim_end_matches('.').chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).chain(['.']).collect()
}
