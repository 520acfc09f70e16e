//! `/users/sign_in`, `/users/sign_out`, and the forced change of a password.

use super::second_step;
use super::views::{NewPassword, SignIn};
use crate::author::Author;
use crate::gate::cookie_of;
use crate::model::User;
use crate::sessions::{self, COOKIE};
use crate::settings::Sessions;
use crate::sign_in::{self, Attempt, Outcome};
use crate::standing::TwoFactorRequirement;
use crate::two_factor::{requirement, step};
use crate::users;
use crate::viewer::{SignedInViewer, Viewer};
use crate::{csrf, password, password_rules, two_factor};
use http::{Method, StatusCode, header};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::{Html, Page, flash};
use kernel::http::openapi::Operation;
use kernel::http::routes::Surface;
use kernel::http::{Call, FromCall, Params, RequestContext, Response, Routes, reply};
use kernel::secrets::{self, Secret};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Cookie that binds the form's token to the browser before sign-in.
const FORM_COOKIE: &str = "_service_form";
/// Label of the signed proof that the old password was right.
const PROOF: &str = "expired password";
/// Seconds in which an expired password may be changed after sign-in.
const PROOF_SECONDS: i64 = 600;
const WRONG: &str = "Invalid login or password.";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, "/users/sign_in", show);
    r.page(Method::POST, "/users/sign_in", create).unchecked().always();
    r.page(Method::POST, "/users/password", renew).unchecked();
    r.page(Method::POST, "/users/sign_out", destroy).always();
}

kernel::params! {
    pub struct ShowSignIn {
        pub return_to: Option<String>,
        /// Ask even who is signed in: a client wants a fresh sign-in.
        pub again: Option<bool>,
    }
}

async fn show(
    app: App, viewer: Viewer, request: Arc<RequestContext>, params: Params<ShowSignIn>,
) -> Result<Response> {
    let back = safe_path(params.return_to.as_deref());
    if viewer.user().is_some() && params.again != Some(true) {
        return reply::redirect(back);
    }
    let back = params.return_to.as_ref().map(|_| back.to_owned());
    let back = back.unwrap_or_default();
    form(&app, &request, String::new(), "", back, StatusCode::OK).await
}

/// The path to go to: on this origin only (docs/interface/identity.md 7).
pub(super) fn safe_path(sent: Option<&str>) -> &str {
    let safe = |path: &&str| {
        path.starts_with('/')
            && !path.starts_with("//")
            && !path.contains('\\')
            && path.bytes().all(|b| b.is_ascii_graphic())
    };
    sent.filter(safe).unwrap_or("/")
}

async fn form(
    app: &App, request: &RequestContext, login: String, error: &str, back: String,
    status: StatusCode,
) -> Result<Response> {
    let sign_up: crate::sign_up::SignUp = app.settings().get(app).await?;
    let (page, bound) = bound_page(app, request, "Sign in");
    let view = SignIn {
        page: Page { flash: flash::read(app, &request.headers), ..page },
        login,
        error: error.to_owned(),
        return_to: back,
        remember_me: false,
        may_sign_up: sign_up.enabled,
    };
    bound.answer(app, Html::new(&view)?.status(status))
}

/// What binds a form to the browser before sign-in.
pub(super) struct Bound {
    secret: String,
    /// The browser does not know it yet.
    is_new: bool,
}

/// A page before sign-in, with a form bound to this browser.
pub(super) fn bound_page(
    app: &App, request: &RequestContext, title: impl Into<String>,
) -> (Page, Bound) {
    let known = form_cookie(request);
    let is_new = known.is_none();
    let secret = known.unwrap_or_else(|| secrets::random_token("").expose().to_owned());
    let page = Page {
        csrf: csrf::bound_to(app, &secret),
        active: "sign-in",
        instance: request.instance.clone(),
        ..Page::new(title)
    };
    (page, Bound { secret, is_new })
}

impl Bound {
    /// The page, with what binds its form.
    pub fn answer(self, app: &App, html: Html) -> Result<Response> {
        let mut response = html.response();
        if self.is_new {
            set_cookie(app, &mut response, FORM_COOKIE, &self.secret, None)?;
        }
        Ok(response)
    }
}

/// A form that our own page sent from this browser; others are refused.
pub(super) struct OwnForm<F>(pub Arc<RequestContext>, pub F);

impl<F: FromCall + Send> FromCall for OwnForm<F> {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let form = F::from_call(call).await?;
        let sent = call.text(csrf::FIELD).await?;
        check_own(&call.app, &call.request, sent.as_deref())?;
        Ok(OwnForm(call.request.clone(), form))
    }

    fn describe(operation: &mut Operation<'_>) {
        F::describe(operation);
    }
}

