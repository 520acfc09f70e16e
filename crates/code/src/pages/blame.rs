//! Who wrote which line: `/-/blame/REF/PATH`.

use super::CodeVisit;
use super::blob::{MOST_LINES, read};
use super::opened::{Opened, open};
use super::parts::{CommitLine, PathSteps, RefMenu, SourceLines};
use super::tree::PageNumber;
use crate::{blame, highlight, text};
use askama::Template;
use http::Method;
use kernel::error::Result;
use kernel::html::{Html, Page, Pages, ui};
use kernel::http::reply::redirect;
use kernel::http::{Params, Response, Routes};
use repositories::objects::EntryKind;
use spaces::pages::PROJECT;
use std::sync::Arc;

/// Bytes of a file whose lines are looked into.
const MOST: u64 = 1024 * 1024;
/// Lines of a page.
const PAGE: usize = 1000;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &format!("{PROJECT}/-/blame/{{*rest}}"), show);
}

/// Lines of one commit.
struct Part {
    commit: Option<CommitLine>,
    lines: SourceLines,
}

#[derive(Template)]
#[template(path = "blame.html")]
struct BlamePage {
    page: Page,
    refs: RefMenu,
    steps: PathSteps,
    parts: Vec<Part>,
    /// Nothing is told of what is no text, or too large.
    is_told: bool,
    pages: Pages,
    blob_url: String,
    history_url: String,
    permalink: String,
}

async fn show(visit: CodeVisit, number: Params<PageNumber>) -> Result<Response> {
    open(visit, "blame", |visit, at| opened(visit, at, number.0)).await
}

async fn opened(visit: CodeVisit, at: Box<Opened>, number: PageNumber) -> Result<Response> {
    let spot = at.spot.clone();
    let file = visit.objects(&at.head, move |objects| read(objects, &spot, MOST)).await?;
    let Some(file) = file else {
        return redirect(&at.url("tree"));
    };
    let content = file.blob.content.as_deref().filter(|_| file.kind != EntryKind::Link);
    let text = content.and_then(text::letters).map(Arc::<str>::from);
    // Git ends lines at line feeds alone.
    let count = content.map_or(0, |content| content.split_inclusive(|byte| *byte == b'\n').count());
    let first = number.index().saturating_mul(PAGE);
    let mut parts = Vec::new();
    let is_told = text.is_some() && count <= MOST_LINES;
    if let Some(text) = text.filter(|_| is_told && first < count) {
        let name = at.spot.path.name();
        let lines = highlight::coloured(&visit.app, file.blob.id, name, text).await;
        let repository = at.repository()?;
        let which = (file.commit.id, &at.spot.path);
        let range = Some((first + 1, (first + PAGE).min(count)));
        let told = blame::read(&visit.app, repository.id, which, range).await?;
        let told = blame::parts(told);
        let commits = blame::commits(&visit.app, repository, &told).await?;
        let mut from = first;
        for part in told {
            let to = from + part.lines.len();
            let commit = commits.get(&part.commit);
            parts.push(Part {
                commit: commit.map(|commit| CommitLine::of(commit, at.head.url(), at.now)),
                lines: SourceLines::some(lines.clone(), from..to),
            });
            from = to;
        }
    }
    let number = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let page = number(first / PAGE + 1);
    let view = BlamePage {
        page: at.page(&visit, at.spot.path.name()),
        steps: at.steps(),
        parts,
        is_told,
        pages: Pages::new(page, number(PAGE), number(count), at.url("blame")),
        blob_url: at.url("blob"),
        history_url: at.url("commits"),
        permalink: at.permalink("blame", &file.commit),
        refs: at.refs,
    };
    Ok(Html::new(&view)?.response())
}
