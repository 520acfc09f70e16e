//! The bills of materials that the jobs of a pipeline brought, one after the other. A
//! runner packs each file of a report by itself, so a report may hold several.

use crate::runners::store::artifacts::{self, Artifact};
use ::store::{Tx, sql};
use flate2::bufread::GzDecoder;
use kernel::app::App;
use kernel::blobs::Received;
use kernel::error::{Error, Result};
use sbom::model::Bom;
use sbom::read::{Limits, Wrong, read};
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::sync::LazyLock;
use tokio::sync::Semaphore;

/// The type of the files that have them.
pub const REPORT: &str = "cyclonedx";
/// Bytes of a report when it is unpacked.
pub const MOST: u64 = 100 * 1024 * 1024;
/// Reports of one pipeline that are read.
const MOST_REPORTS: usize = 500;
/// Bills that are read at once: each takes a core and much memory.
static TURNS: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(2));

/// A report that a job brought.
#[derive(Debug, Clone)]
pub struct Report {
    pub pipeline_id: i64,
    pub job_id: i64,
    pub file: Artifact,
}

/// A pipeline and the children of its project below it; what was run again counts once.
pub fn family(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "with recursive family (id) as (
                select ci_pipelines.id from ci_pipelines where ci_pipelines.id = $1
                union
                select child.id from ci_pipelines child
                    join family on family.id = child.parent_pipeline_id
                    join ci_jobs on ci_jobs.downstream_pipeline_id = child.id
                        and not ci_jobs.retried)
             select id from family order by id"
        ),
        (pipeline_id,),
    )?)
}

