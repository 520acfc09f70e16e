//! A history drawn as lines that part and meet: `/-/network/REF`.

use super::CodeVisit;
use super::opened::{Opened, Opening};
use super::parts::RefMenu;
use super::parts::commit_rows::CommitRow;
use super::parts::older::{Older, PagePart};
use crate::access;
use crate::history::Asked;
use crate::lanes::{MOST_LANES, Place, layout};
use crate::visible::visible;
use askama::Template;
use http::Method;
use kernel::error::Result;
use kernel::html::{Html, Page, ui};
use kernel::http::{Flat, Params, Response, Routes};
use repositories::formats::object_id::ObjectId;
use repositories::model::Ref;
use repositories::objects::{Objects, Revision};
use repositories::store::refs;
use spaces::pages::{PROJECT, Section};
use std::collections::HashMap;

/// Commits of a page.
const ROWS: usize = 200;
/// Branches and tags that are drawn, where all are.
const MOST_TIPS: usize = 1000;
/// Names beside one commit.
const MOST_NAMES: usize = 4;
/// Pixels between two lines and between two commits, as the picture counts them.
const ACROSS: usize = 14;
const DOWN: usize = 32;
/// Colours of lines.
const COLOURS: usize = 6;

pub fn routes(r: &mut Routes) {
    for rest in ["", "/", "/{*rest}"] {
        r.page(Method::GET, &format!("{PROJECT}/-/network{rest}"), show);
    }
}

kernel::params! {
    /// What is drawn.
    #[derive(Default)]
    struct Drawn {
        /// `1` draws all branches and tags.
        pub all: Option<String>,
        pub part: Flat<PagePart>,
    }
}

#[derive(Template)]
#[template(path = "network.html")]
struct NetworkPage {
    page: Page,
    refs: RefMenu,
    is_all: bool,
    other_url: String,
    rows: Vec<GraphRow>,
    width: usize,
    older: Older,
}

struct GraphRow {
    commit: CommitRow,
    names: Vec<String>,
    place: Place,
}

impl GraphRow {
    /// The lines to the next commit: their ways and colours.
    fn lines(&self) -> Vec<(String, usize)> {
        let line = |(from, to): &(usize, usize)| {
            let (from_x, to_x) = (across(*from), across(*to));
            let (top, bottom, middle) = (DOWN / 2, DOWN / 2 + DOWN, DOWN);
            let way = match from == to {
                true => format!("M{from_x} {top}V{bottom}"),
                false => {
                    format!("M{from_x} {top}C{from_x} {middle} {to_x} {middle} {to_x} {bottom}")
                }
            };
            (way, from.max(to) % COLOURS)
        };
        self.place.lines.iter().map(line).collect()
    }

    fn x(&self) -> usize {
        across(self.place.lane)
    }

    fn colour(&self) -> usize {
        self.place.lane % COLOURS
    }
}

fn across(lane: usize) -> usize {
    ACROSS / 2 + lane * ACROSS
}

async fn show(visit: CodeVisit, drawn: Params<Drawn>) -> Result<Response> {
    let at = match Opening::find(&visit, "network").await? {
        Opening::At(at) => at,
        Opening::Elsewhere(response) => return Ok(response),
    };
    let is_all = drawn.all.as_deref() == Some("1");
    let repository = at.repository()?.id;
    let tips = visit.app.read(move |tx| {
        refs::beginning(tx, repository, &["refs/heads/".to_owned(), "refs/tags/".to_owned()])
    });
    let tips = tips.await?;
    let from = from(&visit, &at, &tips, is_all).await?;
    let asked = Asked { from, by_topology: true, ..Asked::default() };
    let skip = drawn.part.skip(ROWS);
    let mut ids = asked.page(&visit.app, repository, skip, ROWS + 1).await?;
    let has_more = Older::cut(&mut ids, ROWS);
    let commits = visit.objects(&at.head, move |objects| objects.commits(&ids)).await?;
    let parents: Vec<_> =
        commits.iter().map(|commit| (commit.id, commit.parents.clone())).collect();
    let names = names(&tips);
    let rows: Vec<GraphRow> = commits
        .iter()
        .zip(layout(&parents))
        .map(|(commit, place)| GraphRow {
            commit: CommitRow::of(commit, at.head.url(), at.now),
            names: names.get(&commit.id).cloned().unwrap_or_default(),
            place,
        })
        .collect();
    let url = at.spot.url(at.head.url(), "network", &Default::default());
    let with = |name: &str| {
        let joint = if url.contains('?') { '&' } else { '?' };
        format!("{url}{joint}{name}")
    };
    let own = if is_all { with("all=1") } else { url.clone() };
    let view = NetworkPage {
        page: at.head.page(visit.page("Graph"), Section::Commits),
        other_url: if is_all { url.clone() } else { with("all=1") },
        older: Older::of(&drawn.part, has_more, &own),
        width: width(&rows),
        is_all,
        rows,
        refs: at.refs,
    };
    Ok(Html::new(&view)?.response())
}

fn width(rows: &[GraphRow]) -> usize {
    let lanes = rows.iter().flat_map(|row| {
        let lines = row.place.lines.iter().flat_map(|(from, to)| [*from, *to]);
        lines.chain([row.place.lane])
    });
    (lanes.max().unwrap_or_default().min(MOST_LANES - 1) + 1) * ACROSS
}

/// Where the lines begin.
async fn from(visit: &CodeVisit, at: &Opened, tips: &[Ref], is_all: bool) -> Result<Vec<ObjectId>> {
    let own = at.spot.revision.clone();
    let others: Vec<Ref> = tips.iter().take(if is_all { MOST_TIPS } else { 0 }).cloned().collect();
    let read = move |objects: &Objects| {
        let mut from = vec![access::commit(objects, &own, "Tree")?.id];
        for other in &others {
            let commit = objects.commit_at(&Revision::Ref(other.clone()))?;
            from.extend(commit.map(|commit| commit.id));
        }
        Ok(from)
    };
    visit.objects(&at.head, read).await
}

/// Which branches and tags point at which commit.
fn names(tips: &[Ref]) -> HashMap<ObjectId, Vec<String>> {
    let mut names: HashMap<ObjectId, Vec<String>> = HashMap::new();
    for tip in tips {
        let named = names.entry(tip.peeled_id.unwrap_or(tip.object_id)).or_default();
        let name = tip.name.as_branch().or(tip.name.as_tag());
        if let Some(name) = name.filter(|_| named.len() < MOST_NAMES) {
            named.push(visible(name).into_owned());
        }
    }
    names
}
