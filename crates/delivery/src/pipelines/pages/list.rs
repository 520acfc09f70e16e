//! `…/-/pipelines`: the pipelines of a project, the last first.

use super::parts::{StageDots, StatusMark, short, took, who};
use super::{Here, below, titles};
use crate::pipelines::access::repository;
use crate::pipelines::model::{Pipeline, Source};
use crate::pipelines::status::Status;
use crate::pipelines::store::lists::{self, PipelineFilter, PipelineScope};
use askama::Template;
use http::Method;
use identity::User;
use identity::entities::load_basic;
use identity::pages::page;
use identity::viewer::Viewer;
use jiff::Timestamp;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::{self, Chip, Choice, Tab};
use kernel::html::{Html, Page, Pages};
use kernel::http::paging::COUNT_LIMIT;
use kernel::http::{Paging, Params, Response, Routes, Text};
use spaces::pages::{Address, Section};
use std::collections::{BTreeMap, HashMap};

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

/// A pipeline in the list.
pub struct Row {
    pipeline: Pipeline,
    title: Option<String>,
    user: Option<User>,
    stages: StageDots,
}

impl Row {
    fn mark(&self, url: &str) -> StatusMark {
        StatusMark::of(self.pipeline.status).at(self.url(url))
    }

    fn url(&self, url: &str) -> String {
        format!("{url}/{}", self.pipeline.id)
    }

    fn name(&self) -> String {
        let named = self.pipeline.name.clone().filter(|name| !name.is_empty());
        let fallback = || format!("Pipeline #{}", self.pipeline.id);
        named.or(self.title.clone()).unwrap_or_else(fallback)
    }

    fn sha(&self) -> &str {
        short(&self.pipeline.sha)
    }

    fn took(&self, now: &Timestamp) -> Option<String> {
        took(&self.pipeline, *now)
    }

    fn who(&self) -> Option<ui::PersonLink> {
        self.user.as_ref().map(who)
    }

    fn source(&self) -> String {
        self.pipeline.source.to_string().replace('_', " ")
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
    rows: Vec<Row>,
    now: Timestamp,
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
    let found = app.read(move |tx| {
        let here = Here::find(tx, &viewer, &address)?;
        let scopes = lists::counts(tx, here.project.id, &filter)?;
        let (mut rows, total) = lists::of_project(tx, here.project.id, &filter, &asked)?;
        rows.truncate(usize::try_from(asked.per_page).unwrap_or(usize::MAX));
        let ids = rows.iter().map(|one| one.id).collect();
        let people: Vec<i64> = rows.iter().filter_map(|one| one.user_id).collect();
        let people = load_basic(tx, &people)?;
        let stages = lists::stages(tx, ids)?;
        let repository = repository(tx, &here.project)?;
        Ok((here, scopes, (rows, total), people, stages, repository, tx.now()))
    });
    let (here, scopes, (rows, total), people, stages, repository, now) = found.await?;
    let titles = titles(&app, repository.as_ref(), rows.iter().map(|one| one.sha.as_str())).await?;
    let url = here.url("pipelines");
    let stages = StageDots::of(stages, |id| format!("{url}/{id}"));
    let view = View {
        page: here.head.page(page, Section::Pipelines),
        project_url: here.head.url.clone(),
        can_run: here.can_run,
        tabs: tabs(&query, &url, scopes),
        chips: query.chips(&url),
        rows: shown(rows, titles, people, stages),
        now,
        pages: Pages::of(&paging, total, query.url(&url, ("page", ""))),
        statuses: choices("Any status", Status::ALL.iter().map(|one| one.as_str())),
        sources: choices("Any source", Source::ALL[..9].iter().map(|one| one.as_str())),
        url,
        query,
    };
    Ok(Html::new(&view)?.response())
}

fn shown(
    rows: Vec<Pipeline>, titles: HashMap<String, String>, people: HashMap<i64, User>,
    mut stages: BTreeMap<i64, StageDots>,
) -> Vec<Row> {
    let row = |pipeline: Pipeline| Row {
        title: titles.get(&pipeline.sha).cloned(),
        user: pipeline.user_id.and_then(|id| people.get(&id).cloned()),
        stages: stages.remove(&pipeline.id).unwrap_or_default(),
        pipeline,
    };
    rows.into_iter().map(row).collect()
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