/// Refuses what does not prove that our own page sent it from this browser.
pub(super) fn check_own(app: &App, request: &RequestContext, sent: Option<&str>) -> Result<()> {
    let foreign = csrf::is_foreign(app, request, Surface::Page);
    let sent = sent.unwrap_or_default();
    let proved = form_cookie(request).is_some_and(|secret| csrf::check_bound(app, &secret, sent));
    match proved && !foreign {
        true => Ok(()),
        false => Err(Error::forbidden("The form has expired. Open the sign-in page again.")),
    }
}

pub(super) fn form_cookie(request: &RequestContext) -> Option<String> {
    cookie_of(request.headers.get_all(header::COOKIE).iter(), FORM_COOKIE)
}

pub(super) fn set_cookie(
    app: &App, response: &mut Response, name: &str, value: &str, max_age: Option<i64>,
) -> Result<()> {
    let value = sessions::cookie(app, name, value, max_age)?;
    response.headers_mut().append(header::SET_COOKIE, value);
    Ok(())
}

kernel::params! {
    pub struct SignInForm {
        /// Username or e-mail.
        pub login: Option<String>,
        pub password: Option<String>,
        /// Outlive the browser.
        pub remember_me: Option<bool>,
        pub return_to: Option<String>,
    }
}

async fn create(
    app: App, OwnForm(request, params): OwnForm<Params<SignInForm>>,
) -> Result<Response> {
    let login = params.login.clone().unwrap_or_default();
    let back = safe_path(params.return_to.as_deref()).to_owned();
    let attempt = Attempt {
        login,
        password: Secret::new(params.password.clone().unwrap_or_default()),
        remember: params.remember_me.unwrap_or(false),
        return_to: back,
        ..visit(&request)
    };
    let outcome = sign_in::sign_in(&app, attempt.clone()).await?;
    answer(&app, &request, outcome, attempt).await
}

/// A sign-in from where the request comes, yet without credentials.
pub(super) fn visit(request: &RequestContext) -> Attempt {
    Attempt {
        login: String::new(),
        password: Secret::new(""),
        remember: false,
        ip: request.peer.to_string(),
        agent: request.header(header::USER_AGENT).unwrap_or_default().to_owned(),
        before: cookie_of(request.headers.get_all(header::COOKIE).iter(), COOKIE),
        return_to: String::new(),
    }
}

/// What the browser is told of a sign-in.
pub(super) async fn answer(
    app: &App, request: &RequestContext, outcome: Outcome, attempt: Attempt,
) -> Result<Response> {
    let Attempt { login, remember, return_to: back, .. } = attempt;
    match outcome {
        Outcome::In(cookie) => enter(app, &cookie, remember, &back).await,
        Outcome::Step(cookie) => {
            let mut response = reply::redirect(second_step::PATH)?;
            let age = Some(step::SECONDS);
            set_cookie(app, &mut response, step::COOKIE, cookie.expose(), age)?;
            Ok(response)
        }
        Outcome::Wrong => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            form(app, request, login, WRONG, back, status).await
        }
        Outcome::Refused(reason) => {
            form(app, request, login, reason, back, StatusCode::FORBIDDEN).await
        }
        Outcome::Expired(user) => {
            let proof = prove(app, &user, remember, back).await?;
            renewal(app, request, proof, String::new())
        }
    }
}

async fn enter(app: &App, cookie: &Secret, remember: bool, back: &str) -> Result<Response> {
    let rules: Sessions = app.settings().get(app).await?;
    let age = (remember && rules.remember_me).then(|| rules.lifetime(true).as_secs());
    let mut response = reply::redirect(&after(app, cookie, back).await?)?;
    set_cookie(app, &mut response, COOKIE, cookie.expose(), age)?;
    Ok(response)
}

/// Where a sign-in leads: in a grace period to the page where a second factor
/// is set up, which leads on.
async fn after(app: &App, cookie: &Secret, back: &str) -> Result<String> {
    let cookie = cookie.expose().to_owned();
    let found = app.read(move |tx| {
        let holder = sessions::holder(tx, &cookie)?;
        let Some((_, user)) = holder else {
            return Ok(None);
        };
        Ok(Some((user.id, requirement::find(tx, &user)?)))
    });
    let duty = match found.await? {
        Some((user, found)) => found.settle(app, user).await?,
        None => TwoFactorRequirement::None,
    };
    Ok(match duty {
        TwoFactorRequirement::None => back.to_owned(),
        TwoFactorRequirement::Grace(_) | TwoFactorRequirement::Due => {
            let back = utf8_percent_encode(back, NON_ALPHANUMERIC);
            format!("{}?return_to={back}", requirement::PAGE)
        }
    })
}

