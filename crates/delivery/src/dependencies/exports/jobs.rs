//! Exports are written, told of, and go.

use super::model::{Export, Status};
use super::tasks::{SweepExports, TellOfExport, WriteExport};
use super::write::{Fault, Turns};
use super::{access, mail, rules, store, write};
use ::store::Tx;
use identity::viewer::Viewer;
use jiff::SignedDuration;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, RegistryBuilder, Run, enqueue_at};
use kernel::mail::Message;

/// Seconds between two looks for files whose time is over, and rows of one transaction.
const BETWEEN: i64 = 900;
const BATCH: i64 = 500;
/// How long an export waits that finds others being written.
const WAIT: SignedDuration = SignedDuration::from_secs(2);

pub(crate) fn register(registry: &mut RegistryBuilder) {
    registry.add::<WriteExport>();
    registry.add::<TellOfExport>();
    registry.add_periodic::<SweepExports>(BETWEEN);
}

/// The export, which is written from now on; none if nothing is left to do.
fn begun(tx: &mut Tx<'_>, id: i64) -> Result<Option<Export>> {
    let now = tx.now();
    match store::by_id(tx, id)? {
        None => Ok(None),
        Some(export) if export.status.has_finished() => Ok(None),
        Some(export) if export.is_given_up(now) => {
            rules::fail_late(tx, id)?;
            Ok(None)
        }
        Some(export) => rules::begin(tx, export).map(Some),
    }
}

impl Job for WriteExport {
    const NAME: &'static str = "delivery.write_dependency_export";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (app, id) = (run.app.clone(), self.export);
        let Some(export) = app.write(move |tx| begun(tx, id)).await? else {
            return Ok(());
        };
        // Waiting here would keep a worker from other jobs.
        let Some(turn) = app.kept::<Turns>().try_take() else {
            let later = app.write(move |tx| {
                let at = tx.now() + WAIT;
                enqueue_at(tx, &WriteExport { export: id }, at)?;
                run.end(tx).map(drop)
            });
            return Ok(later.await?);
        };
        match write::write(&app, export, turn).await {
            Ok(written) => {
                let ended = app.write(move |tx| {
                    rules::finish(tx, id, (&written.name, &written.stored))?;
                    run.end(tx).map(drop)
                });
                Ok(ended.await?)
            }
            Err(Fault::Final(problem)) => {
                Ok(app.write(move |tx| rules::fail(tx, id, &problem)).await?)
            }
            Err(Fault::Passing(error)) => {
                tracing::warn!(%error, export = id, "an export could not be written");
                match app.write(move |tx| rules::try_again(tx, id)).await? {
                    true => Err(error.into()),
                    false => Ok(()),
                }
            }
        }
    }
}

/// The mail to who asked; none where nobody is to be told any more.
fn told(app: &kernel::app::App, tx: &mut Tx<'_>, id: i64) -> Result<Option<Message>> {
    let Some(export) = store::by_id(tx, id)?.filter(|export| export.status.has_finished()) else {
        return Ok(None);
    };
    let Some(user) = identity::users::find(tx, export.user_id)? else {
        return Ok(None);
    };
    if user.refusal().is_some() || !user.is_human() {
        return Ok(None);
    }
    let parent = export.parent();
    let (name, url) = match access::subject(tx, &Viewer::addressed(user.clone()), parent) {
        Ok(subject) => (subject.name(), subject.url()),
        Err(_) if export.status == Status::Finished => return Ok(None),
        // What they may not see any more is not named.
        Err(_) => (format!("{} {}", parent.kind, parent.id), String::new()),
    };
    Ok(Some(mail::letter(app, &export, (&name, &url), &user)))
}

impl Job for TellOfExport {
    const NAME: &'static str = "delivery.tell_of_dependency_export";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (app, id) = (run.app.clone(), self.export);
        let letter = run.app.read(move |tx| told(&app, tx, id)).await?;
        match letter {
            Some(message) => spaces::mail::deliver(&run.app, message).await,
            None => Ok(()),
        }
    }
}

impl Job for SweepExports {
    const NAME: &'static str = "delivery.sweep_dependency_exports";

    fn dedupe_key(&self) -> Option<String> {
        Some("one".into())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let many = usize::try_from(BATCH).unwrap_or(usize::MAX);
        while run.app.write(|tx| rules::give_up(tx, BATCH)).await? >= many {}
        loop {
            let gone = run.app.write(|tx| {
                let gone = store::delete_expired(tx, BATCH)?;
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
