//! Pages where applications are registered: one's own, and the instance's.
//! Groups' pages are the spaces room's, over the same functions.

use super::applications::{self, Application, Owner, Registration};
use super::settings::OAuth;
use super::views::{
    ApplicationForm, ApplicationPage, ApplicationRow, Applications, AuthorizedRow, ScopeChoice,
    SecretRow,
};
use super::{families, redirect, scopes};
use crate::hooks;
use crate::model::{ADMIN_SCOPES, SCOPES};
use crate::users::Author;
use crate::viewer::{Admin, SignedIn, SignedInViewer, Viewer};
use http::{Method, StatusCode};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::{Errors, Html, Moment, flash};
use kernel::http::{Paging, Params, Response, Routes, Start, reply};
use kernel::secrets::Secret;
use store::Tx;

const OWN: &str = "/-/user_settings/applications";
const INSTANCE: &str = "/admin/applications";
/// Applications on one page of a list.
const PER_PAGE: i64 = 50;

/// Declares the pages.
pub fn routes(r: &mut Routes) {
    r.page(Method::GET, OWN, own_list);
    r.page(Method::POST, OWN, own_create);
    r.page(Method::GET, "/-/user_settings/applications/{id}", own_show);
    r.page(
        Method::POST,
        "/-/user_settings/applications/{id}",
        own_update,
    );
    r.page(
        Method::POST,
        "/-/user_settings/applications/{id}/{action}",
        own_act,
    );
    r.page(
        Method::POST,
        "/-/user_settings/authorized_applications/{id}/revoke",
        forget,
    );
    r.page(Method::GET, INSTANCE, all_list);
    r.page(Method::POST, INSTANCE, all_create);
    r.page(Method::GET, "/admin/applications/{id}", all_show);
    r.page(Method::POST, "/admin/applications/{id}", all_update);
    r.page(Method::POST, "/admin/applications/{id}/{action}", all_act);
    // Addresses that clients of other hosts know.
    r.page(Method::GET, "/oauth/applications", to_own);
    r.page(Method::POST, "/oauth/applications", own_create);
    r.page(Method::GET, "/oauth/applications/{id}", own_show);
    r.page(Method::GET, "/oauth/applications/{id}/edit", own_show);
    r.page(Method::PUT, "/oauth/applications/{id}/renew", own_renew);
    r.page(
        Method::DELETE,
        "/oauth/authorized_applications/{id}",
        forget,
    );
}

/// Where applications are shown, and what the viewer may do there.
#[derive(Debug, Clone)]
pub struct Place {
    /// Whose they are.
    pub owner: Owner,
    /// Address of the list.
    pub base: String,
    /// Heading of the list.
    pub heading: String,
    /// The viewer may mark applications as trusted.
    pub may_trust: bool,
    /// New ones may be registered.
    pub may_create: bool,
}

/// Who registered an application, for people; empty for the instance.
pub(super) fn owner_name(tx: &mut Tx<'_>, owner: Owner) -> Result<String> {
    Ok(match owner {
        Owner::Instance => String::new(),
        Owner::User(id) => crate::users::find(tx, id)?
            .map(|user| user.name)
            .unwrap_or_default(),
        Owner::Group(id) => hooks::group_name(tx, id)?.unwrap_or_default(),
    })
}

kernel::params! {
    /// Which page of a list.
    pub struct ListParams {
        /// From 1.
        pub page: Option<i64>,
    }
}

kernel::params! {
    /// Which application.
    pub struct OneParams {
        /// Its id.
        pub id: i64,
    }
}

kernel::params! {
    /// What to do with an application.
    pub struct ActParams {
        /// Its id.
        pub id: i64,
        /// `renew`, `end_old_secrets` or `delete`.
        pub action: Action,
    }
}

kernel::choices! {
    /// What a button of an application does.
    pub enum Action {
        /// Makes a new secret.
        Renew = "renew",
        /// Ends the secret being replaced.
        EndOldSecrets = "end_old_secrets",
        /// Deletes the application.
        Delete = "delete",
    }
}

kernel::params! {
    /// The form of an application.
    pub struct Form {
        /// For people.
        pub name: Option<String>,
        /// One address a line.
        pub redirect_uri: Option<String>,
        /// Keeps a secret.
        pub confidential: Option<bool>,
        /// Users are not asked.
        pub trusted: Option<bool>,
        /// What it may ask for.
        pub scopes: Option<Vec<String>>,
    }
}

