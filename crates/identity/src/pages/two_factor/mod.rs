//! `/-/profile/two_factor_auth`: one's own second factors; and the page that
//! asks whether it is still the same person.

mod views;

use self::views::{Codes, Manage, Own, Setup};
use super::sign_in::safe_path;
use crate::author::Author;
use crate::pages::navigation::own_settings;
use crate::reauthentication::{self, Confirm};
use crate::standing::TwoFactorRequirement;
use crate::store::users::is_automatic;
use crate::two_factor::requirement::PAGE;
use crate::two_factor::{self, keys, recovery, totp};
use crate::viewer::{SignedIn, SignedInViewer};
use crate::{sessions, sign_in};
use http::{HeaderValue, Method, StatusCode, header};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Errors, Html, flash};
use kernel::http::{Params, Response, Routes, reply};
use kernel::secrets::{self, Secret};
use store::Tx;

/// Seconds a secret that is shown may be confirmed.
const SETUP_SECONDS: i64 = 3600;
/// The file that recovery codes are kept in (docs/interface/identity.md 7).
const FILE: &str = "service-recovery-codes.txt";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PAGE, show);
    r.page(Method::POST, PAGE, create);
    let below = |rest: &str| format!("{PAGE}/{rest}");
    r.page(Method::POST, &below("disable"), disable).reauthenticated();
    r.page(Method::POST, &below("codes"), renew).reauthenticated();
    r.page(Method::POST, &below("codes/download"), download);
    r.page(Method::GET, reauthentication::PAGE, ask);
    r.page(Method::POST, reauthentication::PAGE, confirmed)
        .reauthenticated()
        .always();
}

kernel::params! {
    pub struct Show {
        pub return_to: Option<String>,
    }
}

async fn show(app: App, viewer: SignedInViewer, params: Params<Show>) -> Result<Response> {
    let shown = RefusedSetUp {
        later: params.0.return_to.unwrap_or_default(),
        ..RefusedSetUp::default()
    };
    render(&app, &viewer, shown).await
}

/// What the page shows of a form that was refused.
#[derive(Default)]
struct RefusedSetUp {
    /// The sealed secret of the form, so that the picture stays the same.
    sealed: Option<String>,
    later: String,
    errors: Vec<(String, Vec<String>)>,
}

fn own(tx: &mut Tx<'_>, id: i64) -> Result<Own> {
    Ok(Own {
        since: totp::since(tx, id)?,
        enabled: two_factor::enabled(tx, id)?,
        keys: keys::count(tx, id)?,
        left: recovery::left(tx, id)?,
        automatic: is_automatic(tx, id)? == Some(true),
    })
}

async fn render(app: &App, viewer: &SignedInViewer, shown: RefusedSetUp) -> Result<Response> {
    let user = &viewer.0.user;
    let id = user.id;
    let own = app.read(move |tx| own(tx, id)).await?;
    let setup = match own.since {
        None if user.confirmed_at.is_some() => Some(setup(app, &viewer.0, shown.sealed)?),
        _ => None,
    };
    let page = super::page(app, &viewer.viewer(), "Two-factor authentication");
    let mut page = own_settings(page, "Two-factor authentication");
    page.notice = None;
    let later = match viewer.0.duty {
        TwoFactorRequirement::Grace(_) => safe_path(Some(&shown.later)),
        _ => "",
    };
    let is_refused = !shown.errors.is_empty();
    let view = Manage {
        demanded: super::notice(viewer.0.duty).map(|notice| notice.text),
        later: later.to_owned(),
        user: user.clone(),
        own,
        now: app.now(),
        setup,
        errors: Errors(shown.errors),
        page,
    };
    Ok(Html::new(&view)?.refused(is_refused).response())
}

