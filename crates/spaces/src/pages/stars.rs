//! `…/-/star` and `…/-/starrers`: stars of a project.

use super::{Address, PROJECT, Section, Visit, filtered, views};
use crate::access::Purpose;
use crate::rules;
use crate::store::stars as rows;
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::{Html, Pages, flash};
use kernel::http::{Paging, Params, Response, Routes, Text};
use kernel::ids::Reference;

pub fn routes(r: &mut Routes) {
    r.page(Method::POST, &format!("{PROJECT}/-/star"), star);
    r.page(Method::GET, &format!("{PROJECT}/-/starrers"), starrers);
}

kernel::params! {
    /// The button.
    pub struct Form {
        /// Whether it is to have the viewer's star.
        pub starred: bool,
    }
}

async fn star(app: App, visit: Visit, form: Params<Form>) -> Result<Response> {
    let starred = form.starred;
    let (url, name) = app
        .write(move |tx| {
            let space = visit.authorize(tx, Purpose::Join)?;
            let project = space.project()?;
            rules::star_project(tx, &visit.viewer, &Reference::Id(project.id), starred)?;
            Ok((space.url(), project.name.clone()))
        })
        .await?;
    let text = match starred {
        true => format!("You starred {name}."),
        false => format!("You took your star of {name} back."),
    };
    flash::done(&app, &url, text)
}

kernel::params! {
    /// A search among who starred it, or among its forks.
    pub struct Search {
        /// In name, or user name or path.
        pub search: Text,
    }
}

async fn starrers(
    app: App, viewer: Viewer, address: Address, asked: Params<Search>, paging: Paging,
) -> Result<Response> {
    let shown = page(&app, &viewer, "Stars");
    let search = asked.0.search.to_string();
    let view = app.read(move |tx| {
        let space = address.authorize(tx, &viewer, Purpose::Read)?;
        let id = space.project()?.id;
        let (mut starrers, total) = rows::page(tx, id, Some(&search), &paging)?;
        starrers.truncate(usize::try_from(paging.per_page).unwrap_or(usize::MAX));
        let url = filtered(&format!("{}/-/starrers", space.url()), &[("search", &search)]);
        let head = space.head(tx, &viewer)?;
        let mut page = head.page(shown.clone(), Section::Overview);
        page = page.crumb(&head.name, &head.url);
        Ok(views::Starrers {
            pages: Pages::of(&paging, total, url),
            now: tx.now(),
            search: search.clone(),
            starrers,
            page,
            head,
        })
    });
    Ok(Html::new(&view.await?)?.response())
}
