//! `…/-/wikis/SLUG/history`: the versions of a page.

use super::WikiVisit;
use crate::tree;
use askama::Template;
use code::history::Asked;
use code::pages::parts::commit_rows::{name, title};
use code::pages::parts::older::{Older, PagePart, ROWS};
use kernel::error::{Error, Found, Result};
use kernel::html::{Html, Moment, Page as Layout, ui};
use kernel::http::Response;
use repositories::objects::{Commit, Objects};
use spaces::access::Purpose;

#[derive(Template)]
#[template(path = "wiki_history.html")]
struct HistoryView {
    page: Layout,
    title: String,
    url: String,
    versions: Vec<Version>,
    older: Older,
}

/// A version of a page.
struct Version {
    /// What its commit says.
    message: String,
    author: String,
    at: Moment,
    id: String,
    short_id: String,
}

pub async fn show(visit: WikiVisit, part: &PagePart) -> Result<Response> {
    let head = visit.find(Purpose::ReadWiki).await?;
    let page = visit.page(&head).await?;
    let gone = || Error::NotFound("Wiki Page");
    let tip = tree::commit(&visit.app, &head.wiki, None).await?.ok_or_else(gone)?;
    let asked = Asked {
        from: vec![tip.id],
        path: Some(page.file.path.clone()),
        ..Asked::default()
    };
    let repository = head.wiki.repository.as_ref().found("Wiki Page")?.id;
    let ids = asked.page(&visit.app, repository, part.skip(ROWS), ROWS + 1).await?;
    let read = move |objects: &Objects| objects.commits(&ids);
    let mut commits: Vec<Commit> = tree::read(&visit.app, &head.wiki, read).await?;
    let has_more = Older::cut(&mut commits, ROWS);
    let (url, now) = (head.url_of(&page.file.slug), visit.app.now());
    let version = |commit: &Commit| Version {
        message: title(commit),
        author: name(&commit.author.name),
        at: Moment::new(commit.author.at, now),
        id: commit.id.to_string(),
        short_id: commit.short_id(),
    };
    let view = HistoryView {
        page: head.below(visit.layout("History"), Some(&page)),
        title: page.title(),
        versions: commits.iter().map(version).collect(),
        older: Older::of(part, has_more, &format!("{url}/history")),
        url,
    };
    Ok(Html::new(&view)?.response())
}
