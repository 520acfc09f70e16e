//! `…/-/pipelines/ID`: one pipeline as a picture, as a list of jobs, what of it failed, and
//! its tests.

use super::graph::{Drawn, Graph};
use super::parts::{StatusMark, short, took, who};
use super::tests_of::TestsView;
use super::{Here, below, titles};
use crate::dependencies::model::Problem;
use crate::dependencies::store::problems;
use crate::formats::log::{clock, plain};
use crate::pipelines::access::repository;
use crate::pipelines::entity::between;
use crate::pipelines::hooks::{self, RequestLink};
use crate::pipelines::jobs::{is_retryable, retry_pipeline};
use crate::pipelines::model::{Job, Pipeline, RunWhen};
use crate::pipelines::rules;
use crate::pipelines::status::Status;
use crate::pipelines::store::{jobs as job_rows, pipelines as rows, progress};
use crate::reports::{brought, suites};
use crate::runners::store::artifacts::have_type;
use crate::runners::store::traces::ends;
use ::store::{Tx, grouped};
use askama::Template;
use http::Method;
use identity::User;
use identity::entities::load_basic;
use identity::pages::page;
use identity::viewer::Viewer;
use jiff::Timestamp;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::{self, Tab};
use kernel::html::{Errors, Page};
use kernel::http::{Paging, Params, Response, Routes, Text};
use spaces::access::Purpose;
use spaces::pages::{Address, Section, Visit};

/// Failed jobs whose ends are shown, and lines of each.
const MOST_ENDS: usize = 20;
const LINES: usize = 15;
/// Reports that are named which could not be read.
const MOST_PROBLEMS: i64 = 10;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &below("pipelines/{pipeline_id}"), show);
    r.page(Method::POST, &below("pipelines/{pipeline_id}"), change);
    r.page(Method::GET, &below("pipelines/{pipeline_id}/builds"), jobs);
    r.page(Method::GET, &below("pipelines/{pipeline_id}/failures"), failures);
    r.page(Method::GET, &below("pipelines/{pipeline_id}/test_report"), tests);
}

kernel::params! {
    pub struct One {
        pub pipeline_id: i64,
    }
}

kernel::params! {
    pub struct OfTests {
        pub pipeline_id: i64,
        /// The suite whose tests are shown; unless said, those of all that failed.
        pub suite: Text,
    }
}

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Action as "PipelineAction" {
        Retry = "retry",
        Cancel = "cancel",
        Delete = "delete",
        Rename = "rename",
    }
}

kernel::params! {
    pub struct Form {
        pub pipeline_id: i64,
        pub action: Action,
        pub name: Text,
    }
}

/// What of a pipeline is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Graph,
    Jobs,
    Failures,
    Tests,
}

#[derive(Clone)]
struct PipelinePage {
    viewer: Viewer,
    address: Address,
    id: i64,
    part: Part,
    /// The first line of the message of its commit.
    title: Option<String>,
    /// Where they are shown.
    tests: Option<TestsView>,
}

impl PipelinePage {
    async fn find(
        app: &App, (viewer, address): (Viewer, Address), id: i64, part: Part,
    ) -> Result<PipelinePage> {
        let (by, at) = (viewer.clone(), address.clone());
        let read = app.read(move |tx| {
            let here = Here::find(tx, &by, &at)?;
            let pipeline = here.pipeline(tx, id)?;
            Ok((pipeline.sha, repository(tx, &here.project)?))
        });
        let (sha, repository) = read.await?;
        let mut titles = titles(app, repository.as_ref(), std::iter::once(sha.as_str())).await?;
        Ok(PipelinePage {
            title: titles.remove(&sha),
            tests: None,
            viewer,
            address,
            id,
            part,
        })
    }

    /// The same with its tests, which stand in files.
    async fn with_tests(self, app: &App, suite: &str, paging: &Paging) -> Result<PipelinePage> {
        let (by, at, id) = (self.viewer.clone(), self.address.clone(), self.id);
        let read = app.read(move |tx| {
            let here = Here::find(tx, &by, &at)?;
            let pipeline = here.pipeline(tx, id)?;
            Ok((here.url(&format!("pipelines/{id}/test_report")), brought(tx, &pipeline)?))
        });
        let (url, reports) = read.await?;
        let suites = suites(app, reports).await?;
        let tests = TestsView::of(&suites, (&url, suite), paging);
        Ok(PipelinePage { tests: Some(tests), ..self })
    }
}

async fn shown(app: App, of: (Viewer, Address), id: i64, part: Part) -> Result<Response> {
    let page = PipelinePage::find(&app, of, id, part).await?;
    form::show(&app, page).await
}

async fn show(app: App, viewer: Viewer, address: Address, one: Params<One>) -> Result<Response> {
    shown(app, (viewer, address), one.pipeline_id, Part::Graph).await
}

async fn jobs(app: App, viewer: Viewer, address: Address, one: Params<One>) -> Result<Response> {
    shown(app, (viewer, address), one.pipeline_id, Part::Jobs).await
}

