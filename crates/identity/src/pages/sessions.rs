//! `/-/user_settings/sessions`: where one is signed in.

use super::OwnThing;
use super::views;
use crate::author::Author;
use crate::model::User;
use crate::pages::navigation::own_settings;
use crate::sessions;
use crate::users;
use crate::viewer::SignedInViewer;
use http::Method;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Html, flash};
use kernel::http::{Params, Response, Routes};
use serde_json::json;

const PATH: &str = "/-/user_settings/sessions";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, "/-/user_settings/sessions/{id}/revoke", revoke);
    r.page(Method::POST, "/-/user_settings/sessions/revoke_others", revoke_others);
}

async fn show(app: App, viewer: SignedInViewer) -> Result<Response> {
    let user = viewer.0.user.id;
    let mut living = app.read(move |tx| sessions::list(tx, user)).await?;
    let own = viewer.0.session_id();
    living.sort_by_key(|session| Some(session.id) != own);
    let view = views::Sessions {
        page: own_settings(super::page(&app, &viewer.viewer(), "Sessions"), "Sessions"),
        sessions: living,
        own,
        now: app.now(),
    };
    Ok(Html::new(&view)?.response())
}

async fn revoke(app: App, viewer: SignedInViewer, path: Params<OwnThing>) -> Result<Response> {
    let (id, user) = (path.id, viewer.0.user.id);
    let by = viewer.author();
    app.write(move |tx| {
        if !sessions::revoke(tx, user, id)? {
            return Err(Error::NotFound("Session"));
        }
        record(tx, &by, &viewer.0.user, 1)
    })
    .await?;
    flash::done(&app, PATH, "The session has ended.")
}

async fn revoke_others(app: App, viewer: SignedInViewer) -> Result<Response> {
    let (kept, user) = (viewer.0.session_id(), viewer.0.user.id);
    let by = viewer.author();
    app.write(move |tx| {
        let ended = sessions::revoke_others(tx, user, kept)?;
        record(tx, &by, &viewer.0.user, ended)
    })
    .await?;
    flash::done(&app, PATH, "All other sessions have ended.")
}

fn record(tx: &mut store::Tx<'_>, by: &Author, user: &User, ended: u64) -> Result<()> {
    users::record(tx, by, "session.revoke", user, json!({"ended": ended}))
}
