//! The history of a branch, or of a path in it: `/-/commits/REF/PATH`, and its feed.

use super::feed::{self, AtomFeed, FeedParams};
use super::opened::{Opened, Opening};
use super::parts::commit_rows::CommitRows;
use super::parts::older::{Older, PagePart, ROWS};
use super::parts::{PathSteps, RefMenu};
use super::{CodeVisit, RefKind};
use crate::access;
use crate::entity::in_address;
use crate::history::Asked;
use askama::Template;
use http::Method;
use kernel::error::Result;
use kernel::html::{Html, Page, ui};
use kernel::http::{Flat, Params, Response, Routes, Text};
use repositories::formats::object_id::ObjectId;
use repositories::objects::{Commit, Objects, Walk};
use spaces::pages::{PROJECT, Section};

/// Letters of what is searched for.
const LONGEST: usize = 500;

pub fn routes(r: &mut Routes) {
    for rest in ["", "/", "/{*rest}"] {
        let path = format!("{PROJECT}/-/commits{rest}");
        r.page(Method::GET, &path, show).also_feed().scopes(feed::SCOPES);
    }
}

kernel::params! {
    /// Which commits.
    #[derive(Default)]
    struct Filter {
        /// A part of the message.
        pub search: Text,
        /// A part of the author's name or address.
        pub author: Text,
        pub part: Flat<PagePart>,
        pub feed: Flat<FeedParams>,
    }
}

impl Filter {
    fn search(&self) -> Option<String> {
        typed(&self.search)
    }

    fn author(&self) -> Option<String> {
        typed(&self.author)
    }

    /// The list's address with what narrows it.
    fn url(&self, url: &str) -> String {
        let pairs = [("search", self.search()), ("author", self.author())];
        let said = pairs.into_iter().filter_map(|(name, value)| Some((name, value?)));
        said.fold(url.to_owned(), |url, (name, value)| {
            let joint = if url.contains('?') { '&' } else { '?' };
            format!("{url}{joint}{name}={}", in_address(&value))
        })
    }
}

fn typed(text: &Text) -> Option<String> {
    let text: String = text.trim().chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    (!text.is_empty()).then_some(text)
}

#[derive(Template)]
#[template(path = "commits.html")]
struct CommitsPage {
    page: Page,
    refs: RefMenu,
    steps: PathSteps,
    rows: CommitRows,
    url: String,
    ref_type: &'static str,
    files_url: String,
    graph_url: String,
    people_url: String,
    search: String,
    author: String,
    is_narrowed: bool,
}

impl CommitsPage {
    /// How many fields behind the search narrow the list.
    fn fields(&self) -> u64 {
        u64::from(!self.author.is_empty())
    }
}

async fn show(visit: CodeVisit, filter: Params<Filter>) -> Result<Response> {
    let is_feed = filter.feed.is_feed();
    let at = match Opening::find(&visit, "commits").await? {
        Opening::At(at) => at,
        Opening::Elsewhere(response) => return Ok(response),
    };
    let (skip, most) = match is_feed {
        true => (0, ROWS),
        false => (filter.part.skip(ROWS), ROWS + 1),
    };
    let mut commits = read(&visit, &at, &filter, skip, most).await?;
    let name = &at.spot.name;
    if is_feed {
        let title = format!("{}: commits of {name}", at.head.code.project.name);
        let mut feed = AtomFeed::new(&visit.app, title, &at.url("commits"));
        commits
            .iter()
            .for_each(|commit| feed.add_commit(&visit.app, at.head.url(), commit));
        return feed.answer();
    }
    let url = at.url("commits");
    let has_more = Older::cut(&mut commits, ROWS);
    let older = Older::of(&filter.part, has_more, &filter.url(&url));
    let page = at.head.head.page(visit.page(title(&at)), Section::Commits);
    let plain_url = url.split('?').next().unwrap_or_default();
    let offered = feed::offered(&visit.app, &visit.viewer, page, plain_url);
    let other = |page: &str| at.spot.url(at.head.url(), page, &Default::default());
    let signatures = visit.signatures(&at.head, &commits).await?;
    let ids: Vec<ObjectId> = commits.iter().map(|commit| commit.id).collect();
    let pipelines = visit.pipelines(&at.head, &ids).await?;
    let rows = CommitRows::of(&commits, at.head.url(), at.now, older);
    let view = CommitsPage {
        rows: rows.signed(signatures).piped(pipelines),
        steps: at.steps(),
        files_url: at.url("tree"),
        graph_url: other("network"),
        people_url: other("graphs"),
        search: filter.search().unwrap_or_default(),
        author: filter.author().unwrap_or_default(),
        is_narrowed: filter.search().or(filter.author()).is_some(),
        ref_type: ref_type(&at),
        url: plain_url.to_owned(),
        page: offered,
        refs: at.refs,
    };
    Ok(Html::new(&view)?.response())
}

fn title(at: &Opened) -> &str {
    match at.spot.path.is_root() {
        true => "Commits",
        false => at.spot.path.name(),
    }
}

/// What a form has to say of a ref whose name alone would not do.
fn ref_type(at: &Opened) -> &'static str {
    match (at.spot.is_ambiguous, at.spot.kind) {
        (true, RefKind::Branch) => "heads",
        (true, RefKind::Tag) => "tags",
        _ => "",
    }
}

async fn read(
    visit: &CodeVisit, at: &Opened, filter: &Filter, skip: usize, most: usize,
) -> Result<Vec<Commit>> {
    let (search, author, path) = (filter.search(), filter.author(), at.spot.path.clone());
    let revision = at.spot.revision.clone();
    if search.is_none() && author.is_none() && path.is_root() {
        let work = move |objects: &Objects| {
            let from = vec![access::commit(objects, &revision, "Tree")?.id];
            objects.commits_of(&Walk { from, ..Walk::default() }, skip, most)
        };
        return visit.objects(&at.head, work).await;
    }
    let tip = move |objects: &Objects| access::commit(objects, &revision, "Tree");
    let asked = Asked {
        from: vec![visit.objects(&at.head, tip).await?.id],
        path: Some(path),
        author,
        message: search,
        ignores_case: true,
        ..Asked::default()
    };
    let ids = asked.page(&visit.app, at.repository()?.id, skip, most).await?;
    visit.objects(&at.head, move |objects| objects.commits(&ids)).await
}