/// That someone knew a password that must be changed.
#[derive(Serialize, Deserialize)]
struct Proof {
    user: i64,
    /// The password's age: once changed, the proof is worth nothing.
    changed_at: Option<i64>,
    /// Whether a second factor was asked for before.
    two_factor: bool,
    until: i64,
    remember: bool,
    back: String,
}

async fn prove(app: &App, user: &User, remember: bool, back: String) -> Result<String> {
    let id = user.id;
    let found = app.read(move |tx| {
        Ok((crate::store::users::password_age(tx, id)?, two_factor::enabled(tx, id)?))
    });
    let (changed_at, two_factor) = found.await?;
    let until = app.now().as_second() + PROOF_SECONDS;
    let proof = Proof { user: id, changed_at, two_factor, until, remember, back };
    let bytes = serde_json::to_vec(&proof).map_err(Error::internal)?;
    Ok(app.secrets().sign(PROOF, &bytes))
}

fn renewal(app: &App, request: &RequestContext, proof: String, error: String) -> Result<Response> {
    let secret = form_cookie(request).unwrap_or_default();
    let is_refused = !error.is_empty();
    let view = NewPassword {
        page: Page {
            csrf: csrf::bound_to(app, &secret),
            active: "sign-in",
            instance: request.instance.clone(),
            ..Page::new("Choose a new password")
        },
        proof,
        error,
    };
    Ok(Html::new(&view)?.refused(is_refused).response())
}

kernel::params! {
    pub struct RenewForm {
        /// What sign-in handed out.
        pub proof: String,
        pub password: String,
        pub password_confirmation: String,
    }
}

async fn renew(app: App, OwnForm(request, params): OwnForm<Params<RenewForm>>) -> Result<Response> {
    let proof: Option<Proof> = app
        .secrets()
        .verify(PROOF, &params.proof)
        .and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let now = app.now().as_second();
    let proof = proof
        .filter(|proof| proof.until > now)
        .ok_or_else(|| Error::forbidden("The form has expired. Sign in again."))?;
    let id = proof.user;
    let (user, old) = app
        .read(move |tx| {
            let user = users::find(tx, id)?.found("User")?;
            let old: Option<String> = crate::store::users::password_hash(tx, id)?;
            Ok((user, old))
        })
        .await?;
    let problem = match password_rules::problem(&params.password, &user) {
        Some(problem) => Some(format!("The password {problem}.")),
        None if params.password != params.password_confirmation => {
            Some("The two passwords differ.".to_owned())
        }
        None if password::verify(params.password.clone(), old).await? => {
            Some("Choose a password you have not had before.".to_owned())
        }
        None => None,
    };
    if let Some(problem) = problem {
        return renewal(&app, &request, params.proof.clone(), problem);
    }
    let hash = password::hash(params.password.clone()).await?;
    let attempt = Attempt { remember: proof.remember, ..visit(&request) };
    let (remember, back, changed_at) = (proof.remember, proof.back.clone(), proof.changed_at);
    let cookie = app
        .write(move |tx| {
            let user = users::find(tx, id)?.found("User")?;
            let same = crate::store::users::password_age(tx, id)? == changed_at
                && two_factor::enabled(tx, id)? == proof.two_factor;
            if !same || user.state.refusal().is_some() {
                return Err(Error::forbidden("The form has expired. Sign in again."));
            }
            let by = Author::at(id, &attempt.ip);
            users::set_password(tx, &by, &user, &hash, false, None)?;
            sign_in::begin(tx, &user, &attempt)
        })
        .await?;
    enter(&app, &cookie, remember, safe_path(Some(&back))).await
}

async fn destroy(app: App, viewer: SignedInViewer) -> Result<Response> {
    if let Some(id) = viewer.0.session_id() {
        let user = viewer.0.user.id;
        app.write(move |tx| sessions::revoke(tx, user, id)).await?;
    }
    let mut response = reply::redirect("/users/sign_in")?;
    set_cookie(&app, &mut response, COOKIE, "", Some(0))?;
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::safe_path;

    #[test]
    fn the_way_back_stays_on_this_origin() {
        assert_eq!(safe_path(Some("/acme/anvil?tab=1")), "/acme/anvil?tab=1");
        for bad in [
            "https://evil.example",
            "//evil.example",
            "/\\evil.example",
            "javascript:alert(1)",
            "",
            "/a\r\nSet-Cookie: x=1",
            "evil",
            "/a b",
            "\\\\evil",
        ] {
            assert_eq!(safe_path(Some(bad)), "/", "{bad}");
        }
        assert_eq!(safe_path(None), "/");
    }
}
