//! Applications as one place shows them: a person's, a group's or the
//! instance's. Whose room it is declares the routes and says what [`ApplicationsOwner`]
//! they are.

use super::super::applications::{self, Application, Owner, Registration};
use super::super::authorize::private;
use super::super::views::{
    ApplicationForm, ApplicationPage, ApplicationRow, Applications, AuthorizedRow, ScopeChoice,
    SecretRow,
};
use super::super::{families, redirect, scopes};
use crate::author::Author;
use crate::model::{ADMIN_SCOPES, SCOPES};
use crate::tasks;
use crate::viewer::Viewer;
use http::StatusCode;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::ui::Tab;
use kernel::html::{Errors, Html, Moment, Page, flash};
use kernel::http::{Paging, Response, Start};
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

/// Where applications are shown, and what the viewer may do there.
#[derive(Debug, Clone)]
pub struct ApplicationsOwner {
    pub owner: Owner,
    pub base: String,
    pub heading: String,
    /// The viewer may mark applications as trusted.
    pub may_trust: bool,
    pub may_create: bool,
    pub crumbs: Vec<(String, String)>,
    /// The entry of the main navigation.
    pub active: &'static str,
    /// Rows of links above the content, with their names.
    pub tabs: Vec<(String, Vec<Tab>)>,
    pub guard: Guard,
}

impl ApplicationsOwner {
    fn page(&self, app: &App, viewer: &Viewer, title: &str) -> Page {
        let mut page = crate::pages::page(app, viewer, title);
        page.breadcrumbs = self.crumbs.clone();
        page.active = self.active;
        page
    }
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
    place: &ApplicationsOwner,
    given: &Registration,
    action: String,
    button: &'static str,
    admin: bool,
) -> ApplicationForm {
    let more: &[&str] = if admin { ADMIN_SCOPES } else { &[] };
    let boxed = |name: &&'static str| ScopeChoice {
        name: (*name).to_owned(),
        description: scopes::describe(name),
        checked: given.scopes.iter().any(|one| one == name),
    };
    ApplicationForm {
        action,
        name: given.name.clone(),
        redirect_uri: given.redirect_uris.clone(),
        confidential: given.confidential,
        trusted: given.trusted,
        may_trust: place.may_trust,
        scopes: [scopes::OPENID_SCOPES, SCOPES, more]
            .into_iter()
            .flatten()
            .map(boxed)
            .collect(),
        button,
    }
}

fn blank() -> Registration {
    Registration {
        name: String::new(),
        redirect_uris: String::new(),
        scopes: Vec::new(),
        confidential: true,
        trusted: false,
    }
}

/// The list of a place with the form of a new one.
pub async fn list(
    app: &App,
    viewer: &Viewer,
    place: &ApplicationsOwner,
    page: i64,
) -> Result<Response> {
    render_list(app, viewer, place, page, &blank(), Vec::new()).await
}

async fn render_list(
    app: &App,
    viewer: &Viewer,
    place: &ApplicationsOwner,
    page: i64,
    given: &Registration,
    errors: Vec<(String, Vec<String>)>,
) -> Result<Response> {
    let signed_in = viewer.signed_in()?;
    let paging = Paging {
        per_page: PER_PAGE,
        start: Start::Page(page.max(1)),
    };
    let (owner, user) = (place.owner, signed_in.user.id);
    let own = owner == Owner::User(user);
    let guard = place.guard.clone();
    let (mut rows, authorized) = app
        .read(move |tx| {
            (guard.0)(tx)?;
            let rows = applications::page(tx, Some(owner), &paging)?;
            let authorized = if own {
                families::authorized(tx, user)?
            } else {
                Vec::new()
            };
            Ok((rows, authorized))
        })
        .await?;
    let more = rows.len() > PER_PAGE as usize;
    rows.truncate(PER_PAGE as usize);
    let now = app.now();
    let status = if errors.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    let view = Applications {
        page: place.page(app, viewer, &place.heading),
        heading: place.heading.clone(),
        own,
        tabs: place.tabs.clone(),
        applications: rows.iter().map(|one| row(place, one)).collect(),
        authorized: authorized
            .into_iter()
            .map(|one| AuthorizedRow {
                name: one
                    .name
                    .unwrap_or_else(|| "Programs that used your password".into()),
                revoke_url: format!(
                    "/-/user_settings/authorized_applications/{}/revoke",
                    one.application_id.unwrap_or(0)
                ),
                scopes: scopes::split(&one.scopes),
                since: Moment::new(one.created_at, now),
                last_used_at: Moment::maybe(one.last_used_at, now),
            })
            .collect(),
        next_url: match more {
            true => format!("{}?page={}", place.base, page.max(1).saturating_add(1)),
            false => String::new(),
        },
        may_create: place.may_create,
        form: form(
            place,
            given,
            place.base.clone(),
            "Register application",
            signed_in.user.is_admin,
        ),
        errors: Errors(errors),
    };
    Ok(private(Html::new(&view)?.status(status).response()))
}

fn row(place: &ApplicationsOwner, one: &Application) -> ApplicationRow {
    ApplicationRow {
        url: format!("{}/{}", place.base, one.id),
        name: one.name.clone(),
        uid: one.uid.clone(),
        hosts: redirect::lines(&one.redirect_uris)
            .map(redirect::shown_host)
            .collect(),
        confidential: one.confidential,
        trusted: one.trusted,
    }
}

