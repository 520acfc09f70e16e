//! Files of projects are written, sent, and go.

use super::super::store as files;
use super::super::writing::{self, Fault, Turns};
use super::model::Export;
use super::target::Target;
use super::tasks::{SendProjectFile, SweepProjectFiles, WriteProjectFile};
use super::{rules, store};
use jiff::SignedDuration;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, RegistryBuilder, Run, enqueue_at};

/// Seconds between two looks for files whose time is over, and rows of one transaction.
const BETWEEN: i64 = 900;
const BATCH: i64 = 500;
/// How long an export waits that finds others being written.
const WAIT: SignedDuration = SignedDuration::from_secs(2);

pub fn register(registry: &mut RegistryBuilder) {
    registry.add::<WriteProjectFile>();
    registry.add::<SendProjectFile>();
    registry.add_periodic::<SweepProjectFiles>(BETWEEN);
}

impl Job for WriteProjectFile {
    const NAME: &'static str = "imports.write_project_file";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (app, id) = (run.app.clone(), self.export);
        // Waiting here would keep a worker from other jobs.
        let Some(turn) = app.kept::<Turns>().try_take() else {
            let later = app.write(move |tx| {
                let at = tx.now() + WAIT;
                enqueue_at(tx, &WriteProjectFile { export: id }, at)?;
                run.end(tx).map(drop)
            });
            return Ok(later.await?);
        };
        let Some(export) = app.write(move |tx| rules::begin(tx, id)).await? else {
            return Ok(());
        };
        match writing::write(&app, export, turn).await {
            Ok(written) => {
                let registry = app.jobs().clone();
                let ended = app.write(move |tx| {
                    rules::finish(tx, &registry, id, (&written.name, &written.stored))?;
                    run.end(tx).map(drop)
                });
                Ok(ended.await?)
            }
            Err(Fault::Final(problem)) => {
                Ok(app.write(move |tx| rules::fail(tx, id, &problem)).await?)
            }
            Err(Fault::Passing(error)) => {
                tracing::warn!(%error, export = id, "the file of a project could not be written");
                match app.write(move |tx| rules::try_again(tx, id)).await? {
                    true => Err(error.into()),
                    false => Ok(()),
                }
            }
        }
    }
}

impl Job for SendProjectFile {
    const NAME: &'static str = "imports.send_project_file";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (app, id) = (run.app.clone(), self.export);
        let Some(export) = app.read(move |tx| store::by_id(tx, id)).await? else {
            return Ok(());
        };
        let (Some(sealed), Some(file)) = (&export.sealed_target, export.file()) else {
            return Ok(());
        };
        let target = Target::unsealed(app.secrets(), sealed)?;
        let problem = match target.send(&app, file.key).await? {
            Ok(()) => None,
            Err(unsent) if unsent.may_pass && !is_late(&app, &export) => {
                return Err(Failure::Retry(unsent.why));
            }
            Err(unsent) => Some(format!("The file could not be sent: {}.", unsent.why)),
        };
        let sent = app.write(move |tx| store::sent(tx, id, problem.as_deref()));
        Ok(sent.await?)
    }
}

/// Whether nobody tries any more to send it: a day after it was written.
fn is_late(app: &kernel::app::App, export: &Export) -> bool {
    let day = SignedDuration::from_hours(24);
    export.finished_at.is_none_or(|at| at + day <= app.now())
}

impl Job for SweepProjectFiles {
    const NAME: &'static str = "imports.sweep_project_files";

    fn dedupe_key(&self) -> Option<String> {
        Some("one".into())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let many = usize::try_from(BATCH).unwrap_or(usize::MAX);
        while run.app.write(|tx| rules::give_up(tx, BATCH)).await? >= many {}
        loop {
            let gone = run.app.write(|tx| {
                let gone = store::delete_expired(tx, BATCH)? + files::delete_old(tx, BATCH)?;
                if gone > 0 {
                    spaces::hooks::blobs_unnamed(tx)?;
                }
                Ok(gone)
            });
            if gone.await? < BATCH.unsigned_abs() {
                return Ok(());
            }
        }
    }
}
