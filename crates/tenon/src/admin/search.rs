//! `/admin/search`: the indexes that searching goes by, and building one again.

use super::page;
use askama::Template;
use http::Method;
use identity::Admin;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::html::{Html, Page, flash, ui};
use kernel::http::{Params, Response, Routes};
use kernel::search::fill::{self, Filling};

const PATH: &str = "/admin/search";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, list);
    r.page(Method::POST, "/admin/search/{index}/rebuild", rebuild);
}

kernel::params! {
    struct OneIndex {
        index: String,
    }
}

#[derive(Template)]
#[template(path = "admin_search.html")]
struct AdminSearch {
    page: Page,
    indexes: Vec<Filling>,
}

impl AdminSearch {
    fn held(&self, index: &str) -> String {
        held(index)
    }
}

/// What an index holds, for people: `search_issues` holds issues.
fn held(index: &str) -> String {
    let name = index.strip_prefix("search_").unwrap_or(index).replace('_', " ");
    let mut letters = name.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

async fn list(app: App, admin: Admin) -> Result<Response> {
    let indexes = app.read(fill::fillings).await?;
    let view = AdminSearch { page: page(&app, &admin, "Search"), indexes };
    Ok(Html::new(&view)?.response())
}

async fn rebuild(app: App, admin: Admin, one: Params<OneIndex>) -> Result<Response> {
    let registry = app.jobs().clone();
    let done = app.write(move |tx| {
        let index = fill::again(tx, &registry, &one.index)?.found("Search index")?;
        let target = ("SearchIndex", 0, index);
        let nothing = serde_json::json!({});
        kernel::audit::record(tx, admin.0.as_ref(), "search_index.rebuild", target, nothing)?;
        Ok(held(index))
    });
    let text = format!("The index of {} is being built again.", done.await?.to_lowercase());
    flash::done(&app, PATH, text)
}
