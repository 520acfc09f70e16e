//! When imports go on: one job at a time for each, a short one after another, on whatever
//! node, and again from where it stands where a node ended in the middle.

use super::model::{Import, SILENCE};
use super::rules::{fail, say};
use super::step::{Next, go_on};
use super::tasks::{StepImport, TendImports};
use crate::store as rows;
use ::store::Tx;
use jiff::SignedDuration;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, Registry, Run, enqueue, enqueue_at, hasten};
use kernel::read_only;
use spaces::imports::ImportStatus;
use tokio::sync::Semaphore;

/// Imports that one node is busy with at once: how long each takes is up to its server, and a
/// job holds one of the few that do all other work.
const AT_ONCE: usize = 2;
/// How long one waits that came too many.
const AGAIN: SignedDuration = SignedDuration::from_secs(5);
/// How long one waits that nothing may be written for.
const LATER: SignedDuration = SignedDuration::from_secs(60);
/// How long nothing may be heard of one that could go on.
const IDLE: SignedDuration = SignedDuration::from_mins(5);
/// Imports that are looked after at once.
const TENDED: i64 = 100;

const NOBODY: &str = "The user who asked for this import may not act here any more.";
const STUCK: &str = "No progress for 24 hours.";

/// The imports that this node is busy with.
struct Seats(Semaphore);

impl Default for Seats {
    fn default() -> Seats {
        Seats(Semaphore::new(AT_ONCE))
    }
}

impl Job for StepImport {
    const NAME: &'static str = "imports.step";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.import.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let app = run.app.clone();
        if read_only::check(&app).await.is_err() {
            return Ok(app.write(move |tx| wait(tx, &self, LATER)).await?);
        }
        let seats = app.kept::<Seats>();
        let Ok(_seat) = seats.0.try_acquire() else {
            return Ok(app.write(move |tx| wait(tx, &self, AGAIN)).await?);
        };
        let (this, own) = (self.clone(), run.clone());
        let Some(import) = app.write(move |tx| begin(tx, &own, &this)).await? else {
            return Ok(());
        };
        let next = go_on(&app, import).await?;
        Ok(app.write(move |tx| hand_on(tx, &run, &self, next)).await?)
    }
}

fn wait(tx: &mut Tx<'_>, job: &StepImport, pause: SignedDuration) -> Result<()> {
    let at = tx.now() + pause;
    enqueue_at(tx, job, at)
}

/// The import, if it is to go on now.
fn begin(tx: &mut Tx<'_>, run: &Run, job: &StepImport) -> Result<Option<Import>> {
    let Some(import) = rows::find(tx, job.import)?.filter(Import::is_open) else {
        return Ok(None);
    };
    if run.has_twin(tx, job)? {
        wait(tx, job, AGAIN)?;
        return Ok(None);
    }
    let now = tx.now();
    if let Some(until) = import.waits_until.filter(|until| *until > now) {
        enqueue_at(tx, job, until)?;
        return Ok(None);
    }
    if identity::access::active_user(tx, import.user_id)?.is_none() {
        fail(tx, import, NOBODY)?;
        return Ok(None);
    }
    let begins_round = import.stage.is_none() && import.attempts == 0;
    let is_new = import.status == ImportStatus::Scheduled;
    let import = Import {
        status: ImportStatus::Started,
        waits_until: None,
        round_started_at: if begins_round { now } else { import.round_started_at },
        ..import
    };
    rows::write(tx, &import)?;
    if is_new {
        say(tx, &import, None)?;
    }
    Ok(Some(import))
}

/// Ends a job and has the next one go on, by one transaction.
fn hand_on(tx: &mut Tx<'_>, run: &Run, job: &StepImport, next: Next) -> Result<()> {
    run.end(tx)?;
    match next {
        Next::Now => enqueue(tx, run.app.jobs(), job),
        Next::At(at) => enqueue_at(tx, job, at),
        Next::Never => Ok(()),
    }
}

impl Job for TendImports {
    const NAME: &'static str = "imports.tend";

    fn dedupe_key(&self) -> Option<String> {
        Some("one".into())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let app = run.app.clone();
        Ok(app.write(move |tx| tend(tx, run.app.jobs())).await?)
    }
}

/// Has those go on whose job is lost, and ends those that come to nothing however often they
/// begin again.
fn tend(tx: &mut Tx<'_>, registry: &Registry) -> Result<()> {
    let now = tx.now();
    for import in rows::silent(tx, now - SILENCE - SILENCE, TENDED)? {
        // One whose server was down for long has not had its time yet.
        if import.updated_at > import.progressed_at + SILENCE {
            fail(tx, import, STUCK)?;
        }
    }
    for import in rows::idle(tx, now - IDLE, TENDED)? {
        hasten(tx, registry, &StepImport { import })?;
    }
    Ok(())
}
