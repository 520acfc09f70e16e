//! `…/-/wikis`: pages of the wikis of projects and groups.

mod all;
mod diff;
mod edit;
mod history;
mod parts;
mod show;

use crate::access::Wiki;
use crate::tree;
use code::entity::in_address;
use code::pages::parts::diff::DiffParams;
use code::pages::parts::older::PagePart;
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page as Layout;
use kernel::http::call::{Call, FromCall};
use kernel::http::{Flat, Params, RequestContext, Response, Routes, Text};
use spaces::access::Purpose;
use spaces::pages::{Address, Section, SpaceHead, section};
use std::sync::Arc;

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, "wikis", show::home);
    section(r, Method::GET, "wikis/pages", all::show);
    section(r, Method::GET, "wikis/new", edit::ask_new);
    section(r, Method::POST, "wikis/new", edit::create);
    section(r, Method::GET, "wikis/{*slug}", below);
    section(r, Method::POST, "wikis/{*slug}", edit::change);
}

/// What follows a page in an address.
const HISTORY: &str = "/history";
const DIFF: &str = "/diff";
const EDIT: &str = "/edit";

kernel::params! {
    #[derive(Default)]
    struct Query {
        /// The commit to show it of.
        version_id: Text,
        /// A part of the history.
        part: Flat<PagePart>,
        /// How changes are shown.
        diff: Flat<DiffParams>,
    }
}

/// A page, or what is known of one. A page that is called like that comes first.
async fn below(
    visit: WikiVisit, request: Arc<RequestContext>, query: Params<Query>,
) -> Result<Response> {
    let mut ends = [HISTORY, DIFF, EDIT].into_iter();
    let named = ends.find_map(|end| Some((visit.slug.strip_suffix(end)?.to_owned(), end)));
    if let Some((slug, end)) = named
        && !visit.is_there().await?
    {
        let visit = WikiVisit { slug, ..visit };
        return match end {
            HISTORY => history::show(visit, &query.part).await,
            DIFF => diff::show(visit, &query.version_id, &query.diff).await,
            _ => edit::ask(visit).await,
        };
    }
    show::show(visit, &request, &query.version_id).await
}

/// Who looks at which page of which wiki.
#[derive(Clone)]
struct WikiVisit {
    app: App,
    viewer: Viewer,
    address: Address,
    /// What names the page; empty for that which a wiki begins with.
    slug: String,
}

impl FromCall for WikiVisit {
    async fn from_call(call: &mut Call) -> Result<WikiVisit> {
        Ok(WikiVisit {
            app: call.app.clone(),
            viewer: Viewer::from_call(call).await?,
            address: Address::of(&call.request)?,
            slug: call.path("slug").unwrap_or_default().trim_matches('/').to_owned(),
        })
    }
}

/// What each page says of its wiki.
#[derive(Debug, Clone)]
struct Head {
    wiki: Wiki,
    head: SpaceHead,
    can_write: bool,
    can_delete: bool,
}

impl WikiVisit {
    /// Finds the wiki for a purpose.
    async fn find(&self, purpose: Purpose) -> Result<Head> {
        if purpose != Purpose::ReadWiki {
            self.viewer.signed_in()?;
        }
        let (viewer, address) = (self.viewer.clone(), self.address.clone());
        let find = move |tx: &mut ::store::Tx<'_>| {
            let space = address.authorize(tx, &viewer, purpose)?;
            let head = space.head(tx, &viewer)?;
            let wiki = Wiki::of(tx, space)?;
            Ok(Head {
                can_write: wiki.may(tx, &viewer, Purpose::WriteWiki)?,
                can_delete: wiki.may(tx, &viewer, Purpose::DestroyWikiPage)?,
                wiki,
                head,
            })
        };
        self.app.read(find).await
    }

    /// Whether there is a page that is called exactly as the address ends.
    async fn is_there(&self) -> Result<bool> {
        let head = self.find(Purpose::ReadWiki).await?;
        let Some(commit) = tree::commit(&self.app, &head.wiki, None).await? else {
            return Ok(false);
        };
        let slug = self.slug.clone();
        tree::read(&self.app, &head.wiki, move |objects| {
            Ok(tree::find(objects, commit.tree, &slug)?.is_some())
        })
        .await
    }

    /// The page of the address, as it is now.
    async fn page(&self, head: &Head) -> Result<tree::Page> {
        let gone = || Error::NotFound("Wiki Page");
        let commit = tree::commit(&self.app, &head.wiki, None).await?.ok_or_else(gone)?;
        let slug = self.slug.clone();
        let read =
            move |objects: &repositories::objects::Objects| tree::page(objects, commit.tree, &slug);
        tree::read(&self.app, &head.wiki, read).await?.ok_or_else(gone)
    }

    fn layout(&self, title: &str) -> Layout {
        page(&self.app, &self.viewer, title)
    }
}

impl Head {
    /// The address of a page of the wiki.
    fn url_of(&self, slug: &str) -> String {
        format!("{}/{}", self.wiki.url(), in_address(slug))
    }

    /// Puts a page below the wiki, and below one of its pages.
    fn below(&self, layout: Layout, above: Option<&tree::Page>) -> Layout {
        let layout = self.head.page_below(layout, Section::Wiki);
        match above {
            Some(page) => layout.crumb(page.title(), self.url_of(&page.file.slug)),
            None => layout,
        }
    }
}
