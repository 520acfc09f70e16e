//! `/-/admin_mode`: an administrator asks for their rights.

use super::views::AdminModePage;
use crate::admin_mode::{self, HOURS};
use crate::standing::AdminMode;
use crate::viewer::SignedInViewer;
use http::Method;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Html, flash};
use kernel::http::{Response, Routes};

const LEAVE: &str = "/-/admin_mode/leave";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, AdminMode::PAGE, show);
    r.page(Method::POST, AdminMode::PAGE, enter).reauthenticated().always();
    r.page(Method::POST, LEAVE, leave).always();
}

async fn show(app: App, viewer: SignedInViewer) -> Result<Response> {
    if !viewer.0.may_be_admin() {
        return Err(Error::NotFound(""));
    }
    let mut page = super::page(&app, &viewer.viewer(), "Admin mode");
    page.notice = None;
    let view = AdminModePage {
        page,
        is_asked: viewer.0.admin_mode != AdminMode::NotNeeded,
        is_on: viewer.0.user.is_admin,
        hours: HOURS,
    };
    Ok(Html::new(&view)?.response())
}

async fn enter(app: App, viewer: SignedInViewer) -> Result<Response> {
    let signed_in = viewer.0.clone();
    app.write(move |tx| admin_mode::turn(tx, &signed_in, true)).await?;
    flash::done(&app, "/admin", "Admin mode is on.")
}

async fn leave(app: App, viewer: SignedInViewer) -> Result<Response> {
    let signed_in = viewer.0.clone();
    app.write(move |tx| admin_mode::turn(tx, &signed_in, false)).await?;
    flash::done(&app, "/", "Admin mode is off.")
}
