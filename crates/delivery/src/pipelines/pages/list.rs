//! `…/-/pipelines`: the pipelines of a project, the last first.

use super::rows::PipelineRows;
use super::{Here, below};
use crate::pipelines::model::Source;
use crate::pipelines::status::Status;
use crate::pipelines::store::lists::{self, PipelineFilter, PipelineScope};
use askama::Template;
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::{self, Chip, Choice, Tab};
use kernel::html::{Html, Page, Pages};
use kernel::http::paging::COUNT_LIMIT;
use kernel::http::{Paging, Params, Response, Routes, Text};
use spaces::pages::{Address, Section};

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &below("pipelines"), show);
}

kernel::params! {
    /// What narrows the list, as the page sends it: an empty field narrows nothing.
    #[derive(Default)]
    pub struct Query {
        /// A branch, a tag or the whole name of a commit.
        pub search: Text,
        pub scope: Text,
        pub status: Text,
        pub source: Text,
        pub username: Text,
    }
}

/// Letters of the name of a commit.
const SHA: usize = 40;

impl Query {
    fn filter(&self) -> PipelineFilter {
        let search = self.search.trim();
        let is_sha = search.len() == SHA && search.bytes().all(|byte| byte.is_ascii_hexdigit());
        let named = (!search.is_empty()).then(|| search.to_owned());
        let (sha, on_ref) = if is_sha { (named, None) } else { (None, named) };
        let username = self.username.trim().trim_start_matches('@').to_owned();
        PipelineFilter {
            scope: PipelineScope::from_text(&self.scope),
            status: Status::from_text(&self.status),
            source: Source::from_text(&self.source),
            username: (!username.is_empty()).then_some(username),
            sha,
            on_ref,
            ..PipelineFilter::default()
        }
    }

    /// Its fields with one of them changed.
    fn url(&self, url: &str, change: (&str, &str)) -> String {
        let fields = [
            ("search", &*self.search),
            ("scope", &*self.scope),
            ("status", &*self.status),
            ("source", &*self.source),
            ("username", &*self.username),
        ];
        let fields = fields.map(|(name, value)| match name == change.0 {
            true => change,
            false => (name, value),
        });
        spaces::pages::filtered(url, &fields)
    }

    fn chips(&self, url: &str) -> Vec<Chip> {
        let all = [
            ("status", "Status", &self.status),
            ("source", "Source", &self.source),
            ("username", "By", &self.username),
        ];
        let set = all.into_iter().filter(|(_, _, value)| !value.is_empty());
        set.map(|(name, label, value)| {
            let text = format!("{label}: {}", value.replace('_', " "));
            Chip::new(text, self.url(url, (name, "")))
        })
        .collect()
    }
}

#[derive(Template)]
#[template(path = "pipelines.html")]
pub struct View {
    page: Page,
    project_url: String,
    url: String,
    can_run: bool,
    query: Query,
    tabs: Vec<Tab>,
    chips: Vec<Chip>,
    rows: PipelineRows,
    pages: Pages,
    statuses: Vec<Choice>,
    sources: Vec<Choice>,
}

impl View {
    fn is_narrowed(&self) -> bool {
        !self.chips.is_empty() || !self.query.search.is_empty()
    }
}

async fn show(
    app: App, viewer: Viewer, address: Address, query: Params<Query>, paging: Paging,
) -> Result<Response> {
    let Params(query) = query;
    let page = page(&app, &viewer, "Pipelines");
    let (filter, asked) = (query.filter(), paging.clone());
    let by = viewer.clone();
    let found = app.read(move |tx| {
        let here = Here::find(tx, &by, &address)?;
        let scopes = lists::counts(tx, here.project.id, &filter)?;
        let (mut rows, total) = lists::of_project(tx, here.project.id, &filter, &asked)?;
        rows.truncate(usize::try_from(asked.per_page).unwrap_or(usize::MAX));
        Ok((here, scopes, rows, total))
    });
    let (here, scopes, rows, total) = found.await?;
    let url = here.url("pipelines");
    let view = View {
        page: here.head.page(page, Section::Pipelines),
        project_url: here.head.url.clone(),
        can_run: here.can_run,
        tabs: tabs(&query, &url, scopes),
        chips: query.chips(&url),
        rows: PipelineRows::read(&app, &viewer, &[&here.project], rows).await?,
        pages: Pages::of(&paging, total, query.url(&url, ("page", ""))),
        statuses: choices("Any status", Status::ALL.iter().map(|one| one.as_str())),
        sources: choices("Any source", Source::ALL[..9].iter().map(|one| one.as_str())),
        url,
        query,
    };
    Ok(Html::new(&view)?.response())
}

fn tabs(query: &Query, url: &str, counts: [i64; 4]) -> Vec<Tab> {
    let all = [
        ("All", ""),
        ("Finished", "finished"),
        ("Branches", "branches"),
        ("Tags", "tags"),
    ];
    let tab = |(&(label, scope), count): (&(&str, &str), i64)| {
        let tab = Tab::new(label, query.url(url, ("scope", scope)), &*query.scope == scope);
        tab.count_to(count.unsigned_abs(), COUNT_LIMIT.unsigned_abs())
    };
    all.iter().zip(counts).map(tab).collect()
}

/// Words of the interface as choices, and one that is none of them.
fn choices(any: &str, words: impl Iterator<Item = &'static str>) -> Vec<Choice> {
    let choice = |value: &str, label: String| Choice { value: value.to_owned(), label };
    let all = words.map(|word| choice(word, word.replace('_', " ")));
    std::iter::once(choice("", any.to_owned())).chain(all).collect()
}
