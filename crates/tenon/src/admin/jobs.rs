//! `/admin/jobs`: what waits, what runs, what gave up.

use super::page;
use askama::Template;
use http::Method;
use identity::Admin;
use incoming::tries::{self, SetAside};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui::{self, Tab};
use kernel::html::{Html, Moment, Page, Pages, flash};
use kernel::http::params::one_of;
use kernel::http::{Params, Response, Routes};
use kernel::jobs::{self, Counts, Listed};
use kernel::time::Timestamp;

const PER_PAGE: i64 = 50;
/// The states of jobs that tabs list, and what the tabs are called.
const TABS: [(&str, &str); 4] =
    [("", "All"), ("queued", "Queued"), ("running", "Running"), ("failed", "Failed")];

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

#[derive(Template)]
#[template(path = "admin_jobs.html")]
struct AdminJobs {
    page: Page,
    /// The one shown: empty for all, `queued`, `running`, `failed`.
    state: &'static str,
    counts: Counts,
    jobs: Vec<Listed>,
    /// Mails that came in and that a person has to look at.
    mails: Vec<SetAside>,
    now: Timestamp,
    pages: Pages,
}

impl AdminJobs {
    fn filters(&self) -> Vec<Tab> {
        let tab = |(state, label): (&str, &str)| {
            let url = format!("/admin/jobs?state={state}");
            Tab::new(label, url, self.state == state).count(count(&self.counts, state))
        };
        TABS.map(tab).into()
    }

    fn set_aside(&self, mail: &SetAside) -> Moment {
        Moment::new(mail.set_aside_at.unwrap_or(self.now), self.now)
    }

    fn due(&self, job: &Listed) -> Moment {
        Moment::new(job.run_at, self.now)
    }

    /// Steps done and in all, where these are known.
    fn progress(&self, job: &Listed) -> Option<(u64, u64)> {
        let steps = |number: Option<i64>| number.unwrap_or(0).max(0).unsigned_abs();
        let total = steps(job.progress_total);
        (total > 0).then(|| (steps(job.progress_done), total))
    }
}

/// How many jobs a tab lists.
fn count(counts: &Counts, state: &str) -> u64 {
    match state {
        "queued" => counts.queued,
        "running" => counts.running,
        "failed" => counts.failed,
        _ => counts.queued + counts.running + counts.failed,
    }
}

async fn list(app: App, admin: Admin, shown: Params<JobFilter>) -> Result<Response> {
    let state = one_of("state", shown.state.as_deref(), &TABS)?;
    let number = shown.page.unwrap_or(1).clamp(1, 1_000_000);
    let (rows, counts, mails) = app
        .read(move |tx| {
            let offset = (number - 1) * PER_PAGE;
            let rows = jobs::list(tx, state, PER_PAGE, offset)?;
            Ok((rows, jobs::counts(tx)?, tries::list(tx)?))
        })
        .await?;
    let view = AdminJobs {
        page: page(&app, &admin, "Jobs"),
        jobs: rows,
        mails,
        now: app.now(),
        pages: Pages {
            page: number.unsigned_abs(),
            per_page: PER_PAGE.unsigned_abs(),
            total: count(&counts, state),
            url: format!("/admin/jobs?state={state}"),
        },
        counts,
        state,
    };
    Ok(Html::new(&view)?.response())
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
    kernel::audit::record(tx, admin.0.as_ref(), action, ("Job", id, &name), serde_json::json!({}))
}

fn back(app: &App, done: bool, text: &str) -> Result<Response> {
    match done {
        true => flash::done(app, "/admin/jobs", text),
        false => flash::refused(app, "/admin/jobs", "The job runs already."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(id: i64, name: &str, state: &str, error: Option<&str>) -> Listed {
        let now = Timestamp::UNIX_EPOCH;
        Listed {
            id,
            name: name.into(),
            state: state.into(),
            attempts: id,
            run_at: now,
            progress_done: (state == "running").then_some(640),
            progress_total: (state == "running").then_some(1000),
            last_error: error.map(str::to_owned),
            created_at: now,
        }
    }

    #[test]
    fn jobs_page_escapes_and_offers_retry() {
        let view = AdminJobs {
            page: Page { csrf: "tok\"en".into(), ..Page::new("Jobs") },
            state: "",
            counts: Counts { queued: 12, running: 1, failed: 1 },
            jobs: vec![
                job(3, "packages.purge", "running", None),
                job(4, "mail.send", "failed", Some("<b>connection refused</b>")),
                job(9, "projects.destroy", "queued", None),
            ],
            mails: vec![SetAside {
                uid: 7,
                error: Some("<b>no room</b>".into()),
                set_aside_at: Some(Timestamp::UNIX_EPOCH),
            }],
            now: Timestamp::UNIX_EPOCH,
            pages: Pages {
                page: 1,
                per_page: 3,
                total: 14,
                url: "/admin/jobs?state=".into(),
            },
        };
        let html = view.render().expect("it renders");

        assert!(!html.contains(" style=") && !html.contains(" onclick="));
        assert!(html.contains("/admin/jobs/4/retry"));
        assert!(!html.contains("<b>connection") && !html.contains("<b>no room"));
        assert!(html.contains("Mails set aside"));
        assert!(!html.contains("tok\"en"));
        assert!(html.contains("/admin/jobs?state=&#38;page=2"));
    }
}
