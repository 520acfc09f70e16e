//! Pages for administrators over the kernel's own tables: jobs and audit.

mod audit;
mod jobs;

use identity::SignedIn;
use kernel::app::App;
use kernel::html::{Page, PageViewer};
use kernel::http::Routes;

/// Registers the pages.
pub fn routes(r: &mut Routes) {
    jobs::routes(r);
    audit::routes(r);
}

fn page(app: &App, signed_in: &SignedIn, title: &str) -> Page {
    let user = &signed_in.user;
    Page {
        viewer: Some(PageViewer::new(&user.username, &user.name, user.is_admin)),
        csrf: identity::csrf::token(app, signed_in),
        active: "admin",
        ..Page::new(title)
    }
    .crumb("Administration", "/admin/users")
}
