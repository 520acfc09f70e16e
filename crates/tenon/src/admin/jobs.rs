//! `/admin/jobs`: what waits, what runs, what gave up.

use super::page;
use http::Method;
use identity::Admin;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::views::{AdminJobs, JobRow};
use kernel::html::{Html, Moment, Pages, flash};
use kernel::http::{Params, Response, Routes};
use kernel::jobs::{self, Listed};
use kernel::time::Timestamp;

const PER_PAGE: i64 = 50;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, "/admin/jobs", list);
    r.page(Method::POST, "/admin/jobs/{job_id}/retry", retry);
    r.page(Method::POST, "/admin/jobs/{job_id}/discard", discard);
}

kernel::params! {
    struct JobFilter {
        /// Only jobs of this state.
        state: Option<String>,
        page: Option<i64>,
    }
}

kernel::params! {
    struct One {
        job_id: i64,
    }
}

async fn list(app: App, admin: Admin, shown: Params<JobFilter>) -> Result<Response> {
    let state = shown.state.clone().unwrap_or_default();
    let number = shown.page.unwrap_or(1).clamp(1, 1_000_000);
    let filter = state.clone();
    let (rows, counts) = app
        .read(move |tx| {
            let offset = (number - 1) * PER_PAGE;
            Ok((
                jobs::list(tx, &filter, PER_PAGE, offset)?,
                jobs::counts(tx)?,
            ))
        })
        .await?;
    let now = app.now();
    let total = match state.as_str() {
        "queued" => counts.queued,
        "running" => counts.running,
        "failed" => counts.failed,
        _ => counts.queued + counts.running + counts.failed,
    };
    let view = AdminJobs {
        page: page(&app, &admin, "Jobs").crumb("Jobs", "/admin/jobs"),
        queued: counts.queued,
        running: counts.running,
        failed: counts.failed,
        jobs: rows.into_iter().map(|job| row(job, now)).collect(),
        pages: Pages {
            page: number.unsigned_abs(),
            per_page: PER_PAGE.unsigned_abs(),
            total,
            url: format!("/admin/jobs?state={}", known(&state)),
        },
        state,
    };
    Ok(Html::new(&view)?.response())
}

/// The state as it may stand in an address.
fn known(state: &str) -> &str {
    match state {
        "queued" | "running" | "failed" => state,
        _ => "",
    }
}

fn row(job: Listed, now: Timestamp) -> JobRow {
    let steps = |number: Option<i64>| number.unwrap_or(0).max(0).unsigned_abs();
    JobRow {
        id: job.id,
        name: job.name,
        state: job.state,
        attempts: job.attempts,
        run_at: Moment::new(job.run_at, now),
        done: steps(job.progress_done),
        total: steps(job.progress_total),
        error: job.last_error.unwrap_or_default(),
    }
}

async fn retry(app: App, admin: Admin, one: Params<One>) -> Result<Response> {
    let (id, registry) = (one.job_id, app.jobs().clone());
    let done = app
        .write(move |tx| {
            record(tx, &admin, "job.retry", id)?;
            jobs::retry(tx, &registry, id)
        })
        .await?;
    back(&app, done, "The job is due now.")
}

async fn discard(app: App, admin: Admin, one: Params<One>) -> Result<Response> {
    let id = one.job_id;
    let done = app
        .write(move |tx| {
            record(tx, &admin, "job.discard", id)?;
            jobs::discard(tx, id)
        })
        .await?;
    back(&app, done, "The job is discarded.")
}

fn record(tx: &mut store::Tx<'_>, admin: &Admin, action: &'static str, id: i64) -> Result<()> {
    let name = jobs::name(tx, id)?.ok_or(Error::NotFound("Job"))?;
    kernel::audit::record(
        tx,
        admin.0.as_ref(),
        action,
        ("Job", id, &name),
        serde_json::json!({}),
    )
}

fn back(app: &App, done: bool, text: &str) -> Result<Response> {
    match done {
        true => flash::done(app, "/admin/jobs", text),
        false => flash::refused(app, "/admin/jobs", "The job runs already."),
    }
}
