//! REST of wikis, the same below projects and groups.

use crate::access::Wiki;
use crate::entity::{ListedPage, WikiAttachment, WikiPage, WikiPageBasic};
use crate::model::{Format, PageFile};
use crate::rules::{self, PageInput};
use crate::tree::{self, Page};
use crate::{render, store};
use identity::Caller;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::http::call::{Call, FromCall};
use kernel::http::openapi::Operation;
use kernel::http::{Created, Flat, NoContent, Ok200, Params, Parts, Routes};
use repositories::objects::Objects;
use spaces::SpaceRef;
use spaces::access::Purpose;
use std::collections::HashMap;

/// Bytes of all texts of a list.
const MOST_LISTED: usize = 20 * 1024 * 1024;
const THING: &str = "Wiki Page";

pub fn routes(r: &mut Routes) {
    for (prefix, kind) in [("/projects/{id}", "project"), ("/groups/{id}", "group")] {
        r.below(prefix, kind, |r| {
            r.get("/wikis", list).summary("Lists the pages of a wiki");
            r.post("/wikis", create).summary("Makes a page of a wiki");
            r.post("/wikis/attachments", attach)
                .streams()
                .summary("Puts a file beside the pages of a wiki");
            r.get("/wikis/{*slug}", show).summary("Shows a page of a wiki");
            r.put("/wikis/{*slug}", update)
                .summary("Changes a page of a wiki, or what it is called");
            r.delete("/wikis/{*slug}", destroy).summary("Deletes a page of a wiki");
        });
    }
}

/// A request about a wiki, and who asks.
#[derive(Clone)]
struct WikiRequest {
    caller: Caller,
    space: SpaceRef,
}

impl FromCall for WikiRequest {
    async fn from_call(call: &mut Call) -> Result<WikiRequest> {
        Ok(WikiRequest {
            caller: Caller::from_call(call).await?,
            space: SpaceRef::from_call(call).await?,
        })
    }

    fn describe(operation: &mut Operation<'_>) {
        Caller::describe(operation);
        SpaceRef::describe(operation);
    }
}

impl WikiRequest {
    fn viewer(&self) -> &Viewer {
        &self.caller.viewer
    }

    async fn wiki(&self, purpose: Purpose) -> Result<Wiki> {
        let (viewer, space) = (self.caller.viewer.clone(), self.space.clone());
        let find = move |tx: &mut ::store::Tx<'_>| Wiki::find(tx, &viewer, space.named(), purpose);
        self.caller.app.read(find).await
    }

    /// The wiki, and a page of it.
    async fn page(
        &self, slug: &str, version: Option<&str>, purpose: Purpose,
    ) -> Result<(Wiki, Page)> {
        let wiki = self.wiki(purpose).await?;
        let app = &self.caller.app;
        let commit = tree::commit(app, &wiki, version).await?.found(THING)?;
        let slug = slug.to_owned();
        let read = move |objects: &Objects| tree::page(objects, commit.tree, &slug);
        let page = tree::read(app, &wiki, read).await?.found(THING)?;
        Ok((wiki, page))
    }

    async fn ids<'p>(
        &self, wiki: &Wiki, pages: impl Iterator<Item = &'p PageFile>,
    ) -> Result<HashMap<String, i64>> {
        let slugs: Vec<String> = pages.map(|page| page.slug.clone()).collect();
        // It may have been made since.
        let space = wiki.space.clone();
        let read = move |tx: &mut ::store::Tx<'_>| match Wiki::of(tx, space)?.repository {
            Some(repository) => store::ids(tx, repository.id, slugs),
            None => Ok(HashMap::new()),
        };
        self.caller.app.read(read).await
    }

    async fn entity(&self, wiki: &Wiki, page: &Page, with_html: bool) -> Result<WikiPage> {
        let ids = self.ids(wiki, std::iter::once(&page.file)).await?;
        let html = match with_html {
            true => Some(render::html(&self.caller.app, self.viewer(), wiki, page).await?),
            false => None,
        };
        Ok(WikiPage::of(page, &ids, html))
    }
}

kernel::params! {
    struct ListParams {
        /// Show the texts, too.
        pub with_content: Option<bool>,
    }
}

kernel::params! {
    struct OnePage {
        /// The slug of the page: folders are told by slashes, written so or as `%2F`.
        pub slug: String,
    }
}

kernel::params! {
    struct ShowParams {
        pub page: Flat<OnePage>,
        /// The commit to show it of; the newest unless said.
        pub version: Option<String>,
        /// Show the text as HTML.
        pub render_html: Option<bool>,
    }
}

kernel::params! {
    /// What stands above the text.
    struct FrontMatterParams {
        /// What the page calls itself.
        pub title: Option<String>,
    }
}

