//! `/-/profile/two_factor_auth/keys`: one's security keys. The page's script
//! asks for options in JSON, lets the browser speak with the key, and sends
//! the key's answer in a plain form.

use super::OwnThing;
use super::two_factor::{knows_password, show_codes};
use super::views::SecurityKeys;
use crate::pages::navigation::own_settings;
use crate::two_factor::keys::{self, Added};
use crate::viewer::{SignedIn, SignedInViewer};
use http::{Method, StatusCode};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Errors, Flash, Html, Page, flash};
use kernel::http::refusal;
use kernel::http::routes::Surface;
use kernel::http::{Params, RequestContext, Response, Routes, reply};
use serde_json::Value;
use std::sync::Arc;

pub const PATH: &str = "/-/profile/two_factor_auth/keys";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, create);
    r.page(Method::POST, "/users/confirm/key/options", proof_options).always();
    r.page(Method::POST, "/-/profile/two_factor_auth/keys/options", options);
    r.page(Method::POST, "/-/profile/two_factor_auth/keys/{id}/delete", destroy)
        .reauthenticated();
}

/// The session that asks. A token, which others may hold, changes no keys.
fn session(viewer: &SignedIn) -> Result<i64> {
    let text = "Security keys are changed in a browser, not with a token.";
    viewer.session_id().ok_or_else(|| Error::forbidden(text))
}

async fn show(app: App, viewer: SignedInViewer) -> Result<Response> {
    render(&app, &viewer, String::new(), Errors::default(), None).await
}

async fn render(
    app: &App, viewer: &SignedInViewer, name: String, errors: Errors, flash: Option<Flash>,
) -> Result<Response> {
    let user = viewer.0.user.id;
    let found = app.read(move |tx| keys::list(tx, user)).await?;
    let is_refused = flash.is_some();
    let shown = super::page(app, &viewer.viewer(), "Security keys");
    let shown = own_settings(shown, "Two-factor authentication");
    let view = SecurityKeys {
        page: Page { flash: flash.or_else(|| shown.flash.clone()), ..shown },
        keys: found.into_iter().map(|key| key.info).collect(),
        now: app.now(),
        unusable: match keys::party(app) {
            Err(Error::Unprocessable(text)) => text,
            _ => String::new(),
        },
        name,
        errors,
    };
    Ok(Html::new(&view)?.refused(is_refused).response())
}

kernel::params! {
    pub struct OptionsForm {
        pub current_password: Option<String>,
    }
}

async fn options(
    app: App, request: Arc<RequestContext>, viewer: SignedInViewer, form: Params<OptionsForm>,
) -> Result<Response> {
    told(&request, begin(&app, &viewer.0, form.0).await)
}

/// Options as a script reads them; what is wrong as JSON too.
pub(super) fn told(request: &RequestContext, found: Result<Value>) -> Result<Response> {
    match found {
        Ok(options) => reply::json(StatusCode::OK, &options),
        Err(error) => Ok(refusal::render(error, Surface::Api, request)),
    }
}

async fn begin(app: &App, viewer: &SignedIn, form: OptionsForm) -> Result<Value> {
    let session = session(viewer)?;
    let typed = form.current_password.unwrap_or_default();
    if !knows_password(app, viewer, typed).await? {
        return Err(Error::Unprocessable("That is not your password.".into()));
    }
    let (own, user) = (app.clone(), viewer.user.clone());
    app.write(move |tx| keys::begin_add(&own, tx, session, &user)).await
}

/// Options for a key that proves that it is still the same person.
async fn proof_options(
    app: App, request: Arc<RequestContext>, viewer: SignedInViewer,
) -> Result<Response> {
    told(&request, ask_for_proof(&app, &viewer.0).await)
}

async fn ask_for_proof(app: &App, viewer: &SignedIn) -> Result<Value> {
    let session = session(viewer)?;
    let (own, user) = (app.clone(), viewer.user.clone());
    let options = app.write(move |tx| keys::begin_proof(&own, tx, session, &user));
    options
        .await?
        .ok_or_else(|| Error::Unprocessable("You have no security key.".into()))
}

kernel::params! {
    pub struct KeyForm {
        pub name: Option<String>,
        /// The key's answer, as `PublicKeyCredential.toJSON()` in text.
        pub answer: Option<String>,
    }
}

async fn create(app: App, viewer: SignedInViewer, form: Params<KeyForm>) -> Result<Response> {
    let session = session(&viewer.0)?;
    let name = form.0.name.unwrap_or_default();
    let answer = form.0.answer.unwrap_or_default();
    let (own, user, by) = (app.clone(), viewer.0.user.clone(), viewer.author());
    let typed = name.clone();
    let added = app
        .write(move |tx| keys::finish_add(&own, tx, &by, session, &user, &typed, &answer))
        .await;
    match added {
        Ok(Added::Done(None)) => flash::done(&app, PATH, "Security key added."),
        Ok(Added::Done(Some(codes))) => show_codes(&app, &viewer, codes),
        Ok(Added::Refused(why)) => {
            let flash = Flash::failed(format!("The key was not added. {why}"));
            render(&app, &viewer, name, Errors::default(), flash).await
        }
        Err(error) => {
            let (errors, flash) = flash::in_form(error)?;
            render(&app, &viewer, name, errors, flash).await
        }
    }
}

async fn destroy(app: App, viewer: SignedInViewer, path: Params<OwnThing>) -> Result<Response> {
    session(&viewer.0)?;
    let (id, by) = (path.id, viewer.author());
    app.write(move |tx| keys::remove(tx, &by, &viewer.0.user, id)).await?;
    flash::done(&app, PATH, "Security key removed.")
}