pub async fn create(
    app: &App,
    viewer: &Viewer,
    place: &ApplicationsOwner,
    sent: Form,
) -> Result<Response> {
    if !place.may_create {
        return Err(Error::forbidden("Applications cannot be registered here"));
    }
    let new = sent.registration(place, false);
    let by = Author::from(viewer.signed_in()?);
    let (owner, given) = (place.owner, new.clone());
    let admin = viewer.is_admin();
    let guard = place.guard.clone();
    let made = app
        .write(move |tx| {
            (guard.0)(tx)?;
            check_scopes(&new.scopes, admin)?;
            applications::create(tx, &by, owner, &new)
        })
        .await;
    match made {
        Ok((made, secret)) => show_one(app, viewer, place, made.id, secret).await,
        Err(Error::Invalid(problems)) => render_list(app, viewer, place, 1, &given, problems).await,
        Err(error) => Err(error),
    }
}

/// Only administrators register applications that ask for their powers.
fn check_scopes(scopes: &[String], admin: bool) -> Result<()> {
    if !admin
        && scopes
            .iter()
            .any(|scope| ADMIN_SCOPES.contains(&scope.as_str()))
    {
        return Err(Error::invalid(
            "scopes",
            "can only contain available scopes",
        ));
    }
    Ok(())
}

pub(super) fn of_place(tx: &mut Tx<'_>, place: &ApplicationsOwner, id: i64) -> Result<Application> {
    (place.guard.0)(tx)?;
    let found = applications::find(tx, id)?;
    found
        .filter(|one| one.owner() == place.owner)
        .found("Application")
}

/// One application, with a secret that was just made.
pub async fn show_one(
    app: &App,
    viewer: &Viewer,
    place: &ApplicationsOwner,
    id: i64,
    secret: Option<Secret>,
) -> Result<Response> {
    let within = place.clone();
    let one = app.read(move |tx| of_place(tx, &within, id)).await?;
    let given = Registration {
        name: one.name.clone(),
        redirect_uris: one.redirect_uris.clone(),
        scopes: one.scopes(),
        confidential: one.confidential,
        trusted: one.trusted,
    };
    render_one(app, viewer, place, &one, &given, secret, Vec::new()).await
}

async fn render_one(
    app: &App,
    viewer: &Viewer,
    place: &ApplicationsOwner,
    one: &Application,
    given: &Registration,
    secret: Option<Secret>,
    errors: Vec<(String, Vec<String>)>,
) -> Result<Response> {
    let id = one.id;
    let secrets = app
        .read(move |tx| applications::living_secrets(tx, id))
        .await?;
    let now = app.now();
    let url = format!("{}/{id}", place.base);
    let status = if errors.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    let page = place
        .page(app, viewer, &one.name)
        .crumb(place.heading.clone(), place.base.clone());
    let view = ApplicationPage {
        page,
        name: one.name.clone(),
        uid: one.uid.clone(),
        secret: secret
            .map(|secret| secret.expose().to_owned())
            .unwrap_or_default(),
        confidential: one.confidential,
        secrets: secrets
            .into_iter()
            .map(|one| SecretRow {
                created_at: Moment::new(one.created_at, now),
                last_used_at: Moment::maybe(one.last_used_at, now),
                ends_at: Moment::maybe(one.expires_at, now),
            })
            .collect(),
        form: form(place, given, url.clone(), "Save changes", viewer.is_admin()),
        url,
        errors: Errors(errors),
    };
    Ok(private(Html::new(&view)?.status(status).response()))
}

pub async fn update(
    app: &App,
    viewer: &Viewer,
    place: &ApplicationsOwner,
    id: i64,
    sent: Form,
) -> Result<Response> {
    let within = place.clone();
    let one = app.read(move |tx| of_place(tx, &within, id)).await?;
    let new = sent.registration(place, one.trusted);
    let (by, within, given) = (
        Author::from(viewer.signed_in()?),
        place.clone(),
        new.clone(),
    );
    let admin = viewer.is_admin();
    let changed = app
        .write(move |tx| {
            of_place(tx, &within, id)?;
            check_scopes(&new.scopes, admin)?;
            applications::update(tx, &by, id, &new)
        })
        .await;
    match changed {
        Ok(_) => flash::done(
            app,
            &format!("{}/{id}", place.base),
            "The application was saved.",
        ),
        Err(Error::Invalid(problems)) => {
            render_one(app, viewer, place, &one, &given, None, problems).await
        }
        Err(error) => Err(error),
    }
}

pub async fn act(
    app: &App,
    viewer: &Viewer,
    place: &ApplicationsOwner,
    id: i64,
    action: Action,
) -> Result<Response> {
    let signed_in = viewer.signed_in()?;
    let user = signed_in.user.clone();
    let (by, within) = (Author::from(signed_in), place.clone());
    let secret = app
        .write(move |tx| {
            of_place(tx, &within, id)?;
            match action {
                Action::Renew => {
                    tasks::notify(tx, &user, tasks::Change::ApplicationSecret)?;
                    applications::renew_secret(tx, &by, id).map(Some)
                }
                Action::EndOldSecrets => applications::end_old_secrets(tx, &by, id).map(|()| None),
                Action::Delete => applications::destroy(tx, &by, id).map(|()| None),
            }
        })
        .await?;
    match action {
        Action::Delete => flash::done(app, &place.base, "The application was deleted."),
        _ => show_one(app, viewer, place, id, secret).await,
    }
}
