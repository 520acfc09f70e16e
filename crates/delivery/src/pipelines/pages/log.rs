//! Logs on pages: a part of one with its colours, what comes after it, and all of its
//! bytes.

use super::job::One;
use super::{Here, below};
use crate::formats::log;
use crate::pipelines::model::Job;
use crate::pipelines::status::Status;
use crate::runners::left::sent_log;
use crate::runners::reading::{Found, Log, Part};
use crate::runners::store::traces;
use ::store::Tx;
use askama::Template;
use askama::filters::HtmlSafe;
use http::{HeaderName, HeaderValue, Method, StatusCode};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Params, RequestContext, Response, Routes, reply};
use spaces::pages::Address;
use std::sync::Arc;

/// Letters of what is searched for.
const LONGEST: usize = 200;
/// Bytes before a line that was found, so that it is seen among others.
const AROUND: i64 = 4_096;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &below("jobs/{job_id}/raw"), raw);
    r.page(Method::GET, &below("jobs/{job_id}/log"), more);
}

/// The log of a job as it is now.
pub fn of_job(tx: &mut Tx<'_>, job: &Job) -> Result<Log> {
    let size = traces::size(tx, job.id)?;
    Ok(Log { job_id: job.id, size, grows: grows(job.status) })
}

/// Whether more may be written.
fn grows(status: Status) -> bool {
    !status.is_finished()
}

async fn raw(
    app: App, request: Arc<RequestContext>, viewer: Viewer, address: Address, one: Params<One>,
) -> Result<Response> {
    let found = app.read(move |tx| {
        let here = Here::find(tx, &viewer, &address)?;
        let (_, job) = here.job(tx, one.job_id)?;
        of_job(tx, &job)
    });
    let log = found.await?;
    sent_log(app, &request, log.job_id, log.size.unsigned_abs())
}

kernel::params! {
    pub struct Since {
        pub job_id: i64,
        /// Where it begins.
        pub from: i64,
    }
}

/// Headers that tell where the next part begins, and whether to ask for one.
const ENDS: HeaderName = HeaderName::from_static("x-log-ends");
const STATUS: HeaderName = HeaderName::from_static("x-job-status");

/// What was written since, as lines.
async fn more(
    app: App, viewer: Viewer, address: Address, asked: Params<Since>,
) -> Result<Response> {
    let found = app.read(move |tx| {
        let here = Here::find(tx, &viewer, &address)?;
        let (_, job) = here.job(tx, asked.job_id)?;
        let part = of_job(tx, &job)?.part(tx, Some(asked.from))?;
        Ok((part, job.status))
    });
    let (part, status) = found.await?;
    let mut response = reply::text(StatusCode::OK, log::show(&part.bytes, part.first).html);
    let headers = response.headers_mut();
    headers.insert(http::header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(http::header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(ENDS, HeaderValue::from(part.ends));
    let word = if grows(status) { "running" } else { "finished" };
    headers.insert(STATUS, HeaderValue::from_static(word));
    Ok(response)
}

/// A line that was found, and where it is shown.
struct Hit {
    number: u64,
    text: String,
    url: String,
}

/// A part of a log on the page of its job.
#[derive(Template)]
#[template(path = "ui/ci_log.html")]
pub struct LogView {
    url: String,
    lines: String,
    search: String,
    hits: Option<Vec<Hit>>,
    /// Where the search goes on.
    further: Option<String>,
    earlier: Option<String>,
    later: Option<String>,
    size: u64,
    /// Where what comes next is asked for, while the job goes on.
    follow: Option<String>,
}

impl HtmlSafe for LogView {}

/// What of a log is asked for.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub from: Option<i64>,
    pub search: String,
}

impl LogView {
    pub fn read(tx: &mut Tx<'_>, log: Log, wanted: &Wanted, url: &str) -> Result<LogView> {
        let search: String = wanted.search.chars().take(LONGEST).collect();
        let from = wanted.from.map(|from| from.max(0));
        let found = match search.trim().is_empty() {
            true => None,
            false => Some(log.find(tx, &search, from.unwrap_or(0))?),
        };
        let place = match &found {
            // The first line that was found is seen at once.
            Some(found) => found.lines.first().map(|line| (line.at - AROUND).max(0)),
            None => from,
        };
        let part = log.part(tx, place)?;
        Ok(LogView::new(log, part, (search, found), url))
    }

    fn new(log: Log, part: Part, (search, found): (String, Option<Found>), url: &str) -> LogView {
        let at = |from: i64| format!("{url}?from={from}");
        let further = found.as_ref().and_then(|found| found.next).map(|next| {
            let from = next.to_string();
            spaces::pages::filtered(url, &[("search", &search), ("from", &from)])
        });
        let hit = |line: crate::runners::reading::FoundLine| Hit {
            url: format!("{}#L{}", at((line.at - AROUND).max(0)), line.number),
            number: line.number,
            text: line.text,
        };
        let step = part.bytes.len().max(1) as i64;
        LogView {
            lines: log::show(&part.bytes, part.first).html,
            hits: found.map(|found| found.lines.into_iter().map(hit).collect()),
            further,
            earlier: (part.begins > 0).then(|| at((part.begins - step).max(0))),
            later: (part.ends < log.size && !log.grows).then(|| at(part.ends)),
            size: log.size.unsigned_abs(),
            follow: log.grows.then(|| format!("{url}/log?from={}", part.ends)),
            url: url.to_owned(),
            search,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_leads_to_its_neighbours() {
        let log = Log { job_id: 1, size: 100, grows: false };
        let part = Part { begins: 30, ends: 60, first: 4, bytes: vec![b'x'; 30] };
        let view = LogView::new(log, part.clone(), (String::new(), None), "/j/1");
        assert_eq!(view.earlier.as_deref(), Some("/j/1?from=0"));
        assert_eq!(view.later.as_deref(), Some("/j/1?from=60"));
        assert_eq!(view.follow, None);
        let growing = LogView::new(Log { grows: true, ..log }, part, (String::new(), None), "/j/1");
        assert_eq!(growing.follow.as_deref(), Some("/j/1/log?from=60"));
        assert_eq!(growing.later, None);
    }
}