kernel::params! {
    struct CreateParams {
        /// What it is called: folders before it are told by slashes.
        pub title: String,
        /// Its text.
        pub content: String,
        /// What it is written in; Markdown unless said.
        pub format: Option<Format>,
        pub front_matter: Option<FrontMatterParams>,
    }
}

kernel::params! {
    struct UpdateParams {
        pub page: Flat<OnePage>,
        /// What it shall be called; without a slash it stays in its folder.
        pub title: Option<String>,
        /// Its text.
        pub content: Option<String>,
        /// What it shall be written in; the text stays as it is.
        pub format: Option<Format>,
        pub front_matter: Option<FrontMatterParams>,
    }
}

async fn list(by: WikiRequest, asked: Params<ListParams>) -> Result<Ok200<Vec<ListedPage>>> {
    let wiki = by.wiki(Purpose::ReadWiki).await?;
    let app = &by.caller.app;
    let Some(commit) = tree::commit(app, &wiki, None).await? else {
        return Ok(Ok200(Vec::new()));
    };
    let with_content = asked.with_content == Some(true);
    let read = move |objects: &Objects| {
        let files = tree::pages(objects, commit.tree)?;
        match with_content {
            true => texts(objects, &files).map(|pages| (files, pages)),
            false => Ok((files, Vec::new())),
        }
    };
    let (files, pages) = tree::read(app, &wiki, read).await?;
    let ids = by.ids(&wiki, files.iter()).await?;
    let whole = |page: &Page| ListedPage::Whole(Box::new(WikiPage::of(page, &ids, None)));
    let basic = |file: &PageFile| ListedPage::Basic(WikiPageBasic::of(file, &ids));
    Ok(Ok200(match with_content {
        true => pages.iter().map(whole).collect(),
        false => files.iter().map(basic).collect(),
    }))
}

fn texts(objects: &Objects, files: &[PageFile]) -> Result<Vec<Page>> {
    let (mut pages, mut left) = (Vec::new(), MOST_LISTED);
    for file in files {
        let page = tree::open(objects, file.clone())?;
        let text = "The texts are too long together. Ask for the pages one by one.";
        let over = || Error::BadRequest(text.into());
        left = left.checked_sub(page.text.len()).ok_or_else(over)?;
        pages.push(page);
    }
    Ok(pages)
}

async fn show(by: WikiRequest, asked: Params<ShowParams>) -> Result<Ok200<WikiPage>> {
    let version = asked.version.as_deref().filter(|version| !version.is_empty());
    let (wiki, page) = by.page(&asked.page.slug, version, Purpose::ReadWiki).await?;
    by.entity(&wiki, &page, asked.render_html == Some(true)).await.map(Ok200)
}

async fn create(by: WikiRequest, Params(sent): Params<CreateParams>) -> Result<Created<WikiPage>> {
    let wiki = by.wiki(Purpose::WriteWiki).await?;
    let input = PageInput {
        title: Some(sent.title),
        content: Some(sent.content),
        format: sent.format,
        own_title: sent.front_matter.and_then(|matter| matter.title),
        ..PageInput::default()
    };
    let page = rules::create(&by.caller.app, by.viewer(), &wiki, input).await?;
    by.entity(&wiki, &page, false).await.map(Created)
}

async fn update(by: WikiRequest, Params(sent): Params<UpdateParams>) -> Result<Ok200<WikiPage>> {
    let own_title = sent.front_matter.and_then(|matter| matter.title);
    let (wiki, page) = by.page(&sent.page.slug, None, Purpose::WriteWiki).await?;
    let is_empty = sent.title.is_none() && sent.content.is_none() && sent.format.is_none();
    if is_empty && own_title.is_none() {
        return Err(Error::none_of("title, content, format"));
    }
    let input = PageInput {
        title: sent.title,
        content: sent.content,
        format: sent.format,
        own_title,
        ..PageInput::default()
    };
    let page = rules::update(&by.caller.app, by.viewer(), &wiki, &page, input).await?;
    by.entity(&wiki, &page, false).await.map(Ok200)
}

async fn destroy(by: WikiRequest, asked: Params<OnePage>) -> Result<NoContent> {
    let (wiki, page) = by.page(&asked.slug, None, Purpose::DestroyWikiPage).await?;
    rules::destroy(&by.caller.app, by.viewer(), &wiki, &page.file).await?;
    Ok(NoContent)
}

async fn attach(by: WikiRequest, parts: Parts) -> Result<Created<WikiAttachment>> {
    let wiki = by.wiki(Purpose::WriteWiki).await?;
    let sent = rules::receive(&by.caller.app, parts).await?;
    let kept = rules::attach(&by.caller.app, by.viewer(), &wiki, sent).await?;
    Ok(Created(kept.into()))
}
