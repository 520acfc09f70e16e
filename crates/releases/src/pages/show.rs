//! `…/-/releases/TAG`: one release.

use super::views::{One, Shown};
use super::{Here, OneRelease, below};
use crate::access::found;
use crate::related::{Related, named};
use crate::store;
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::Html;
use kernel::http::{Params, Response, Routes};
use kernel::markup;
use spaces::pages::{Address, Section};

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &below("/{tag_name}"), show);
}

async fn show(
    app: App, viewer: Viewer, address: Address, asked: Params<OneRelease>,
) -> Result<Response> {
    let _turn = markup::turn().await?;
    let page = page(&app, &viewer, "Release");
    let view = app.read(move |tx| {
        let here = Here::with_code(tx, &viewer, &address)?;
        let release = store::find(tx, here.releases.project.id, &asked.tag_name)?;
        let all = [found(release)?];
        let related = Related::load(tx, &viewer, &all)?;
        let links = named(tx, &viewer, "", &here.releases, &all)?;
        let mut page = here.head.page_below(page, Section::Releases);
        page.title = all[0].name().to_owned();
        Ok(One {
            page,
            url: format!("{}{}", here.head.url, all[0].path()),
            can_write: here.releases.may_write(tx, &viewer)?,
            can_delete: here.releases.may_delete(),
            row: Shown::of(&here.releases, &all[0], &related, &links, tx.now()),
        })
    });
    Ok(Html::new(&view.await?)?.response())
}
