//! The tests of a pipeline, out of what its jobs brought.

use super::junit::{self, Case, Cases, Outcome, Wrong};
use crate::pipelines::model::Pipeline;
use crate::pipelines::store::jobs::latest;
use crate::runners::store::artifacts::{self, Artifact};
use ::store::Tx;
use flate2::read::MultiGzDecoder;
use indexmap::IndexMap;
use kernel::app::App;
use kernel::error::{Error, Result};
use std::io::{Read, Seek, SeekFrom};
use std::sync::LazyLock;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Bytes of one report when it is unpacked.
const MOST: u64 = 32 * 1024 * 1024;
/// Reports of one pipeline that are read.
const MOST_REPORTS: usize = 500;
/// Bytes of all tests of a pipeline that are shown together.
const MOST_TOGETHER: usize = 16 * 1024 * 1024;
/// Pipelines whose reports are read at once: each takes a core and some memory.
static TURNS: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(2));
/// How long somebody waits for a turn.
const WAIT: Duration = Duration::from_secs(10);

/// A report that a job brought.
#[derive(Debug, Clone)]
pub struct Brought {
    pub job_id: i64,
    /// What the instances of a parallel job share.
    pub group: String,
    pub file: Artifact,
}

/// All that the jobs of a pipeline brought and that is still there.
pub fn brought(tx: &mut Tx<'_>, pipeline: &Pipeline) -> Result<Vec<Brought>> {
    let jobs = latest(tx, pipeline.id)?;
    let now = tx.now();
    let files = artifacts::of_jobs(tx, jobs.iter().map(|job| job.id).collect())?;
    let reports = files.into_iter().filter(|file| file.file_type == "junit" && file.is_there(now));
    let report = |file: Artifact| {
        let job = jobs.iter().find(|job| job.id == file.job_id)?;
        Some(Brought {
            job_id: job.id,
            group: pipeline_file::group_name(&job.name).to_owned(),
            file,
        })
    };
    Ok(reports.filter_map(report).take(MOST_REPORTS).collect())
}

/// The tests of the jobs of a group.
#[derive(Debug, Default)]
pub struct Suite {
    pub name: String,
    pub job_ids: Vec<i64>,
    pub cases: Cases,
    /// Why its tests are not known.
    pub error: Option<String>,
}

impl Suite {
    pub fn count(&self, outcome: Outcome) -> usize {
        self.cases.values().filter(|case| case.outcome == outcome).count()
    }

    pub fn time(&self) -> f64 {
        self.cases.values().map(|case| case.time).sum()
    }

    /// Adds what a report has, as long as there is room for it.
    fn add_within(
        &mut self, room: &mut usize, job_id: i64, read: std::result::Result<Cases, Wrong>,
    ) {
        let fitting = read.and_then(|cases| match room.checked_sub(size(&cases)) {
            Some(left) => {
                *room = left;
                Ok(cases)
            }
            None => Err(Wrong("The reports of this pipeline are too large together".into())),
        });
        self.add(job_id, fitting);
    }

    fn add(&mut self, job_id: i64, read: std::result::Result<Cases, Wrong>) {
        self.job_ids.push(job_id);
        match read {
            Ok(cases) => self.cases.extend(cases),
            Err(Wrong(text)) => self.error = Some(text),
        }
        if self.error.is_some() {
            self.cases.clear();
        }
    }
}

/// Bytes of the texts of some cases.
fn size(cases: &Cases) -> usize {
    let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let case = |it: &Case| {
        let others = [&it.class, &it.file, &it.output, &it.attachment].map(length);
        size_of::<Case>() + it.name.len() + others.iter().sum::<usize>()
    };
    cases.values().map(case).sum()
}

/// The suites of a pipeline, by their names.
///
/// # Errors
///
/// [`Error::Unavailable`] where too many are read at once.
pub async fn suites(app: &App, brought: Vec<Brought>) -> Result<Vec<Suite>> {
    let turn = tokio::time::timeout(WAIT, TURNS.acquire()).await;
    let busy = |_| Error::Unavailable("Too many test reports are read. Please try again.".into());
    let _turn = turn.map_err(busy)?.map_err(Error::internal)?;
    let mut room = MOST_TOGETHER;
    let mut suites: IndexMap<String, Suite> = IndexMap::new();
    for report in brought {
        let read = report_of(app, &report.file).await?;
        let suite = suites
            .entry(report.group.clone())
            .or_insert_with(|| Suite { name: report.group, ..Suite::default() });
        suite.add_within(&mut room, report.job_id, read);
    }
    suites.sort_keys();
    Ok(suites.into_values().collect())
}

async fn report_of(app: &App, file: &Artifact) -> Result<std::result::Result<Cases, Wrong>> {
    let (_, bytes) = app.blobs().get(&file.blob_key, None).await?;
    let received = app.blobs().receive(bytes, None).await?;
    let read = move || {
        let mut file = received.open()?;
        file.seek(SeekFrom::Start(0))?;
        Ok(unpacked(file).and_then(|text| junit::parse(&text)))
    };
    tokio::task::spawn_blocking(read).await.map_err(Error::internal)?
}

/// The text of a report; runners pack each of its files by itself.
fn unpacked(packed: impl Read) -> std::result::Result<String, Wrong> {
    let mut bytes = Vec::new();
    let unpacked = MultiGzDecoder::new(packed).take(MOST + 1).read_to_end(&mut bytes);
    if unpacked.is_err() {
        return Err(Wrong("JUnit XML parsing failed: it is not packed as it should be".into()));
    }
    match bytes.len() as u64 > MOST {
        true => Err(Wrong("JUnit XML parsing failed: it is too large".into())),
        false => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_have_one_room_together() {
        let text = "<testsuite><testcase name=\"a\"/><testcase name=\"b\"/></testsuite>";
        let cases = || junit::parse(text);
        let mut room = size(&cases().expect("a report"));
        let (mut first, mut second) = (Suite::default(), Suite::default());
        first.add_within(&mut room, 1, cases());
        second.add_within(&mut room, 2, cases());
        assert_eq!((first.cases.len(), first.error, room), (2, None, 0));
        assert!(second.cases.is_empty() && second.error.is_some(), "{second:?}");
    }
}