/// A secret in a form: nothing is stored before a code proved it, and another
/// session cannot use the form.
fn context(signed_in: &SignedIn) -> Result<String> {
    let session = signed_in.session_id();
    let id = session.ok_or_else(|| Error::forbidden("Only a browser session sets this up."))?;
    Ok(format!("totp.setup:{}:{id}", signed_in.user.id))
}

fn setup(app: &App, signed_in: &SignedIn, sealed: Option<String>) -> Result<Setup> {
    let opened = sealed.and_then(|sealed| {
        let secret = open(app, signed_in, &sealed).ok().flatten()?;
        Some((secret, sealed))
    });
    let (secret, sealed) = match opened {
        Some(both) => both,
        None => {
            let secret = secrets::random_bytes::<{ totp::SECRET }>();
            let mut plain = app.now().as_second().to_be_bytes().to_vec();
            plain.extend(secret);
            let sealed = app.secrets().seal(&context(signed_in)?, &plain);
            (secret.to_vec(), sealed)
        }
    };
    let issuer = app.base_url().split("://").nth(1).unwrap_or("tenon");
    let address = totp::address(&secret, &signed_in.user.username, issuer)?;
    let (size, path) = totp::picture(&address)?;
    Ok(Setup { sealed, written: totp::written(&secret), size, path })
}

/// The secret in a form, unless it is too old or not of this session.
fn open(app: &App, signed_in: &SignedIn, sealed: &str) -> Result<Option<Vec<u8>>> {
    let Ok(plain) = app.secrets().unseal(&context(signed_in)?, sealed) else {
        return Ok(None);
    };
    let Some((made, secret)) = plain.split_first_chunk::<8>() else {
        return Ok(None);
    };
    let age = app.now().as_second() - i64::from_be_bytes(*made);
    Ok((age < SETUP_SECONDS).then(|| secret.to_vec()))
}

kernel::params! {
    pub struct SetupForm {
        pub secret: Option<String>,
        pub code: Option<String>,
        pub current_password: Option<String>,
        pub return_to: Option<String>,
    }
}

async fn create(app: App, viewer: SignedInViewer, form: Params<SetupForm>) -> Result<Response> {
    let form = form.0;
    let signed_in = &viewer.0;
    if signed_in.user.confirmed_at.is_none() {
        return render(&app, &viewer, RefusedSetUp::default()).await;
    }
    let sealed = form.secret.unwrap_or_default();
    let secret = open(&app, signed_in, &sealed)?;
    let mut shown = RefusedSetUp {
        sealed: Some(sealed),
        later: form.return_to.unwrap_or_default(),
        errors: Vec::new(),
    };
    let mut wrong = |field: &str, text: &str| {
        shown.errors.push((field.to_owned(), vec![text.to_owned()]));
    };
    let typed = form.current_password.unwrap_or_default();
    if !knows_password(&app, signed_in, typed).await? {
        wrong("current_password", "is not your present password");
    }
    let code = totp::digits(&form.code.unwrap_or_default()).unwrap_or_default();
    let step = match &secret {
        Some(secret) => totp::step_of(secret, &code, app.now())?,
        None => None,
    };
    if secret.is_none() {
        wrong("code", "is of a picture that is too old: scan this one");
    } else if step.is_none() {
        wrong("code", "is not what the app should show now");
    }
    match (secret, step) {
        (Some(secret), Some(step)) if shown.errors.is_empty() => {
            turn_on(&app, &viewer, secret, step).await
        }
        _ => render(&app, &viewer, shown).await,
    }
}

/// Whether the password is right; one that nobody chose is not asked for.
pub(super) async fn knows_password(app: &App, signed_in: &SignedIn, typed: String) -> Result<bool> {
    let id = signed_in.user.id;
    if app.read(move |tx| is_automatic(tx, id)).await? == Some(true) {
        return Ok(true);
    }
    sign_in::is_password(app, id, &Secret::new(typed), &signed_in.ip_address).await
}

