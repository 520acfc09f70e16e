//! Pages where applications are registered: one's own, and the instance's.
//! Groups' pages are the spaces room's, over the same functions.

mod place;

pub use place::{
    ActParams, Action, ApplicationsOwner, Form, Guard, ListParams, OneParams, act, create, list,
    show_one, update,
};

use super::applications::{self, Owner};
use super::families;
use super::settings::OAuth;
use crate::author::Author;
use crate::hooks;
use crate::pages::views::own_tabs;
use crate::tasks;
use crate::viewer::{Admin, SignedIn, SignedInViewer};
use http::{Method, StatusCode};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::flash;
use kernel::html::views::admin_tabs;
use kernel::http::{Params, Response, Routes, reply};
use place::of_place;
use store::Tx;

const OWN: &str = "/-/user_settings/applications";
const INSTANCE: &str = "/admin/applications";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, OWN, own_list);
    r.page(Method::POST, OWN, own_create).reauthenticated();
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
    )
    .reauthenticated();
    r.page(
        Method::POST,
        "/-/user_settings/authorized_applications/{id}/revoke",
        forget,
    );
    r.page(Method::GET, INSTANCE, all_list);
    r.page(Method::POST, INSTANCE, all_create).reauthenticated();
    r.page(Method::GET, "/admin/applications/{id}", all_show);
    r.page(Method::POST, "/admin/applications/{id}", all_update);
    r.page(Method::POST, "/admin/applications/{id}/{action}", all_act)
        .reauthenticated();
    // Addresses that clients of other hosts know.
    r.page(Method::GET, "/oauth/applications", to_own);
    r.page(Method::POST, "/oauth/applications", own_create)
        .reauthenticated();
    r.page(Method::GET, "/oauth/applications/{id}", own_show);
    r.page(Method::GET, "/oauth/applications/{id}/edit", own_show);
    r.page(Method::PUT, "/oauth/applications/{id}/renew", own_renew)
        .reauthenticated();
    r.page(
        Method::DELETE,
        "/oauth/authorized_applications/{id}",
        forget,
    );
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

async fn own(app: &App, signed_in: &SignedIn) -> Result<ApplicationsOwner> {
    let rules: OAuth = app.settings().get(app).await?;
    Ok(ApplicationsOwner {
        owner: Owner::User(signed_in.user.id),
        base: OWN.into(),
        heading: "Applications".into(),
        may_trust: false,
        may_create: rules.user_applications,
        crumbs: Vec::new(),
        active: "",
        tabs: vec![("Your settings".into(), own_tabs("Applications"))],
        guard: Guard::open(),
    })
}

fn instance() -> ApplicationsOwner {
    ApplicationsOwner {
        owner: Owner::Instance,
        base: INSTANCE.into(),
        heading: "Applications of this instance".into(),
        may_trust: true,
        may_create: true,
        crumbs: vec![("Administration".into(), "/admin".into())],
        active: "admin",
        tabs: vec![("Administration".into(), admin_tabs("Applications"))],
        guard: Guard::open(),
    }
}

/// Applications are managed by people in a browser, not by tokens.
pub fn browser(signed_in: &SignedIn) -> Result<()> {
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
            tasks::notify(tx, &viewer.0.user, tasks::Change::ApplicationSecret)?;
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
