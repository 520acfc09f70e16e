//! A pipeline has ended: what its jobs brought is read, and is the list of its project if
//! the pipeline is of the default branch.

use super::boms::{Found, PipelineBoms, Report, family, has_reports, reports};
use super::recording::Recording;
use super::rows::MOST;
use crate::dependencies::policies;
use crate::dependencies::store::{self as rows, Origin, problems};
use crate::pipelines::model::Pipeline;
use crate::pipelines::status::Status;
use crate::pipelines::store::pipelines;
use ::store::Tx;
use kernel::app::App;
use kernel::error::Result;
use kernel::ids::Reference;
use kernel::jobs::{Failure, Job, Run, enqueue_at};
use sbom::read::Wrong;
use serde::{Deserialize, Serialize};
use spaces::access::find_project;

/// Characters of what is said of one report, and reports of which something is said.
const LONGEST: usize = 1_000;
const MOST_PROBLEMS: usize = 100;

/// Reads what the jobs of a pipeline and its children brought.
#[derive(Debug, Serialize, Deserialize)]
pub struct ReadReports {
    pub pipeline: i64,
}

/// Has the reports of a pipeline read that ended just now, or waits for somebody.
pub(crate) fn ended(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<()> {
    if !has_reports(tx, pipeline_id)? {
        return Ok(());
    }
    let Some(pipeline) = topmost(tx, pipeline_id)? else {
        return Ok(());
    };
    let now = tx.now();
    policies::pipeline_ended(tx, pipeline.id)?;
    enqueue_at(tx, &ReadReports { pipeline: pipeline.id }, now)
}

/// The pipeline that began this one as its child, or this one.
fn topmost(tx: &mut Tx<'_>, id: i64) -> Result<Option<Pipeline>> {
    let mut pipeline = pipelines::by_id(tx, id)?;
    while let Some(parent) = pipeline.as_ref().and_then(|one| one.parent_pipeline_id) {
        pipeline = pipelines::by_id(tx, parent)?;
    }
    Ok(pipeline)
}

/// What is to be done for a pipeline.
struct Work {
    family: Vec<i64>,
    reports: Vec<Report>,
    /// Of one whose reports are the list of its project.
    origin: Option<Origin>,
}

fn look(tx: &mut Tx<'_>, pipeline_id: i64) -> Result<Option<Work>> {
    let Some(pipeline) = pipelines::by_id(tx, pipeline_id)? else {
        return Ok(None);
    };
    // One that goes on again is read when it ends.
    if !(pipeline.status.is_finished() || pipeline.status == Status::Manual) {
        return Ok(None);
    }
    let reports = reports(tx, pipeline.id)?;
    if reports.is_empty() {
        return Ok(None);
    }
    let counts = is_of_default_branch(tx, &pipeline)?;
    let origin = counts.then(|| Origin {
        project_id: pipeline.project_id,
        pipeline_id: Some(pipeline.id),
        upload_id: None,
        sha: Some(pipeline.sha.clone()),
        said_at: pipeline.created_at,
    });
    Ok(Some(Work { family: family(tx, pipeline.id)?, reports, origin }))
}

fn is_of_default_branch(tx: &mut Tx<'_>, pipeline: &Pipeline) -> Result<bool> {
    let Some(project) = find_project(tx, &Reference::Id(pipeline.project_id))? else {
        return Ok(false);
    };
    let branch = project.default_branch.as_deref();
    Ok(!pipeline.tag && branch == Some(pipeline.on_ref.as_str()))
}

impl Job for ReadReports {
    const NAME: &'static str = "delivery.read_sboms";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.pipeline.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (app, id) = (run.app.clone(), self.pipeline);
        let Some(work) = app.read(move |tx| look(tx, id)).await? else {
            return Ok(());
        };
        let recording = match work.origin {
            Some(origin) => Recording::begin(&app, origin).await?,
            None => None,
        };
        let reading = Reading { recording, any: false, problems: Vec::new() };
        let read = reading.all(&app, work.reports).await?;
        Ok(read.finish(run, work.family).await?)
    }
}

/// Reports on their way.
struct Reading {
    recording: Option<Recording>,
    /// One at least was good.
    any: bool,
    /// Pipeline, job, and what is wrong with its report.
    problems: Vec<(i64, i64, String)>,
}

impl Reading {
    async fn all(mut self, app: &App, reports: Vec<Report>) -> Result<Reading> {
        let mut boms = PipelineBoms::of(app, reports);
        while let Some(found) = boms.next().await? {
            self.take(found).await?;
        }
        Ok(self)
    }

    async fn take(&mut self, (report, found): Found) -> Result<()> {
        match (found, &mut self.recording) {
            (Err(Wrong(text)), _) => self.note(&report, &text),
            (Ok(bom), Some(recording)) => match recording.add(bom).await? {
                true => self.any = true,
                false => self.note(&report, &no_room()),
            },
            (Ok(_), None) => {}
        }
        Ok(())
    }

    fn note(&mut self, report: &Report, text: &str) {
        if self.problems.len() < MOST_PROBLEMS {
            let text = text.chars().take(LONGEST).collect();
            self.problems.push((report.pipeline_id, report.job_id, text));
        }
    }

    /// Everything that was read is seen at once, and the job is done with it.
    async fn finish(self, run: Run, family: Vec<i64>) -> Result<()> {
        let list = self.recording.map(|it| (it.list_id(), it.origin().clone()));
        let list = list.filter(|_| self.any);
        let app = run.app.clone();
        let problems = self.problems;
        let ended = app.write(move |tx| {
            if !run.end(tx)? {
                return Ok(());
            }
            let there = pipelines::some(tx, family.clone())?;
            let is_there = |id: i64| there.iter().any(|one| one.id == id);
            let kept: Vec<_> = problems.iter().filter(|one| is_there(one.0)).cloned().collect();
            problems::replace(tx, &family, &kept)?;
            match &list {
                Some((id, origin)) => rows::make_current(tx, *id, origin).map(|_| ()),
                None => Ok(()),
            }
        });
        ended.await
    }
}

fn no_room() -> String {
    format!("The reports of this pipeline have more than {MOST} components together.")
}
