//! `…/-/jobs`: the jobs of a project, the last first.

use super::show::Row;
use super::{Here, below};
use crate::pipelines::status::Status;
use crate::pipelines::store::lists::{self, JOBS, JobFilter};
use ::store::Tx;
use askama::Template;
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use jiff::Timestamp;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::{self, Tab};
use kernel::html::{Html, Page, Pages};
use kernel::http::{Paging, Params, Response, Routes, Text};
use spaces::pages::{Address, Section, filtered};

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &below("jobs"), show);
}

kernel::params! {
    pub struct Query {
        /// Which: `pending`, `running` or `finished`; all unless said.
        pub scope: Text,
    }
}

/// The tabs of the page: their names, and which jobs they have.
const SCOPES: [(&str, &str, &[Status]); 4] = [
    ("All", "", &[]),
    (
        "Pending",
        "pending",
        &[Status::Pending, Status::WaitingForResource, Status::Preparing],
    ),
    ("Running", "running", &[Status::Running, Status::Canceling]),
    ("Finished", "finished", &[Status::Success, Status::Failed, Status::Canceled]),
];

#[derive(Template)]
#[template(path = "jobs.html")]
pub struct View {
    page: Page,
    can_run: bool,
    tabs: Vec<Tab>,
    rows: Vec<Row>,
    now: Timestamp,
    pages: Pages,
}

fn filter(statuses: &[Status]) -> JobFilter {
    JobFilter {
        kinds: JOBS,
        statuses: statuses.to_vec(),
        with_retried: true,
        ..JobFilter::default()
    }
}

async fn show(
    app: App, viewer: Viewer, address: Address, query: Params<Query>, paging: Paging,
) -> Result<Response> {
    let page = page(&app, &viewer, "Jobs");
    let view = app.read(move |tx: &mut Tx<'_>| {
        let here = Here::find(tx, &viewer, &address)?;
        let url = here.url("jobs");
        let known = SCOPES.iter().find(|(_, scope, _)| *scope == &*query.scope);
        let (_, scope, statuses) = known.unwrap_or(&SCOPES[0]);
        let (mut jobs, total) = lists::jobs(tx, here.project.id, &filter(statuses), &paging)?;
        jobs.truncate(usize::try_from(paging.per_page).unwrap_or(usize::MAX));
        let now = tx.now();
        let at = |word: &str| filtered(&url, &[("scope", word)]);
        let tab = |(label, word, _): &(&str, &str, _)| Tab::new(label, at(word), word == scope);
        let row = |job| Row::of(job, format!("{url}/{}", job.id), now);
        Ok(View {
            can_run: here.can_run,
            tabs: SCOPES.iter().map(tab).collect(),
            rows: jobs.iter().map(row).collect(),
            now,
            pages: Pages::of(&paging, total, at(scope)),
            page: here.head.page(page, Section::Jobs),
        })
    });
    Ok(Html::new(&view.await?)?.response())
}
