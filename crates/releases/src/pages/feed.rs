//! `…/-/releases.atom`: what a project released, for readers of feeds.

use super::{Here, below};
use crate::model::Release;
use crate::related::Related;
use crate::store::{self, ReleaseFilter};
use code::pages::feed::{AtomFeed, SCOPES};
use http::Method;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Paging, Response, Routes};
use repositories::objects::Person;
use spaces::pages::Address;

/// Releases of a feed.
const MOST: i64 = 20;

pub fn routes(r: &mut Routes) {
    r.plain(Method::GET, &below(".atom"), answer).feed().scopes(SCOPES);
}

async fn answer(app: App, viewer: Viewer, address: Address) -> Result<Response> {
    let handle = app.clone();
    let feed = app.read(move |tx| {
        let here = Here::find(tx, &viewer, &address)?;
        let project = here.releases.project.id;
        let (filter, paging) = (ReleaseFilter::default(), Paging::first(MOST));
        let found = store::list(tx, store::in_project(project), &filter, paging)?;
        let related = Related::load(tx, &viewer, &found.items)?;
        let url = here.url();
        let title = format!("{}: releases", here.releases.project.name);
        let mut feed = AtomFeed::on(&handle, title, &url, &format!("{url}.atom"));
        found.items.iter().for_each(|one| here.tell(&handle, &mut feed, one, &related));
        Ok(feed)
    });
    feed.await?.answer()
}

impl Here {
    /// A release as its reader sees it: its tag and page are for who reads the code.
    fn tell(&self, app: &App, feed: &mut AtomFeed, release: &Release, related: &Related) {
        let (name, url) = match self.releases.reads_code {
            true => (release.name().to_owned(), format!("{}{}", self.head.url, release.path())),
            false => (release.name_without_tag(), format!("{}#release-{}", self.url(), release.id)),
        };
        let author = Person {
            name: related.author(release).map(|user| user.name.clone()).unwrap_or_default(),
            email: String::new(),
            at: release.released_at,
            offset: 0,
        };
        feed.add(app.url(&url), &name, &author, release.text());
    }
}
