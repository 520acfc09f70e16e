//! `…/-/jobs/ID`: one job, what it wrote, and what can be done to it.

use super::log::{LogView, Wanted, of_job};
use super::parts::{StatusMark, short, who};
use super::show::Row;
use super::{Here, below, typed_variables};
use crate::dependencies::model::Problem;
use crate::dependencies::store::problems;
use crate::formats::log::clock;
use crate::pipelines::entity::between;
use crate::pipelines::jobs::{cancel, is_retryable, retry};
use crate::pipelines::model::{Job, JobKind, Pipeline};
use crate::pipelines::rules;
use crate::pipelines::status::Status;
use crate::runners::left::{keep, may_change};
use crate::runners::store::artifacts::Artifact;
use crate::runners::{Related, why};
use crate::variables::may_override;
use ::store::Tx;
use askama::Template;
use http::Method;
use identity::User;
use identity::entities::load_basic;
use identity::pages::page;
use identity::viewer::Viewer;
use jiff::Timestamp;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui;
use kernel::html::{Errors, Page};
use kernel::http::{Params, Response, Routes, Text};
use kernel::secrets::Secrets;
use spaces::access::Purpose;
use spaces::pages::{Address, Section, Visit, filtered};

/// Reports that are named which could not be read.
const MOST_PROBLEMS: i64 = 10;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &below("jobs/{job_id}"), show);
    r.page(Method::POST, &below("jobs/{job_id}"), change);
}

kernel::params! {
    pub struct One {
        pub job_id: i64,
    }
}

kernel::params! {
    pub struct Asked {
        pub job_id: i64,
        /// Where in the log.
        pub from: Option<i64>,
        /// What is searched for in it.
        pub search: Text,
    }
}

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Action as "JobAction" {
        Retry = "retry",
        Cancel = "cancel",
        Play = "play",
        Erase = "erase",
        Keep = "keep",
    }
}

kernel::params! {
    pub struct Form {
        pub job_id: i64,
        pub action: Action,
        /// Of a job that is started: one a line.
        pub variables: Text,
    }
}

#[derive(Clone)]
struct JobPage {
    viewer: Viewer,
    address: Address,
    id: i64,
    wanted: Wanted,
    secrets: Secrets,
}

async fn show(
    app: App, viewer: Viewer, address: Address, asked: Params<Asked>,
) -> Result<Response> {
    let wanted = Wanted { from: asked.from, search: asked.search.to_string() };
    let secrets = app.secrets().clone();
    form::show(&app, JobPage { viewer, address, id: asked.job_id, wanted, secrets }).await
}

async fn change(app: App, visit: Visit, form: Params<Form>) -> Result<Response> {
    let page = JobPage {
        viewer: visit.viewer,
        address: visit.address,
        id: form.job_id,
        wanted: Wanted::default(),
        secrets: app.secrets().clone(),
    };
    form::submit(&app, page, form.0).await
}

