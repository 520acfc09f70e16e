//! `…/-/wikis/SLUG/diff?version_id=SHA`: what a version of a page changed.

use super::WikiVisit;
use crate::tree;
use askama::Template;
use code::pages::parts::commit_rows::{name, title};
use code::pages::parts::diff::{DiffParams, DiffView, Sides};
use kernel::error::{Error, Found, Result};
use kernel::html::{Html, Moment, Page as Layout, ui};
use kernel::http::Response;
use spaces::access::Purpose;

#[derive(Template)]
#[template(path = "wiki_diff.html")]
struct ChangesView {
    page: Layout,
    message: String,
    url: String,
    version: String,
    author: String,
    at: Moment,
    diff: DiffView,
}

pub async fn show(visit: WikiVisit, version: &str, params: &DiffParams) -> Result<Response> {
    let head = visit.find(Purpose::ReadWiki).await?;
    let page = visit.page(&head).await?;
    let version = (!version.is_empty()).then_some(version);
    let gone = || Error::NotFound("Wiki Page");
    let commit = tree::commit(&visit.app, &head.wiki, version).await?.ok_or_else(gone)?;
    let repository = head.wiki.repository.as_ref().found("Wiki Page")?;
    let url = head.url_of(&page.file.slug);
    let here = format!("{url}/diff?version_id={}", commit.id);
    let sides = Sides { old: commit.parents.first().copied(), new: commit.id };
    let path = Some(page.file.path.to_string());
    let params = DiffParams { path, old_path: None, ..params.clone() };
    let diff = DiffView::of_file(&visit.app, repository, sides, &here, &params).await?;
    let view = ChangesView {
        page: head.below(visit.layout("Changes"), Some(&page)),
        message: title(&commit),
        url,
        version: commit.id.to_string(),
        author: name(&commit.author.name),
        at: Moment::new(commit.author.at, visit.app.now()),
        diff,
    };
    Ok(Html::new(&view)?.response())
}
