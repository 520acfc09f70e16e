//! `/users/sign_up`.

use super::challenge::Challenge;
use super::mail_links::{door, show as show_door};
use super::sign_in::{OwnForm, bound_page, form_cookie};
use super::views;
use crate::password;
use crate::sign_up::{self, Confirmation, SignUp};
use crate::spam::captcha::Captcha;
use crate::spam::{self, Actor, Guarded, Subject};
use crate::users::NewUser;
use crate::viewer::Viewer;
use http::{Method, StatusCode, header};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Errors, Html, flash};
use kernel::http::openapi::Operation;
use kernel::http::params::{FromParams, Source};
use kernel::http::{Call, FromCall, RequestContext, Response, Routes, reply};
use std::sync::Arc;

const PATH: &str = "/users/sign_up";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, create).unchecked();
}

kernel::params! {
    pub struct Form {
        pub name: Option<String>,
        pub username: Option<String>,
        pub email: Option<String>,
        pub password: Option<String>,
    }
}

/// The form with all that was sent: the challenge's field has the name that
/// its maker gave it.
struct SignUpRequest(Form, Source);

impl FromCall for SignUpRequest {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let source = call.merged().await?.clone();
        let form = Form::from_params(&source).map_err(Error::Parameters)?;
        Ok(SignUpRequest(form, source))
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.parameters(Form::fields());
    }
}

impl SignUpRequest {
    fn new_user(&self) -> NewUser {
        let text = |text: &Option<String>| text.as_deref().unwrap_or_default().trim().to_owned();
        NewUser {
            username: text(&self.0.username),
            name: text(&self.0.name),
            email: text(&self.0.email),
            ..NewUser::default()
        }
    }

    fn solution(&self, captcha: &Captcha) -> &str {
        let sent = self.1.get(&captcha.response_field);
        sent.and_then(|value| value.as_str()).unwrap_or_default()
    }
}

async fn show(app: App, viewer: Viewer, request: Arc<RequestContext>) -> Result<Response> {
    if viewer.user().is_some() {
        return reply::redirect("/");
    }
    let rules: SignUp = app.settings().get(&app).await?;
    if !rules.enabled {
        return Err(sign_up::closed());
    }
    render(&app, &request, &NewUser::default(), Errors::default(), "").await
}

async fn render(
    app: &App, request: &RequestContext, typed: &NewUser, errors: Errors, error: &str,
) -> Result<Response> {
    let (page, bound) = bound_page(app, request, "Sign up");
    let refused = !error.is_empty() || !errors.is_empty();
    let view = views::SignUp {
        page,
        typed: typed.clone(),
        error: error.to_owned(),
        errors,
        challenge: Challenge::configured(app).await?,
    };
    let html = Challenge::allow(view.challenge.as_ref(), Html::new(&view)?);
    bound.answer(app, html.refused(refused))
}

async fn create(app: App, OwnForm(request, sent): OwnForm<SignUpRequest>) -> Result<Response> {
    let ip = request.peer.to_string();
    // Counted in a transaction of its own: a refusal must count, too.
    app.write(move |tx| sign_up::count(tx, &ip)).await?;
    let new = sent.new_user();
    match attempt(&app, &request, &sent, new.clone()).await {
        Ok(None) => told(&app, &request).await,
        Ok(Some(refused)) => render(&app, &request, &new, Errors::default(), &refused).await,
        Err(error @ Error::Invalid(_)) => {
            let (errors, _) = flash::in_form(error)?;
            render(&app, &request, &new, errors, "").await
        }
        Err(error) => Err(error),
    }
}

/// Nothing, or why it was refused.
async fn attempt(
    app: &App, request: &RequestContext, sent: &SignUpRequest, mut new: NewUser,
) -> Result<Option<String>> {
    let rules: SignUp = app.read(kernel::settings::read).await?;
    let password = sent.0.password.clone().unwrap_or_default();
    rules.check(&new, &password)?;
    let captcha: Captcha = app.settings().get(app).await?;
    let ip = request.peer.to_string();
    if captcha.enabled && !captcha.verify(app, sent.solution(&captcha), &ip).await? {
        return Ok(Some("Solve the challenge first.".to_owned()));
    }
    let subject = Subject {
        actor: Actor::Stranger { form: form_cookie(request).unwrap_or_default() },
        ip: ip.clone(),
        agent: request.header(header::USER_AGENT).unwrap_or_default().to_owned(),
        via_api: false,
        action: "sign_up",
        target_type: "User",
        noun: "account",
        title: new.username.clone(),
        text: format!("{}\n{}", new.name, new.email),
        solution: None,
        solved: captcha.enabled,
    };
    new.password_hash = password::hash(password).await?;
    let made = spam::guard(app, &subject, move |tx| sign_up::sign_up(tx, &ip, &new));
    Ok(match made.await? {
        Guarded::Made(()) => None,
        Guarded::Refused(refused) => Some(refused.text()),
    })
}

/// The same for everyone, whether the address has an account or not.
async fn told(app: &App, request: &RequestContext) -> Result<Response> {
    let rules: SignUp = app.read(kernel::settings::read).await?;
    let mut text = match rules.confirmation {
        Confirmation::Off => "If nothing hinders, your account is ready; a mail says what does.",
        Confirmation::Soft | Confirmation::Hard => {
            "A mail is on its way to you: open the link in it to confirm your address."
        }
    }
    .to_owned();
    if rules.approval {
        text.push_str(
            " An administrator looks at your request; a mail tells you what they decide.",
        );
    }
    show_door(app, request, door("Thank you", &text), StatusCode::OK)
}
