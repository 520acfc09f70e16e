//! Finding a file by its name: `/-/find_file/REF`.

use super::CodeVisit;
use super::opened::{Opened, commit, open};
use super::parts::{PathSteps, RefMenu};
use crate::paths::{self, Recent};
use askama::Template;
use http::Method;
use kernel::error::Result;
use kernel::html::{Html, Page, ui};
use kernel::http::{Params, Response, Routes, Text};
use repositories::objects::{Objects, Path};
use spaces::pages::PROJECT;

/// Files that are listed.
const MOST: usize = 100;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &format!("{PROJECT}/-/find_file/{{*rest}}"), show);
}

kernel::params! {
    struct Search {
        /// A part of a path, or some of its letters.
        search: Text,
    }
}

#[derive(Template)]
#[template(path = "find_file.html")]
struct FindPage {
    page: Page,
    refs: RefMenu,
    steps: PathSteps,
    url: String,
    ref_type: &'static str,
    search: String,
    found: Vec<(String, String)>,
    /// There are more than are listed.
    has_more: bool,
}

async fn show(visit: CodeVisit, search: Params<Search>) -> Result<Response> {
    open(visit, "find_file", |visit, at| opened(visit, at, search.0)).await
}

async fn opened(visit: CodeVisit, at: Box<Opened>, search: Search) -> Result<Response> {
    let (spot, recent) = (at.spot.clone(), visit.app.kept::<Recent>());
    let text = search.search.trim().chars().take(200).collect::<String>();
    let wanted = text.clone();
    let work = move |objects: &Objects| {
        let all = recent.of(objects, commit(objects, &spot)?.tree)?;
        Ok(paths::search(&all, &wanted, MOST + 1))
    };
    let mut found = visit.objects(&at.head, work).await?;
    let has_more = found.len() > MOST;
    found.truncate(MOST);
    let link = |path: &Path| (path.to_string(), at.spot.url(at.head.url(), "blob", path));
    let url = at.spot.url(at.head.url(), "find_file", &Path::default());
    let view = FindPage {
        found: found.iter().map(link).collect(),
        has_more,
        search: text,
        url: url.split('?').next().unwrap_or_default().to_owned(),
        ref_type: match at.spot.is_ambiguous {
            true => at.spot.kind.query().trim_start_matches("?ref_type="),
            false => "",
        },
        page: at.head.page(visit.page("Find file"), spaces::pages::Section::Files),
        steps: at.steps(),
        refs: at.refs,
    };
    Ok(Html::new(&view)?.response())
}