async fn turn_on(
    app: &App, viewer: &SignedInViewer, secret: Vec<u8>, step: i64,
) -> Result<Response> {
    let (own, signed_in) = (app.clone(), viewer.0.clone());
    let codes = app
        .write(move |tx| {
            let user = &signed_in.user;
            if totp::since(tx, user.id)?.is_some() {
                return Err(Error::Conflict("An app is set up already.".into()));
            }
            totp::store(&own, tx, user.id, &secret, step)?;
            if let Some(id) = signed_in.session_id() {
                sessions::prove(tx, id)?;
            }
            two_factor::added(tx, &Author::from(signed_in.as_ref()), user, "totp")
        })
        .await?;
    match codes {
        Some(codes) => show_codes(app, viewer, codes),
        None => flash::done(app, PAGE, "Your app is set up."),
    }
}

/// The recovery codes, this once. Also what other factors show that came
/// first.
pub(super) fn show_codes(
    app: &App, viewer: &SignedInViewer, codes: Vec<String>,
) -> Result<Response> {
    let page = super::page(app, &viewer.viewer(), "Recovery codes");
    let mut page = own_settings(page, "Two-factor authentication");
    page.notice = None;
    let text: String = codes.iter().map(|code| format!("{code}\n")).collect();
    let view = Codes {
        page,
        sealed: app.secrets().seal(&file_context(viewer), text.as_bytes()),
        codes,
    };
    Ok(Html::new(&view)?.response())
}

fn file_context(viewer: &SignedInViewer) -> String {
    format!("recovery_codes.file:{}", viewer.0.user.id)
}

kernel::params! {
    pub struct FileForm {
        /// The codes, sealed.
        pub codes: String,
    }
}

/// The codes were shown and are not kept: the page that showed them sends
/// them back, sealed.
async fn download(app: App, viewer: SignedInViewer, form: Params<FileForm>) -> Result<Response> {
    let text = app
        .secrets()
        .unseal(&file_context(&viewer), &form.codes)
        .map_err(|_| Error::forbidden("These codes are not yours."))?;
    let mut response = reply::text(StatusCode::OK, text);
    let named = format!("attachment; filename=\"{FILE}\"");
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_DISPOSITION,
        HeaderValue::from_str(&named).map_err(Error::internal)?,
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

async fn renew(app: App, viewer: SignedInViewer) -> Result<Response> {
    let signed_in = viewer.0.clone();
    let codes = app
        .write(move |tx| {
            if !two_factor::enabled(tx, signed_in.user.id)? {
                return Ok(None);
            }
            let by = Author::from(signed_in.as_ref());
            two_factor::renew_codes(tx, &by, &signed_in.user).map(Some)
        })
        .await?;
    match codes {
        Some(codes) => show_codes(&app, &viewer, codes),
        None => flash::refused(&app, PAGE, "Set up two-factor authentication first."),
    }
}

async fn disable(app: App, viewer: SignedInViewer) -> Result<Response> {
    let signed_in = viewer.0.clone();
    app.write(move |tx| {
        let user = &signed_in.user;
        if totp::remove(tx, user.id)? {
            two_factor::removed(tx, &Author::from(signed_in.as_ref()), user, "totp")?;
        }
        Ok::<(), Error>(())
    })
    .await?;
    flash::done(&app, PAGE, "Your app is removed: its codes work no more.")
}

async fn ask(app: App, viewer: SignedInViewer, params: Params<Show>) -> Result<Response> {
    let back = safe_path(params.return_to.as_deref()).to_owned();
    let fields = vec![("return_to".to_owned(), back)];
    let action = reauthentication::PAGE.to_owned();
    let view = Confirm::new(&app, &viewer.viewer(), action, fields).await?;
    Ok(Html::new(&view)?.response())
}

/// The gate has seen the password by now.
async fn confirmed(params: Params<Show>, _: SignedInViewer) -> Result<Response> {
    reply::see_other(safe_path(params.return_to.as_deref()))
}
