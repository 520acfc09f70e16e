//! Applications as one place shows them: a person's, a group's or the
//! instance's. Whose room it is declares the routes and says what [`ApplicationsOwner`]
//! they are.

use super::super::applications::{self, Application, Owner, Registration};
use super::super::authorize::private;
use super::super::views::{ApplicationForm, ApplicationPage, Applications};
use super::super::{families, scopes};
use crate::pages::tokens::ScopeBox;
use crate::tasks;
use crate::viewer::SignedInViewer;
use askama::Template;
use http::Method;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::ui::Tab;
use kernel::html::{Errors, Html, Page, flash};
use kernel::http::{FromCall, Paging, Params, Response, Routes, Start};
use kernel::secrets::Secret;
use std::fmt;
use std::sync::Arc;
use store::Tx;

/// Applications on one page of a list.
const PER_PAGE: i64 = 50;

/// Who may be here, asked again by every transaction.
#[derive(Clone)]
pub struct Guard(Arc<dyn Fn(&mut Tx<'_>) -> Result<()> + Send + Sync>);

impl Guard {
    pub fn new(admit: impl Fn(&mut Tx<'_>) -> Result<()> + Send + Sync + 'static) -> Guard {
        Guard(Arc::new(admit))
    }

    /// Admits everyone: the address itself says whose the place is.
    pub fn open() -> Guard {
        Guard::new(|_| Ok(()))
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Guard")
    }
}

/// Where applications are shown, to whom, and what they may do there.
#[derive(Debug, Clone)]
pub struct ApplicationsOwner {
    pub viewer: SignedInViewer,
    pub owner: Owner,
    pub base: String,
    pub heading: String,
    pub may_trust: bool,
    pub may_create: bool,
    /// What its pages stand below and beside; the rest of it is not shown.
    pub frame: Page,
    /// Links to the other settings, where they stand in a row.
    pub tabs: Vec<Tab>,
    pub guard: Guard,
}

impl ApplicationsOwner {
    fn page(&self, app: &App, title: &str) -> Page {
        let Page { breadcrumbs, active, nav, .. } = self.frame.clone();
        let page = crate::pages::page(app, &self.viewer.viewer(), title);
        Page { breadcrumbs, active, nav, ..page }
    }

    /// Applications are managed by people in a browser, not by tokens.
    pub(super) fn check_browser(&self) -> Result<()> {
        match self.viewer.0.is_session() {
            true => Ok(()),
            false => Err(Error::forbidden("Sign in with a browser")),
        }
    }

    pub(super) fn find(&self, tx: &mut Tx<'_>, id: i64) -> Result<Application> {
        (self.guard.0)(tx)?;
        let found = applications::find(tx, id)?;
        found.filter(|one| one.owner() == self.owner).found("Application")
    }
}

/// What finds the place of an address, for who may be there.
pub trait Place: FromCall + Send + 'static {
    fn owner(self) -> ApplicationsOwner;
}

/// Declares the pages of a place.
pub fn routes<P: Place>(r: &mut Routes, all: &str) {
    let one = format!("{all}/{{id}}");
    r.page(Method::GET, all, list::<P>);
    r.page(Method::POST, all, create::<P>).reauthenticated();
    r.page(Method::GET, &one, show::<P>);
    r.page(Method::POST, &one, update::<P>);
    r.page(Method::POST, &format!("{one}/{{action}}"), act::<P>).reauthenticated();
}

kernel::params! {
    pub struct ListParams {
        /// From 1.
        pub page: Option<i64>,
    }
}

kernel::params! {
    pub struct OneParams {
        pub id: i64,
    }
}

kernel::params! {
    pub struct ActParams {
        pub id: i64,
        pub action: Action,
    }
}

kernel::choices! {
    pub enum Action {
        Renew = "renew",
        /// Ends the secret being replaced.
        EndOldSecrets = "end_old_secrets",
        Delete = "delete",
    }
}

kernel::params! {
    pub struct Form {
        pub name: Option<String>,
        /// One address a line.
        pub redirect_uri: Option<String>,
        /// Keeps a secret.
        pub confidential: Option<bool>,
        /// Users are not asked.
        pub trusted: Option<bool>,
        pub scopes: Option<Vec<String>>,
    }
}

impl Form {
    fn registration(self, place: &ApplicationsOwner, trusted_before: bool) -> Registration {
        Registration {
            name: self.name.unwrap_or_default(),
            redirect_uris: self.redirect_uri.unwrap_or_default().replace("\r\n", "\n"),
            scopes: self.scopes.unwrap_or_default(),
            confidential: self.confidential.unwrap_or(false),
            trusted: match place.may_trust {
                true => self.trusted.unwrap_or(false),
                false => trusted_before,
            },
        }
    }
}

fn form(
    place: &ApplicationsOwner, given: Registration, action: String, button: &'static str,
) -> ApplicationForm {
    let all = crate::scopes::of_applications(place.viewer.0.user.is_admin);
    ApplicationForm {
        action,
        may_trust: place.may_trust,
        scopes: all
            .filter(|name| crate::scopes::is_offered(name, &given.scopes))
            .map(|name| ScopeBox::new(name, scopes::describe(name), &given.scopes))
            .collect(),
        given,
        button,
    }
}

fn blank() -> Registration {
    Registration { confidential: true, ..Registration::default() }
}

fn stored(one: &Application) -> Registration {
    Registration {
        name: one.name.clone(),
        redirect_uris: one.redirect_uris.clone(),
        scopes: one.scopes(),
        confidential: one.confidential,
        trusted: one.trusted,
    }
}

/// A form that was refused: what was typed, and what is wrong with it.
type Refused = (Registration, Vec<(String, Vec<String>)>);

fn answer(view: &impl Template, is_refused: bool) -> Result<Response> {
    Ok(private(Html::new(view)?.refused(is_refused).response()))
}

/// The list of a place with the form of a new one.
async fn list<P: Place>(app: App, place: P, params: Params<ListParams>) -> Result<Response> {
    render_list(&app, &place.owner(), params.page.unwrap_or(1), None).await
}

async fn render_list(
    app: &App, place: &ApplicationsOwner, page: i64, refused: Option<Refused>,
) -> Result<Response> {
    let paging = Paging { per_page: PER_PAGE, start: Start::Page(page.max(1)) };
    let user = &place.viewer.0.user;
    let own = place.owner == Owner::User(user.id);
    let (within, id) = (place.clone(), user.id);
    let (mut rows, authorized) = app
        .read(move |tx| {
            (within.guard.0)(tx)?;
            let rows = applications::page(tx, Some(within.owner), &paging)?;
            let authorized = match own {
                true => families::authorized(tx, id)?,
                false => Vec::new(),
            };
            Ok((rows, authorized))
        })
        .await?;
    let more = rows.len() > PER_PAGE as usize;
    rows.truncate(PER_PAGE as usize);
    let is_refused = refused.is_some();
    let (given, errors) = refused.unwrap_or_else(|| (blank(), Vec::new()));
    let (url, button) = (place.base.clone(), "Register application");
    let view = Applications {
        page: place.page(app, &place.heading),
        own,
        applications: rows,
        authorized,
        now: app.now(),
        next_url: match more {
            true => format!("{}?page={}", place.base, page.max(1).saturating_add(1)),
            false => String::new(),
        },
        form: form(place, given, url, button),
        place: place.clone(),
        errors: Errors(errors),
    };
    answer(&view, is_refused)
}

pub(super) async fn create<P: Place>(app: App, place: P, sent: Params<Form>) -> Result<Response> {
    let place = place.owner();
    place.check_browser()?;
    if !place.may_create {
        return Err(Error::forbidden("Applications cannot be registered here"));
    }
    let new = sent.0.registration(&place, false);
    let (within, given) = (place.clone(), new.clone());
    let made = app
        .write(move |tx| {
            (within.guard.0)(tx)?;
            check_scopes(&new.scopes, &within)?;
            applications::create(tx, &within.viewer.author(), within.owner, &new)
        })
        .await;
    match made {
        Ok((made, secret)) => show_one(&app, &place, made.id, secret).await,
        Err(Error::Invalid(problems)) => {
            render_list(&app, &place, 1, Some((given, problems))).await
        }
        Err(error) => Err(error),
    }
}

/// Only administrators register applications that ask for their powers.
fn check_scopes(scopes: &[String], place: &ApplicationsOwner) -> Result<()> {
    if !place.viewer.0.user.is_admin && crate::scopes::are_powers(scopes) {
        let text = "can only contain available scopes";
        return Err(Error::invalid("scopes", text));
    }
    Ok(())
}

pub(super) async fn show<P: Place>(
    app: App, place: P, params: Params<OneParams>,
) -> Result<Response> {
    show_one(&app, &place.owner(), params.id, None).await
}

/// One application, with a secret that was just made.
async fn show_one(
    app: &App, place: &ApplicationsOwner, id: i64, secret: Option<Secret>,
) -> Result<Response> {
    let within = place.clone();
    let one = app.read(move |tx| within.find(tx, id)).await?;
    render_one(app, place, one, secret, None).await
}

async fn render_one(
    app: &App, place: &ApplicationsOwner, one: Application, secret: Option<Secret>,
    refused: Option<Refused>,
) -> Result<Response> {
    let id = one.id;
    let secrets = app.read(move |tx| applications::living_secrets(tx, id)).await?;
    let url = format!("{}/{id}", place.base);
    let is_refused = refused.is_some();
    let (given, errors) = refused.unwrap_or_else(|| (stored(&one), Vec::new()));
    let page = place.page(app, &one.name);
    let view = ApplicationPage {
        page: page.crumb(place.heading.clone(), place.base.clone()),
        application: one,
        secret: secret.map(|secret| secret.expose().to_owned()).unwrap_or_default(),
        secrets,
        now: app.now(),
        form: form(place, given, url.clone(), "Save changes"),
        url,
        errors: Errors(errors),
    };
    answer(&view, is_refused)
}

async fn update<P: Place>(
    app: App, place: P, params: Params<OneParams>, sent: Params<Form>,
) -> Result<Response> {
    let (place, id) = (place.owner(), params.id);
    place.check_browser()?;
    let within = place.clone();
    let one = app.read(move |tx| within.find(tx, id)).await?;
    let new = sent.0.registration(&place, one.trusted);
    let (within, given) = (place.clone(), new.clone());
    let changed = app
        .write(move |tx| {
            within.find(tx, id)?;
            check_scopes(&new.scopes, &within)?;
            applications::update(tx, &within.viewer.author(), id, &new)
        })
        .await;
    match changed {
        Ok(_) => {
            let to = format!("{}/{id}", place.base);
            flash::done(&app, &to, "Application saved.")
        }
        Err(Error::Invalid(problems)) => {
            render_one(&app, &place, one, None, Some((given, problems))).await
        }
        Err(error) => Err(error),
    }
}

/// Does what a button of an application says.
async fn act<P: Place>(app: App, place: P, params: Params<ActParams>) -> Result<Response> {
    let (place, id, action) = (place.owner(), params.id, params.action);
    place.check_browser()?;
    let within = place.clone();
    let secret = app
        .write(move |tx| {
            within.find(tx, id)?;
            let by = within.viewer.author();
            match action {
                Action::Renew => renew(tx, &within.viewer, id).map(Some),
                Action::EndOldSecrets => applications::end_old_secrets(tx, &by, id).map(|()| None),
                Action::Delete => applications::destroy(tx, &by, id).map(|()| None),
            }
        })
        .await?;
    match action {
        Action::Delete => flash::done(&app, &place.base, "Application deleted."),
        _ => show_one(&app, &place, id, secret).await,
    }
}

/// Gives an application a new secret, and tells who asked for it by mail.
pub(super) fn renew(tx: &mut Tx<'_>, viewer: &SignedInViewer, id: i64) -> Result<Secret> {
    tasks::notify(tx, &viewer.0.user, tasks::Change::ApplicationSecret)?;
    applications::renew_secret(tx, &viewer.author(), id)
}
