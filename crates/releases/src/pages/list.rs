//! `…/-/releases`: all releases of a project, the last first.

use super::views::{List, Shown};
use super::{Here, below};
use crate::related::{Related, named};
use crate::store::{self, ReleaseFilter};
use http::Method;
use identity::feed_tokens;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::{Html, Pages};
use kernel::http::{Paging, Response, Routes};
use kernel::markup;
use spaces::pages::{Address, Section};

/// Releases of a page, each with its text.
const MOST: i64 = 20;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &below(""), show);
}

async fn show(app: App, viewer: Viewer, address: Address, paging: Paging) -> Result<Response> {
    let paging = Paging { per_page: paging.per_page.min(MOST), ..paging };
    let _turn = markup::turn().await?;
    let page = page(&app, &viewer, "Releases");
    let handle = app.clone();
    let view = app.read(move |tx| {
        let here = Here::find(tx, &viewer, &address)?;
        let project = here.releases.project.id;
        let filter = ReleaseFilter::default();
        let found = store::list(tx, store::in_project(project), &filter, paging.clone())?;
        let related = Related::load(tx, &viewer, &found.items)?;
        let links = named(tx, &viewer, "", &here.releases, &found.items)?;
        let (now, url) = (tx.now(), here.url());
        let page = feed_tokens::offer(&handle, &viewer, page, &format!("{url}.atom"));
        let rows = found.items.iter();
        let total = found.total().unwrap_or_default();
        Ok(List {
            releases: rows
                .map(|one| Shown::of(&here.releases, one, &related, &links, now))
                .collect(),
            pages: Pages::of(&paging, total, url.clone()),
            can_write: here.releases.may_write(tx, &viewer)?,
            page: here.head.page(page, Section::Releases),
            url,
        })
    });
    Ok(Html::new(&view.await?)?.response())
}
