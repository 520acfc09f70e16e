//! `/admin/users/<username>/memberships`: where somebody works, for
//! administrators.

use super::views;
use crate::store::members;
use http::Method;
use identity::pages::navigation::{administration, user_tabs};
use identity::pages::page;
use identity::users;
use identity::viewer::Admin;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::html::{Html, Pages};
use kernel::http::{Paging, Params, Response, Routes};

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, "/admin/users/{username}/memberships", show);
}

kernel::params! {
    /// Whose they are.
    pub struct OfUser {
        /// The user's name.
        pub username: String,
    }
}

async fn show(app: App, admin: Admin, path: Params<OfUser>, paging: Paging) -> Result<Response> {
    let name = path.0.username;
    let title = format!("Memberships of {name}");
    let shown = administration(page(&app, &admin.viewer(), &title), "Users")
        .crumb(&name, format!("/admin/users/{name}"));
    let view = app.read(move |tx| {
        let user = users::find_by_username(tx, &name)?.found("User")?;
        let total = members::count_held(tx, user.id)?;
        let url = format!("/admin/users/{}/memberships", user.username);
        Ok(views::Memberships {
            page: shown.clone(),
            tabs: user_tabs(&user.username, "Memberships"),
            rows: members::held_by(tx, user.id, &paging)?,
            now: tx.now(),
            pages: Pages::of(&paging, total, url),
        })
    });
    Ok(Html::new(&view.await?)?.response())
}
