//! Pages where applications are registered: one's own, and the instance's.
//! Groups' pages are the spaces room's, over the same functions.

mod place;

pub use place::{ApplicationsOwner, Guard, Place, routes as routes_of};

use super::applications::Owner;
use super::families;
use super::settings::OAuth;
use crate::hooks;
use crate::pages::navigation::{administration, own_settings};
use crate::viewer::{Admin, SignedInViewer};
use http::{Method, StatusCode};
use kernel::app::App;
use kernel::error::Result;
use kernel::html::Page;
use kernel::html::flash;
use kernel::http::{Call, FromCall, Params, Response, Routes, reply};
use place::OneParams;
use store::Tx;

const OWN: &str = "/-/user_settings/applications";
const INSTANCE: &str = "/admin/applications";

pub fn routes(r: &mut Routes) {
    routes_of::<Own>(r, OWN);
    let authorized = "/-/user_settings/authorized_applications/{id}/revoke";
    r.page(Method::POST, authorized, forget);
    routes_of::<Instance>(r, INSTANCE);
    // Addresses that clients of other hosts know.
    r.page(Method::GET, "/oauth/applications", to_own);
    r.page(Method::POST, "/oauth/applications", place::create::<Own>)
        .reauthenticated();
    for one in ["/oauth/applications/{id}", "/oauth/applications/{id}/edit"] {
        r.page(Method::GET, one, place::show::<Own>);
    }
    r.page(Method::PUT, "/oauth/applications/{id}/renew", renew).reauthenticated();
    let authorized = "/oauth/authorized_applications/{id}";
    r.page(Method::DELETE, authorized, forget);
}

/// Who registered an application, for people; empty for the instance.
pub(super) fn owner_name(tx: &mut Tx<'_>, owner: Owner) -> Result<String> {
    Ok(match owner {
        Owner::Instance => String::new(),
        Owner::User(id) => crate::users::find(tx, id)?.map(|user| user.name).unwrap_or_default(),
        Owner::Group(id) => hooks::group_name(tx, id)?.unwrap_or_default(),
    })
}

/// The viewer's own applications.
struct Own(ApplicationsOwner);

impl FromCall for Own {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let viewer = SignedInViewer::from_call(call).await?;
        let rules: OAuth = call.app.settings().get(&call.app).await?;
        Ok(Own(ApplicationsOwner {
            owner: Owner::User(viewer.0.user.id),
            viewer,
            base: OWN.into(),
            heading: "Applications".into(),
            may_trust: false,
            may_create: rules.user_applications,
            frame: own_settings(Page::new("Applications"), "Applications"),
            tabs: Vec::new(),
            guard: Guard::open(),
        }))
    }
}

impl Place for Own {
    fn owner(self) -> ApplicationsOwner {
        self.0
    }
}

/// The instance's applications, for administrators.
struct Instance(ApplicationsOwner);

impl FromCall for Instance {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let Admin(admin) = Admin::from_call(call).await?;
        Ok(Instance(ApplicationsOwner {
            owner: Owner::Instance,
            viewer: SignedInViewer(admin),
            base: INSTANCE.into(),
            heading: "Applications of this instance".into(),
            may_trust: true,
            may_create: true,
            frame: administration(Page::new("Applications"), "Applications"),
            tabs: Vec::new(),
            guard: Guard::open(),
        }))
    }
}

impl Place for Instance {
    fn owner(self) -> ApplicationsOwner {
        self.0
    }
}

async fn to_own() -> Result<Response> {
    reply::redirect(OWN)
}

/// `PUT /oauth/applications/:id/renew` answers `{secret}`.
async fn renew(app: App, own: Own, params: Params<OneParams>) -> Result<Response> {
    let (place, id) = (own.0, params.id);
    place.check_browser()?;
    let secret = app
        .write(move |tx| {
            place.find(tx, id)?;
            place::renew(tx, &place.viewer, id)
        })
        .await?;
    let body = serde_json::json!({"secret": secret.expose()});
    reply::json(StatusCode::OK, &body)
}

/// Takes back what was allowed; id 0 stands for clients without a name.
async fn forget(app: App, own: Own, params: Params<OneParams>) -> Result<Response> {
    let (place, id) = (own.0, params.id);
    place.check_browser()?;
    app.write(move |tx| {
        let application = Some(id).filter(|id| *id != 0);
        let (user, by) = (&place.viewer.0.user, place.viewer.author());
        let ended = families::revoke_application(tx, user.id, application)?;
        let details = serde_json::json!({"application_id": application, "families": ended});
        crate::users::record(tx, &by, "application.revoke", user, details)
    })
    .await?;
    flash::done(&app, OWN, "The application no longer acts for you.")
}
