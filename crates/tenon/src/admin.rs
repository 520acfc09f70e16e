//! Pages for administrators over the kernel's own tables: jobs and audit.

mod audit;
mod components;
mod jobs;
mod overview;
mod search;

use identity::Admin;
use identity::pages::navigation::administration;
use kernel::app::App;
use kernel::html::Page;
use kernel::http::Routes;

pub fn routes(r: &mut Routes) {
    overview::routes(r);
    components::routes(r);
    jobs::routes(r);
    search::routes(r);
    audit::routes(r);
}

fn page(app: &App, admin: &Admin, title: &str) -> Page {
    administration(identity::pages::page(app, &admin.viewer(), title), title)
}
