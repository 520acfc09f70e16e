//! `…/-/wikis/SLUG`: a page as its readers see it, as it is or as it was; beside the pages,
//! files have their addresses here, too.

use super::parts::{Side, clone_box};
use super::{Head, WikiVisit};
use crate::model::HOME;
use crate::tree::{self, Beside, Page, Spot};
use crate::{render, store};
use askama::Template;
use code::entity::in_address;
use code::pages::parts::clone::CloneBox;
use code::pages::raw;
use http::StatusCode;
use kernel::error::{Error, Found, Result};
use kernel::html::{Html, Moment, Page as Layout, ui};
use kernel::http::{RequestContext, Response, reply};
use repositories::formats::object_id::ObjectId;
use repositories::objects::{Commit, Objects};
use spaces::access::Purpose;
use spaces::pages::Section;
use std::sync::Arc;

/// Commits that are gone through for the last one that changed a page.
const STEPS: usize = 2_000;
/// Most bytes of a file that are held to be sent.
const SMALL: u64 = 4 * 1024 * 1024;

#[derive(Template)]
#[template(path = "wiki_page.html")]
struct PageView {
    page: Layout,
    title: String,
    url: String,
    wiki_url: String,
    html: String,
    /// Who changed it last, and when.
    last: Option<(String, Moment)>,
    /// The commit it is shown of, if that is an old one.
    version: Option<String>,
    can_write: bool,
    side: Side,
    clone: CloneBox,
}

#[derive(Template)]
#[template(path = "wiki_empty.html")]
struct EmptyView {
    page: Layout,
    /// What is not there; empty where no page is.
    title: String,
    new_url: Option<String>,
    all_url: String,
    clone: CloneBox,
    /// What is typed to begin.
    commands: String,
}

impl EmptyView {
    fn headline(&self) -> String {
        format!("There is no page {}", self.title)
    }
}

/// `…/-/wikis`.
pub async fn home(visit: WikiVisit, request: Arc<RequestContext>) -> Result<Response> {
    show(WikiVisit { slug: HOME.to_owned(), ..visit }, &request, "").await
}

pub async fn show(visit: WikiVisit, request: &RequestContext, version: &str) -> Result<Response> {
    let head = visit.find(Purpose::ReadWiki).await?;
    let version = (!version.is_empty()).then_some(version);
    let Some(commit) = tree::commit(&visit.app, &head.wiki, version).await? else {
        return match version {
            Some(_) => Err(Error::NotFound("Wiki Page")),
            None => nothing(&visit, &head, true),
        };
    };
    let (slug, with_last) = (visit.slug.clone(), version.is_none());
    let read = move |objects: &Objects| {
        let spot = tree::spot(objects, commit.tree, &slug)?;
        let last = match &spot {
            Spot::Page(page) if with_last => {
                objects.last_change(commit.clone(), &page.file.path, STEPS)?
            }
            Spot::Page(_) => Some(commit.clone()),
            _ => None,
        };
        Ok((spot, tree::beside(objects, &commit)?, last))
    };
    let (spot, beside, last) = tree::read(&visit.app, &head.wiki, read).await?;
    match spot {
        Spot::Page(page) if page.file.slug != visit.slug && version.is_none() => {
            reply::redirect(&head.url_of(&page.file.slug))
        }
        Spot::Page(page) => {
            let version = version.map(|_| beside.commit.id.to_string());
            one(&visit, &head, &page, (beside, last, version)).await
        }
        Spot::File(name, id) => send(&visit, &head, request, (name, id)).await,
        Spot::Nothing => elsewhere(&visit, &head).await,
    }
}

async fn one(
    visit: &WikiVisit, head: &Head, page: &Page,
    (beside, last, version): (Beside, Option<Commit>, Option<String>),
) -> Result<Response> {
    let (title, now) = (page.title(), visit.app.now());
    let layout = head.below(visit.layout(&title), None);
    let view = PageView {
        html: render::html(&visit.app, &visit.viewer, &head.wiki, page).await?,
        url: head.url_of(&page.file.slug),
        wiki_url: head.wiki.url(),
        last: last.map(|commit| {
            let name = code::pages::parts::commit_rows::name(&commit.author.name);
            (name, Moment::new(commit.author.at, now))
        }),
        version,
        can_write: head.can_write,
        side: Side::read(visit, head, &beside).await?,
        clone: clone_box(&visit.app, head),
        page: layout,
        title,
    };
    Ok(Html::new(&view)?.response())
}

async fn send(
    visit: &WikiVisit, head: &Head, request: &RequestContext, (name, id): (String, ObjectId),
) -> Result<Response> {
    let repository = head.wiki.repository.as_ref().found("File")?.id;
    let read = move |objects: &Objects| objects.blob(id, SMALL);
    let blob = tree::read(&visit.app, &head.wiki, read).await?.found("File")?;
    raw::file(&visit.app, repository, request, (blob, &name)).await
}

/// Leads to where a page is now that is not here; else invites to write it.
async fn elsewhere(visit: &WikiVisit, head: &Head) -> Result<Response> {
    let (repository, slug) = (head.wiki.repository.as_ref(), visit.slug.clone());
    if let Some(id) = repository.map(|one| one.id) {
        let renamed = visit.app.read(move |tx| store::renamed(tx, id, &slug)).await?;
        if let Some(slug) = renamed {
            return reply::redirect(&head.url_of(&slug));
        }
    }
    nothing(visit, head, false)
}

/// There is no such page, or none at all.
fn nothing(visit: &WikiVisit, head: &Head, is_empty: bool) -> Result<Response> {
    let is_home = visit.slug == HOME;
    if !(is_home || head.can_write) {
        return Err(Error::NotFound("Wiki Page"));
    }
    let clone = head.wiki.place();
    let url = format!("{}/{}.git", visit.app.base_url(), clone.path());
    let folder = clone.path().rsplit('/').next().unwrap_or_default().to_owned();
    let layout = visit.layout(if is_home { "Wiki" } else { "No such page" });
    let view = EmptyView {
        page: match is_home {
            true => head.head.page(layout, Section::Wiki),
            false => head.below(layout, None),
        },
        title: match is_empty {
            true => String::new(),
            false => visit.slug.replace('-', " "),
        },
        new_url: head
            .can_write
            .then(|| format!("{}/new?title={}", head.wiki.url(), in_address(&visit.slug))),
        all_url: format!("{}/pages", head.wiki.url()),
        clone: clone_box(&visit.app, head),
        commands: format!(
            "git clone {url}\ncd {folder}\necho '# Welcome' > home.md\ngit add home.md\n\
             git commit --message 'Begin the wiki'\ngit push origin HEAD:{}",
            head.wiki.branch()
        ),
    };
    let status = match is_home {
        true => StatusCode::OK,
        false => StatusCode::NOT_FOUND,
    };
    Ok(Html::new(&view)?.status(status).response())
}