async fn failures(
    app: App, viewer: Viewer, address: Address, one: Params<One>,
) -> Result<Response> {
    shown(app, (viewer, address), one.pipeline_id, Part::Failures).await
}

async fn tests(
    app: App, viewer: Viewer, address: Address, of: Params<OfTests>, paging: Paging,
) -> Result<Response> {
    let page = PipelinePage::find(&app, (viewer, address), of.pipeline_id, Part::Tests).await?;
    let page = page.with_tests(&app, &of.suite, &paging).await?;
    form::show(&app, page).await
}

async fn change(app: App, visit: Visit, form: Params<Form>) -> Result<Response> {
    let of = (visit.viewer, visit.address);
    let page = PipelinePage::find(&app, of, form.pipeline_id, Part::Graph).await?;
    form::submit(&app, page, form.0).await
}

impl FormPage for PipelinePage {
    type Form = Form;
    type View = View;
    const FIELDS: &'static [&'static str] = &["name"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.viewer, &format!("Pipeline #{}", self.id))
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<View> {
        let here = Here::find(tx, &self.viewer, &self.address)?;
        let pipeline = here.pipeline(tx, self.id)?;
        let jobs = job_rows::latest(tx, pipeline.id)?;
        let content = self.content(tx, &here, &jobs)?;
        let people = load_basic(tx, &pipeline.user_id.into_iter().collect::<Vec<_>>())?;
        let can_run = here.may_run(tx, &self.viewer, &pipeline)?;
        let again = [Status::Failed, Status::Canceled, Status::Skipped];
        Ok(View {
            page: here.head.page_below(page, Section::Pipelines),
            url: here.url(&format!("pipelines/{}", pipeline.id)),
            project_url: here.head.url.clone(),
            tabs: self.tabs(tx, &here, &jobs)?,
            user: pipeline.user_id.and_then(|id| people.get(&id).cloned()),
            can_retry: can_run && jobs.iter().any(|job| again.contains(&job.status)),
            can_cancel: can_run && !pipeline.status.is_finished(),
            can_delete: rules::may_destroy(tx, &self.viewer, &here.project)?,
            can_name: can_run,
            request: hooks::links(tx, &self.viewer, std::slice::from_ref(&pipeline))?
                .into_values()
                .next(),
            above: pipeline.parent_pipeline_id.map(|id| here.url(&format!("pipelines/{id}"))),
            coverage: rows::coverage(tx, pipeline.id)?,
            left_out: problems::first(tx, self.id, MOST_PROBLEMS)?,
            title: self.title.clone(),
            now: tx.now(),
            name: match &typed.form {
                Some(form) => form.name.to_string(),
                None => pipeline.name.clone().unwrap_or_default(),
            },
            errors: typed.errors.clone(),
            pipeline,
            content,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let viewer = &self.viewer;
        let here = Here::find(tx, viewer, &self.address)?;
        let pipeline = here.pipeline(tx, self.id)?;
        let url = here.url(&format!("pipelines/{}", pipeline.id));
        if form.action == Action::Delete {
            rules::destroy(tx, viewer, (&here.project, &pipeline))?;
            return Outcome::led(here.url("pipelines"), "Pipeline deleted.");
        }
        Here::to(tx, viewer, &self.address, Purpose::RunPipelines)?;
        here.check_run(tx, viewer, &pipeline)?;
        let text = match form.action {
            Action::Retry => {
                retry_pipeline(tx, pipeline.id, viewer.signed_in()?.user.id)?;
                "What did not pass runs again."
            }
            Action::Cancel => {
                rules::cancel(tx, &pipeline)?;
                "Pipeline canceled."
            }
            Action::Rename => {
                rules::rename(tx, &pipeline, &form.name)?;
                "Pipeline named."
            }
            Action::Delete => return Err(Error::internal("it was deleted above")),
        };
        Outcome::led(url, text)
    }
}

impl PipelinePage {
    fn tabs(&self, tx: &mut Tx<'_>, here: &Here, jobs: &[Job]) -> Result<Vec<Tab>> {
        let url = |path: &str| here.url(&format!("pipelines/{}{path}", self.id));
        let failed = jobs.iter().filter(|job| job.status == Status::Failed).count() as u64;
        let mut tabs = vec![
            Tab::new("Graph", url(""), self.part == Part::Graph),
            Tab::new("Jobs", url("/builds"), self.part == Part::Jobs).count(jobs.len() as u64),
        ];
        if failed > 0 || self.part == Part::Failures {
            let tab = Tab::new("Failed jobs", url("/failures"), self.part == Part::Failures);
            tabs.push(tab.count(failed));
        }
        let ids = jobs.iter().map(|job| job.id).collect();
        if self.part == Part::Tests || have_type(tx, ids, "junit")? {
            tabs.push(Tab::new("Tests", url("/test_report"), self.part == Part::Tests));
        }
        Ok(tabs)
    }

    fn content(&self, tx: &mut Tx<'_>, here: &Here, jobs: &[Job]) -> Result<Content> {
        let url = |id: i64| here.url(&format!("jobs/{id}"));
        let now = tx.now();
        Ok(match self.part {
            Part::Graph => {
                let mut needs = grouped(progress::needs(tx, self.id)?);
                let drawn = |job: &Job| {
                    Drawn::of(job, needs.remove(&job.id).unwrap_or_default(), url(job.id))
                };
                Content::Graph(Graph::of(jobs.iter().map(drawn).collect()))
            }
            Part::Jobs => {
                Content::Jobs(jobs.iter().map(|job| Row::of(job, url(job.id), now)).collect())
            }
            Part::Failures => {
                let failed: Vec<&Job> =
                    jobs.iter().filter(|job| job.status == Status::Failed).collect();
                let ids = failed.iter().take(MOST_ENDS).map(|job| job.id).collect();
                let ends = ends(tx, ids)?;
                let one = |job: &&Job| Failure {
                    row: Row::of(job, url(job.id), now),
                    end: ends.get(&job.id).map(|bytes| last_lines(bytes)),
                };
                Content::Failures(failed.iter().map(one).collect())
            }
            Part::Tests => Content::Tests(self.tests.clone()),
        })
    }
}

/// The last lines of a log as plain text.
fn last_lines(bytes: &[u8]) -> String {
    let lines: Vec<&[u8]> = bytes.trim_ascii_end().split(|byte| *byte == b'\n').collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    last.iter().map(|line| plain(line)).collect::<Vec<_>>().join("\n")
}

/// A job in a list.
pub struct Row {
    pub job: Job,
    pub url: String,
    pub took: Option<String>,
}

impl Row {
    pub fn of(job: &Job, url: String, now: Timestamp) -> Row {
        let until = job.finished_at.or(job.started_at.map(|_| now));
        let seconds = between(job.started_at, until);
        Row {
            job: job.clone(),
            url,
            took: seconds.map(|seconds| clock(seconds as u64)),
        }
    }

    pub fn mark(&self) -> StatusMark {
        StatusMark::of(self.job.status).at(&self.url)
    }

    /// What somebody can do to it at once.
    pub fn deed(&self) -> Option<(&'static str, &'static str)> {
        let waits = matches!(self.job.run_when, RunWhen::Manual | RunWhen::Delayed);
        match self.job.status {
            Status::Manual | Status::Scheduled if waits => Some(("play", "Run")),
            _ if is_retryable(&self.job) => Some(("retry", "Run again")),
            status if !status.is_finished() && status != Status::Canceling => {
                Some(("cancel", "Cancel"))
            }
            _ => None,
        }
    }

    pub fn reason(&self) -> Option<String> {
        self.job.failure_reason.map(|reason| reason.as_str().replace('_', " "))
    }
}

/// A job that failed, with the end of what it wrote.
pub struct Failure {
    row: Row,
    end: Option<String>,
}

pub enum Content {
    Graph(Graph),
    Jobs(Vec<Row>),
    Failures(Vec<Failure>),
    Tests(Option<TestsView>),
}

#[derive(Template)]
#[template(path = "pipeline.html")]
pub struct View {
    page: Page,
    url: String,
    project_url: String,
    pipeline: Pipeline,
    title: Option<String>,
    user: Option<User>,
    tabs: Vec<Tab>,
    content: Content,
    can_retry: bool,
    can_cancel: bool,
    can_delete: bool,
    can_name: bool,
    /// What it is of, if the viewer sees that.
    request: Option<RequestLink>,
    above: Option<String>,
    coverage: Option<f64>,
    /// Reports of jobs that could not be read.
    left_out: Vec<Problem>,
    name: String,
    errors: Errors,
    now: Timestamp,
}

impl View {
    fn mark(&self) -> StatusMark {
        StatusMark::of(self.pipeline.status)
    }

    fn sha(&self) -> &str {
        short(&self.pipeline.sha)
    }

    fn who(&self) -> Option<ui::PersonLink> {
        self.user.as_ref().map(who)
    }

    fn took(&self) -> Option<String> {
        took(&self.pipeline, self.now)
    }

    fn waited(&self) -> Option<String> {
        let seconds = between(Some(self.pipeline.created_at), self.pipeline.started_at);
        seconds.map(|seconds| clock(seconds as u64))
    }

    fn about(&self) -> String {
        let named = self.pipeline.name.clone().filter(|name| !name.is_empty());
        named.or(self.title.clone()).unwrap_or_default()
    }

    fn percent(&self) -> Option<String> {
        self.coverage.map(|percent| format!("{percent:.2} %"))
    }

    fn source(&self) -> String {
        self.pipeline.source.as_str().replace('_', " ")
    }

    fn request(&self) -> Option<(String, &RequestLink)> {
        self.request.as_ref().map(|one| (one.text(self.pipeline.project_id), one))
    }

    /// Whether its ref is one that the editor opens.
    fn is_of_branch(&self) -> bool {
        !self.pipeline.on_ref.starts_with("refs/")
    }
}