/// What the jobs of a pipeline and its children brought and that is still there.
pub fn reports(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<Vec<Report>> {
    let family = family(tx, pipeline_id)?;
    let jobs: HashMap<i64, i64> = tx
        .all::<(i64, i64)>(
            sql!(
                "select ci_jobs.id, ci_jobs.pipeline_id from ci_jobs
                 where ci_jobs.pipeline_id in_list($1) and not ci_jobs.retried
                   and exists (select 1 from ci_artifacts a
                      where a.job_id = ci_jobs.id and a.file_type = $2)"
            ),
            (family, REPORT),
        )?
        .into_iter()
        .collect();
    let now = tx.now();
    let files = artifacts::of_jobs(tx, jobs.keys().copied().collect())?.into_iter();
    let fitting = files.filter(|file| file.file_type == REPORT && file.is_there(now));
    let report = |file: Artifact| {
        let pipeline_id = *jobs.get(&file.job_id)?;
        Some(Report { pipeline_id, job_id: file.job_id, file })
    };
    let mut found: Vec<Report> = fitting.filter_map(report).collect();
    found.sort_by_key(|report| (report.pipeline_id, report.file.id));
    found.truncate(MOST_REPORTS);
    Ok(found)
}

/// Whether jobs of a pipeline brought reports at all.
pub fn has_reports(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<bool> {
    let one: Option<i64> = tx.optional(
        sql!(
            "select ci_artifacts.id from ci_artifacts
                join ci_jobs on ci_jobs.id = ci_artifacts.job_id
             where ci_jobs.pipeline_id = $1 and not ci_jobs.retried
               and ci_artifacts.file_type = $2 limit 1"
        ),
        (pipeline_id, REPORT),
    )?;
    Ok(one.is_some())
}

/// The bills of one file, packed or not.
pub struct Boms {
    /// None once there is nothing more to be read.
    rest: Option<Rest>,
}

struct Rest {
    /// The bytes are gone when this is.
    _received: Received,
    reader: BufReader<File>,
    is_packed: bool,
    /// Bytes that may still be unpacked.
    left: u64,
}

impl Boms {
    pub async fn open(app: &App, blob_key: &str, is_packed: bool) -> Result<Boms> {
        let (_, bytes) = app.blobs().get(blob_key, None).await?;
        let received = app.blobs().receive(bytes, None).await?;
        let reader = BufReader::new(received.open()?);
        Ok(Boms {
            rest: Some(Rest { _received: received, reader, is_packed, left: MOST }),
        })
    }

    /// The next one; after one that cannot even be unpacked there are no more.
    ///
    /// # Errors
    ///
    /// Where the server cannot read it: what is wrong with a bill is an answer.
    pub async fn next(&mut self) -> Result<Option<std::result::Result<Bom, Wrong>>> {
        let Some(rest) = self.rest.take() else {
            return Ok(None);
        };
        let _turn = TURNS.acquire().await.map_err(Error::internal)?;
        let read = tokio::task::spawn_blocking(move || rest.step());
        let (rest, found) = read.await.map_err(Error::internal)?;
        self.rest = rest;
        Ok(found)
    }
}

type Step = (Option<Rest>, Option<std::result::Result<Bom, Wrong>>);

impl Rest {
    fn step(mut self) -> Step {
        match self.unpacked() {
            Err(wrong) => (None, Some(Err(wrong))),
            Ok(None) => (None, None),
            Ok(Some((name, bytes))) => {
                let found = read(&bytes, &Limits::default());
                let found = found.map_err(|Wrong(text)| Wrong(named(name.as_deref(), &text)));
                (Some(self), Some(found))
            }
        }
    }

    /// The next file and its name, if it has one.
    fn unpacked(&mut self) -> std::result::Result<Option<(Option<String>, Vec<u8>)>, Wrong> {
        let is_over = self.reader.fill_buf().map_err(|_| broken())?.is_empty();
        if is_over {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        let mut name = None;
        let most = self.left + 1;
        if self.is_packed {
            let mut member = GzDecoder::new(&mut self.reader);
            member.by_ref().take(most).read_to_end(&mut bytes).map_err(|_| broken())?;
            name = member.header().and_then(|header| header.filename()).map(plain);
        } else {
            let mut whole = self.reader.by_ref().take(most);
            whole.read_to_end(&mut bytes).map_err(|_| broken())?;
        }
        match self.left.checked_sub(bytes.len() as u64) {
            Some(left) => self.left = left,
            None => return Err(too_large()),
        }
        Ok(Some((name, bytes)))
    }
}

/// A name as messages show it: the last part, without what cannot be printed.
fn plain(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    let last = text.rsplit(['/', '\\']).next().unwrap_or_default();
    last.chars().filter(|c| !c.is_control()).take(100).collect()
}

fn named(name: Option<&str>, text: &str) -> String {
    match name.filter(|name| !name.is_empty()) {
        Some(name) => format!("{name}: {text}"),
        None => text.to_owned(),
    }
}

fn broken() -> Wrong {
    Wrong("The report is not packed with gzip, or was cut off.".into())
}

fn too_large() -> Wrong {
    let mib = MOST / 1024 / 1024;
    Wrong(format!("The report has more than {mib} MiB when it is unpacked."))
}

/// All bills of a pipeline and its children.
pub struct PipelineBoms {
    app: App,
    waiting: VecDeque<Report>,
    open: Option<(Report, Boms)>,
}

/// A bill with where it comes from; or what is wrong with it.
pub type Found = (Report, std::result::Result<Bom, Wrong>);

/// Opens all bills of a pipeline and its children: those of jobs that were not run again
/// and whose files are still there. They are read one at a time, by [`PipelineBoms::next`].
pub async fn boms_of_pipeline(app: &App, pipeline_id: i64) -> Result<PipelineBoms> {
    let found = app.read(move |tx| reports(tx, pipeline_id)).await?;
    Ok(PipelineBoms::of(app, found))
}

impl PipelineBoms {
    pub fn of(app: &App, reports: Vec<Report>) -> PipelineBoms {
        PipelineBoms { app: app.clone(), waiting: reports.into(), open: None }
    }

    /// The next one, with the report that has it.
    pub async fn next(&mut self) -> Result<Option<Found>> {
        loop {
            if let Some((report, boms)) = &mut self.open {
                match boms.next().await? {
                    Some(found) => return Ok(Some((report.clone(), found))),
                    None => self.open = None,
                }
            }
            let Some(report) = self.waiting.pop_front() else {
                return Ok(None);
            };
            let boms = Boms::open(&self.app, &report.file.blob_key, true).await?;
            self.open = Some((report, boms));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_shown_without_their_folders() {
        assert_eq!(plain(b"../../etc/a.json\n"), "a.json");
        assert_eq!(named(Some("a.json"), "It is wrong"), "a.json: It is wrong");
        assert_eq!(named(None, "It is wrong"), "It is wrong");
    }
}