impl Form {
    fn registration(self, place: &Place, trusted_before: bool) -> Registration {
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
    place: &Place,
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
pub async fn list(app: &App, viewer: &Viewer, place: &Place, page: i64) -> Result<Response> {
    render_list(app, viewer, place, page, &blank(), Vec::new()).await
}

async fn render_list(
    app: &App,
    viewer: &Viewer,
    place: &Place,
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
    let (mut rows, authorized) = app
        .read(move |tx| {
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
        page: crate::pages::page(app, viewer, &place.heading),
        heading: place.heading.clone(),
        own,
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
    Ok(Html::new(&view)?.status(status).response())
}

fn row(place: &Place, one: &Application) -> ApplicationRow {
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

/// Registers an application from its form.
pub async fn create(app: &App, viewer: &Viewer, place: &Place, sent: Form) -> Result<Response> {
    if !place.may_create {
        return Err(Error::forbidden("Applications cannot be registered here"));
    }
    let new = sent.registration(place, false);
    let by = Author::from(viewer.signed_in()?);
    let (owner, given) = (place.owner, new.clone());
    let admin = viewer.is_admin();
    let made = app
        .write(move |tx| {
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

fn of_place(tx: &mut Tx<'_>, place: &Place, id: i64) -> Result<Application> {
    let found = applications::find(tx, id)?;
    found
        .filter(|one| one.owner() == place.owner)
        .found("Application")
}

/// One application, with a secret that was just made.
pub async fn show_one(
    app: &App,
    viewer: &Viewer,
    place: &Place,
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
    place: &Place,
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
    let page =
        crate::pages::page(app, viewer, &one.name).crumb(place.heading.clone(), place.base.clone());
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
    Ok(Html::new(&view)?.status(status).response())
}

/// Changes an application from its form.
pub async fn update(
    app: &App,
    viewer: &Viewer,
    place: &Place,
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

/// Does what a button of an application says.
pub async fn act(
    app: &App,
    viewer: &Viewer,
    place: &Place,
    id: i64,
    action: Action,
) -> Result<Response> {
    let (by, within) = (Author::from(viewer.signed_in()?), place.clone());
    let secret = app
        .write(move |tx| {
            of_place(tx, &within, id)?;
            match action {
                Action::Renew => applications::renew_secret(tx, &by, id).map(Some),
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

async fn own(app: &App, signed_in: &SignedIn) -> Result<Place> {
    let rules: OAuth = app.settings().get(app).await?;
    Ok(Place {
        owner: Owner::User(signed_in.user.id),
        base: OWN.into(),
        heading: "Applications".into(),
        may_trust: false,
        may_create: rules.user_applications,
    })
}

fn instance() -> Place {
    Place {
        owner: Owner::Instance,
        base: INSTANCE.into(),
        heading: "Applications of this instance".into(),
        may_trust: true,
        may_create: true,
    }
}

/// Applications are managed by people in a browser, not by tokens.
fn browser(signed_in: &SignedIn) -> Result<()> {
    if signed_in.is_session() {
        return Ok(());
    }
    Err(Error::forbidden("Sign in with a browser"))
}

async fn to_own() -> Result<Response> {
    reply::redirect(OWN)
}

async fn own_list(
    app: App,
    viewer: SignedInViewer,
    params: Params<ListParams>,
) -> Result<Response> {
    let place = own(&app, &viewer.0).await?;
    list(&app, &viewer.viewer(), &place, params.page.unwrap_or(1)).await
}

async fn own_create(app: App, viewer: SignedInViewer, form: Params<Form>) -> Result<Response> {
    browser(&viewer.0)?;
    let place = own(&app, &viewer.0).await?;
    create(&app, &viewer.viewer(), &place, form.0).await
}

async fn own_show(app: App, viewer: SignedInViewer, params: Params<OneParams>) -> Result<Response> {
    let place = own(&app, &viewer.0).await?;
    show_one(&app, &viewer.viewer(), &place, params.id, None).await
}

async fn own_update(
    app: App,
    viewer: SignedInViewer,
    params: Params<OneParams>,
    form: Params<Form>,
) -> Result<Response> {
    browser(&viewer.0)?;
    let place = own(&app, &viewer.0).await?;
    update(&app, &viewer.viewer(), &place, params.id, form.0).await
}

async fn own_act(app: App, viewer: SignedInViewer, params: Params<ActParams>) -> Result<Response> {
    browser(&viewer.0)?;
    let place = own(&app, &viewer.0).await?;
    act(&app, &viewer.viewer(), &place, params.id, params.action).await
}

/// `PUT /oauth/applications/:id/renew` answers `{secret}`.
async fn own_renew(
    app: App,
    viewer: SignedInViewer,
    params: Params<OneParams>,
) -> Result<Response> {
    browser(&viewer.0)?;
    let place = own(&app, &viewer.0).await?;
    let (by, id) = (Author::from(viewer.0.as_ref()), params.id);
    let secret = app
        .write(move |tx| {
            of_place(tx, &place, id)?;
            applications::renew_secret(tx, &by, id)
        })
        .await?;
    reply::json(
        StatusCode::OK,
        &serde_json::json!({"secret": secret.expose()}),
    )
}

/// Takes back what was allowed; id 0 stands for clients without a name.
async fn forget(app: App, viewer: SignedInViewer, params: Params<OneParams>) -> Result<Response> {
    browser(&viewer.0)?;
    let (by, user, id) = (
        Author::from(viewer.0.as_ref()),
        viewer.0.user.clone(),
        params.id,
    );
    app.write(move |tx| {
        let application = if id == 0 { None } else { Some(id) };
        let ended = families::revoke_application(tx, user.id, application)?;
        let details = serde_json::json!({"application_id": application, "families": ended});
        crate::users::record(tx, &by, "application.revoke", &user, details)
    })
    .await?;
    flash::done(&app, OWN, "The application no longer acts for you.")
}

async fn all_list(app: App, admin: Admin, params: Params<ListParams>) -> Result<Response> {
    list(&app, &admin.viewer(), &instance(), params.page.unwrap_or(1)).await
}

async fn all_create(app: App, admin: Admin, form: Params<Form>) -> Result<Response> {
    browser(&admin.0)?;
    create(&app, &admin.viewer(), &instance(), form.0).await
}

async fn all_show(app: App, admin: Admin, params: Params<OneParams>) -> Result<Response> {
    show_one(&app, &admin.viewer(), &instance(), params.id, None).await
}

async fn all_update(
    app: App,
    admin: Admin,
    params: Params<OneParams>,
    form: Params<Form>,
) -> Result<Response> {
    browser(&admin.0)?;
    update(&app, &admin.viewer(), &instance(), params.id, form.0).await
}

async fn all_act(app: App, admin: Admin, params: Params<ActParams>) -> Result<Response> {
    browser(&admin.0)?;
    act(&app, &admin.viewer(), &instance(), params.id, params.action).await
}