impl FormPage for JobPage {
    type Form = Form;
    type View = View;
    const FIELDS: &'static [&'static str] = &["variables"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.viewer, "Job")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<View> {
        let (here, viewer) = (Here::find(tx, &self.viewer, &self.address)?, &self.viewer);
        let (pipeline, job) = here.job(tx, self.id)?;
        let url = here.url(&format!("jobs/{}", job.id));
        let related = Related::read(tx, std::slice::from_ref(&job))?;
        let people = load_basic(tx, &job.user_id.into_iter().collect::<Vec<_>>())?;
        let can_run = here.may_run(tx, viewer, &pipeline)?;
        let mut page = here.head.page_below(page, Section::Jobs);
        page.title.clone_from(&job.name);
        let log = of_job(tx, &job)?;
        let place = (&here.project, &job);
        Ok(View {
            log: (job.kind == JobKind::Build)
                .then(|| LogView::read(tx, log, &self.wanted, &url))
                .transpose()?,
            can_erase: can_run && rules::is_erasable(&job) && rules::may_erase(tx, viewer, place)?,
            can_give: can_run && may_override(tx, viewer, &here.project)?,
            can_keep: viewer.signed_in().is_ok() && may_change(tx, viewer, &here.project).is_ok(),
            pipeline_url: here.url(&format!("pipelines/{}", pipeline.id)),
            below: job.downstream_pipeline_id.map(|id| here.url(&format!("pipelines/{id}"))),
            project_url: here.head.url.clone(),
            user: job.user_id.and_then(|id| people.get(&id).cloned()),
            runner: related.runner(&job).map(|runner| {
                let named = runner.description.filter(|text| !text.is_empty());
                format!("#{} {}", runner.id, named.unwrap_or_default())
            }),
            archive: related.archive(job.id).cloned(),
            reports: related.files(job.id).filter(|file| is_report(file)).cloned().collect(),
            left_out: problems::of_job(tx, job.id, MOST_PROBLEMS)?,
            lacks: why(tx, &here.project, &job)?.map(|reason| reason.words(!job.tags.0.is_empty())),
            row: Row::of(&job, url.clone(), tx.now()),
            now: tx.now(),
            variables: typed.form.as_ref().map(|form| form.variables.to_string()),
            errors: typed.errors.clone(),
            page,
            url,
            can_run,
            job,
            pipeline,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let viewer = &self.viewer;
        let here = Here::find(tx, viewer, &self.address)?;
        let (pipeline, job) = here.job(tx, self.id)?;
        let to = |job: &Job| here.url(&format!("jobs/{}", job.id));
        if form.action == Action::Keep {
            keep(tx, viewer, (&here.project, &job))?;
            return Outcome::led(to(&job), "Its files are kept.");
        }
        Here::to(tx, viewer, &self.address, Purpose::RunPipelines)?;
        here.check_run(tx, viewer, &pipeline)?;
        let user_id = viewer.signed_in()?.user.id;
        let refused = |text: &str| Ok(Outcome::Refused(text.to_owned()));
        let (job, text) = match form.action {
            Action::Retry if !is_retryable(&job) => {
                return refused("This job cannot be run again");
            }
            Action::Erase if !rules::is_erasable(&job) => {
                return refused("There is nothing to erase, or not yet");
            }
            Action::Retry => (retry(tx, &job, user_id)?, "It runs again."),
            Action::Cancel => {
                cancel(tx, &job, false)?;
                (job, "Job canceled.")
            }
            Action::Play => {
                let given = typed_variables(&form.variables)?;
                let place = (&here.project, &job);
                (rules::play(tx, &self.secrets, viewer, place, &given)?, "Job started.")
            }
            Action::Erase => {
                (rules::erase(tx, viewer, (&here.project, &job))?, "Its log and files are gone.")
            }
            Action::Keep => (job, ""),
        };
        Outcome::led(to(&job), text)
    }

    fn refusal(error: kernel::error::Error) -> kernel::error::Error {
        form::rename(error, "base", "variables")
    }
}

/// Whether a file is a report, not the archive or the list of what that has.
fn is_report(file: &Artifact) -> bool {
    !matches!(file.file_type.as_str(), "archive" | "metadata" | "trace")
}

#[derive(Template)]
#[template(path = "job.html")]
pub struct View {
    page: Page,
    url: String,
    project_url: String,
    pipeline_url: String,
    below: Option<String>,
    job: Job,
    pipeline: Pipeline,
    row: Row,
    log: Option<LogView>,
    user: Option<User>,
    runner: Option<String>,
    archive: Option<Artifact>,
    reports: Vec<Artifact>,
    /// Lists of components that could not be read.
    left_out: Vec<Problem>,
    can_run: bool,
    can_give: bool,
    can_erase: bool,
    can_keep: bool,
    /// As they were typed, where they were refused.
    variables: Option<String>,
    errors: Errors,
    /// What runners lack for it, in words, while it waits for one.
    lacks: Option<&'static str>,
    now: Timestamp,
}

impl View {
    fn mark(&self) -> StatusMark {
        StatusMark::of(self.job.status)
    }

    fn sha(&self) -> &str {
        short(&self.pipeline.sha)
    }

    fn who(&self) -> Option<ui::PersonLink> {
        self.user.as_ref().map(who)
    }

    fn waited(&self) -> Option<String> {
        let until = self.job.started_at.or(self.job.queued_at.map(|_| self.now));
        let seconds = between(self.job.queued_at, until);
        seconds.map(|seconds| clock(seconds as u64))
    }

    /// Where its tests are, among those of its pipeline.
    fn tests_url(&self) -> String {
        let suite = pipeline_file::group_name(&self.job.name);
        filtered(&format!("{}/test_report", self.pipeline_url), &[("suite", suite)])
    }

    fn waits(&self) -> bool {
        matches!(self.job.status, Status::Manual | Status::Scheduled) && !self.job.retried
    }

    fn typed(&self) -> &str {
        self.variables.as_deref().unwrap_or_default()
    }

    fn percent(&self) -> Option<String> {
        self.job.coverage.map(|percent| format!("{percent:.2} %"))
    }

    fn size(&self, file: &Artifact) -> String {
        ui::bytes(file.size.unsigned_abs())
    }

    /// What it is waiting for, in words.
    fn wait(&self) -> Option<&'static str> {
        match self.job.status {
            Status::Created => Some("It waits for other jobs."),
            Status::Pending => Some("It waits for a runner that may take it."),
            Status::WaitingForResource => Some("Another job has what it needs alone."),
            Status::Manual => Some("It waits for somebody to start it."),
            Status::Scheduled => Some("It waits for its time."),
            Status::Canceling => Some("Its runner cleans up."),
            _ => None,
        }
    }
}
