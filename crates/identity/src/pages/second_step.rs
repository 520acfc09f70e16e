//! `/users/sign_in/two_factor`: the second factor after the password.

use super::sign_in::{OwnForm, answer, bound_page, check_own, set_cookie, visit};
use super::views::SecondStep;
use crate::gate::cookie_of;
use crate::sign_in::{self, Attempt, Outcome};
use crate::two_factor::keys;
use crate::two_factor::step::{self, Step, Tried};
use http::{Method, header};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Html, Page, flash, ui};
use kernel::http::{Params, RequestContext, Response, Routes};
use serde_json::Value;
use std::sync::Arc;
use store::Tx;

pub const PATH: &str = "/users/sign_in/two_factor";
const TITLE: &str = "Two-factor authentication";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show).unchecked();
    r.page(Method::POST, PATH, create).unchecked().always();
    r.page(Method::POST, "/users/sign_in/two_factor/key", answer_of_key)
        .unchecked()
        .always();
    r.page(Method::POST, "/users/sign_in/two_factor/key/options", key_options)
        .unchecked()
        .always();
}

/// The step's cookie of a request.
pub(super) fn cookie(request: &RequestContext) -> String {
    let sent = request.headers.get_all(header::COOKIE).iter();
    cookie_of(sent, step::COOKIE).unwrap_or_default()
}

async fn show(app: App, request: Arc<RequestContext>) -> Result<Response> {
    form(&app, &request, String::new()).await
}

/// The step's form; without a step, the way back to its beginning.
async fn form(app: &App, request: &RequestContext, error: String) -> Result<Response> {
    let cookie = cookie(request);
    let found = app.read(move |tx| {
        let Some((_, user)) = step::find(tx, &cookie)? else {
            return Ok(None);
        };
        Ok(Some(keys::count(tx, user.id)? > 0))
    });
    match found.await? {
        Some(has_keys) => render(app, request, has_keys, error),
        None => ended(app),
    }
}

fn render(app: &App, request: &RequestContext, has_keys: bool, error: String) -> Result<Response> {
    let (page, bound) = bound_page(app, request, TITLE);
    let is_refused = !error.is_empty();
    let view = SecondStep {
        page: Page { flash: flash::read(app, &request.headers), ..page },
        has_keys,
        error,
    };
    bound.answer(app, Html::new(&view)?.refused(is_refused))
}

/// The step is over without success: sign-in begins again.
pub(super) fn ended(app: &App) -> Result<Response> {
    let text = "Too many wrong codes, or too much time passed: sign in again.";
    let mut response = flash::refused(app, "/users/sign_in", text)?;
    set_cookie(app, &mut response, step::COOKIE, "", Some(0))?;
    Ok(response)
}

/// The second factor was right: how the sign-in ended, and on to the page.
pub(super) async fn passed(
    app: &App, request: &RequestContext, step: Step, outcome: Outcome,
) -> Result<Response> {
    let attempt = Attempt {
        remember: step.remember,
        return_to: step.return_to,
        ..visit(request)
    };
    let mut response = answer(app, request, outcome, attempt).await?;
    set_cookie(app, &mut response, step::COOKIE, "", Some(0))?;
    Ok(response)
}

kernel::params! {
    pub struct CodeForm {
        /// Of the app, or a recovery code.
        pub code: Option<String>,
    }
}

async fn create(app: App, OwnForm(request, form): OwnForm<Params<CodeForm>>) -> Result<Response> {
    let code = form.0.code.unwrap_or_default();
    attempt(app, &request, move |app, tx, cookie, visit| {
        step::by_code(app, tx, cookie, &code, visit)
    })
    .await
}

/// Tries a factor for the step of this browser.
async fn attempt(
    app: App, request: &RequestContext,
    factor: impl Fn(&App, &mut Tx<'_>, &str, &Attempt) -> Result<Tried> + Send + 'static,
) -> Result<Response> {
    let ip = request.peer.to_string();
    app.write(move |tx| sign_in::count(tx, &ip)).await?;
    let (own, token, visit) = (app.clone(), cookie(request), visit(request));
    let tried = app.write(move |tx| factor(&own, tx, &token, &visit));
    match tried.await? {
        Tried::Right(step, outcome) => passed(&app, request, step, outcome).await,
        Tried::Wrong(left, why) => {
            let tries = ui::count(left.unsigned_abs(), "try");
            form(&app, request, format!("{why} You have {tries} left.")).await
        }
        Tried::Ended => ended(&app),
    }
}

kernel::params! {
    /// Before a key is asked to sign in; that the form has expired is told in JSON, too.
    pub struct KeyOptionsForm { pub authenticity_token: Option<String> }
}

async fn key_options(
    app: App, request: Arc<RequestContext>, form: Params<KeyOptionsForm>,
) -> Result<Response> {
    super::security_keys::told(&request, ask_keys(&app, &request, form.0).await)
}

async fn ask_keys(app: &App, request: &RequestContext, form: KeyOptionsForm) -> Result<Value> {
    check_own(app, request, form.authenticity_token.as_deref())?;
    let (own, token) = (app.clone(), cookie(request));
    let options = app.write(move |tx| keys::begin_sign_in(&own, tx, &token));
    options.await?.ok_or_else(|| {
        Error::Unprocessable("There is no key to ask, or too much time passed.".into())
    })
}

kernel::params! {
    pub struct KeyAnswerForm {
        /// The key's answer, as `PublicKeyCredential.toJSON()` in text.
        pub answer: Option<String>,
    }
}

async fn answer_of_key(
    app: App, OwnForm(request, form): OwnForm<Params<KeyAnswerForm>>,
) -> Result<Response> {
    let sent = form.0.answer.unwrap_or_default();
    attempt(app, &request, move |app, tx, cookie, visit| {
        keys::by_key(app, tx, cookie, &sent, visit)
    })
    .await
}
