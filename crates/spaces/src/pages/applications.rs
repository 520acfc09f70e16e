//! `/groups/<path>/-/settings/applications`: programs that a group registered,
//! for its owners.

use super::{Address, group_section};
use crate::access::Purpose;
use http::Method;
use identity::oauth::applications::Owner;
use identity::oauth::pages::{
    self, ActParams, ApplicationsOwner, Form, Guard, ListParams, OneParams, browser,
};
use identity::viewer::SignedInViewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::Page;
use kernel::http::{Params, RequestContext, Response, Routes};
use std::sync::Arc;

const SECTION: &str = "settings/applications";

pub fn routes(r: &mut Routes) {
    let all = group_section(SECTION);
    let one = format!("{all}/{{id}}");
    r.page(Method::GET, &all, list);
    r.page(Method::POST, &all, create).reauthenticated();
    r.page(Method::GET, &one, show);
    r.page(Method::POST, &one, update);
    r.page(Method::POST, &format!("{one}/{{action}}"), act)
        .reauthenticated();
}

/// The group's place, for who may change the group.
async fn place(
    app: &App,
    viewer: &SignedInViewer,
    asked: &RequestContext,
) -> Result<ApplicationsOwner> {
    let (address, viewer) = (Address::of(asked)?, viewer.viewer());
    let guarded = (address.clone(), viewer.clone());
    app.read(move |tx| {
        let space = address.authorize(tx, &viewer, Purpose::Update)?;
        let head = space.head(tx, &viewer)?;
        let crumbs = space.crumbs(Page::new(""), true).breadcrumbs;
        Ok(ApplicationsOwner {
            owner: Owner::Group(head.id),
            base: format!("{}/-/{SECTION}", space.url()),
            heading: format!("Applications of {}", head.name),
            may_trust: false,
            may_create: true,
            crumbs,
            active: "groups",
            tabs: vec![
                ("This group".into(), head.tabs("Settings")),
                ("Settings".into(), head.settings_tabs("Applications")),
            ],
            guard: Guard::new(move |tx| {
                let (address, viewer) = &guarded;
                address.authorize(tx, viewer, Purpose::Update).map(drop)
            }),
        })
    })
    .await
}

async fn list(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    params: Params<ListParams>,
) -> Result<Response> {
    let place = place(&app, &viewer, &asked).await?;
    pages::list(&app, &viewer.viewer(), &place, params.page.unwrap_or(1)).await
}

async fn create(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<Form>,
) -> Result<Response> {
    browser(&viewer.0)?;
    let place = place(&app, &viewer, &asked).await?;
    pages::create(&app, &viewer.viewer(), &place, form.0).await
}

async fn show(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    params: Params<OneParams>,
) -> Result<Response> {
    let place = place(&app, &viewer, &asked).await?;
    pages::show_one(&app, &viewer.viewer(), &place, params.id, None).await
}

async fn update(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    params: Params<OneParams>,
    form: Params<Form>,
) -> Result<Response> {
    browser(&viewer.0)?;
    let place = place(&app, &viewer, &asked).await?;
    pages::update(&app, &viewer.viewer(), &place, params.id, form.0).await
}

async fn act(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    params: Params<ActParams>,
) -> Result<Response> {
    browser(&viewer.0)?;
    let place = place(&app, &viewer, &asked).await?;
    pages::act(&app, &viewer.viewer(), &place, params.id, params.action).await
}
