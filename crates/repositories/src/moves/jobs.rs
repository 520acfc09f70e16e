//! Moves are done one after the other by jobs, few at a time. A move that a job finds begun
//! is one whose server ended meanwhile: it fails, and all is as it was.

use super::model::{State, StorageMove};
use super::moving::{self, Halt};
use super::rules::{self, dispatch};
use super::store as rows;
use super::store::packs;
use super::tasks::{MoveStorage, TendMoves};
use ::store::Tx;
use futures_util::FutureExt;
use kernel::app::App;
use kernel::blobs_sweep;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, Registry, Run};
use std::panic::AssertUnwindSafe;

const CUT_OFF: &str = "The server ended while the repository was copied. Retry the move.";
const PANICKED: &str = "The server failed over it; its log says why.";

/// What a job finds of a move.
enum Found {
    /// It is to be copied.
    Begun(StorageMove),
    /// It lies there; the old copy is to go.
    Moved(StorageMove),
    /// There is nothing to do.
    Nothing,
}

impl Job for MoveStorage {
    const NAME: &'static str = "repositories.move";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.storage_move.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (app, id) = (run.app, self.storage_move);
        let registry = app.jobs().clone();
        let found = app.write(move |tx| begin(tx, &registry, id)).await?;
        let row = match found {
            Found::Nothing => return Ok(()),
            Found::Moved(row) => row,
            Found::Begun(row) => match copy(&app, &row).await {
                Ok(()) => row,
                Err(halt) => return Ok(end(&app, id, halt).await?),
            },
        };
        Ok(clean_up(&app, row).await?)
    }
}

impl Job for TendMoves {
    const NAME: &'static str = "repositories.tend_moves";

    fn dedupe_key(&self) -> Option<String> {
        Some("one".into())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let registry = run.app.jobs().clone();
        Ok(run.app.write(move |tx| rules::tend(tx, &registry)).await?)
    }
}

fn begin(tx: &mut Tx<'_>, registry: &Registry, id: i64) -> Result<Found> {
    let Some(row) = rows::find(tx, id)? else {
        dispatch(tx, registry)?;
        return Ok(Found::Nothing);
    };
    match row.state {
        State::Scheduled => {
            let row = StorageMove { state: State::Started, ..row };
            // An older move may have left some.
            let repositories = rules::repositories(tx, row.container())?;
            packs::forget_copies(tx, &repositories)?;
            rows::write(tx, &row)?;
            Ok(Found::Begun(row))
        }
        State::Started => {
            rules::fail(tx, row, CUT_OFF)?;
            dispatch(tx, registry)?;
            Ok(Found::Nothing)
        }
        State::Replicated => Ok(Found::Moved(row)),
        State::Initial | State::Finished | State::Failed | State::CleanupFailed => {
            Ok(Found::Nothing)
        }
    }
}

/// Moves it. Whatever happens, the job goes on to write down how that ended.
async fn copy(app: &App, row: &StorageMove) -> Result<(), Halt> {
    let copied = AssertUnwindSafe(moving::run(app, row)).catch_unwind().await;
    copied.unwrap_or_else(|_| Err(Halt::Failed(PANICKED.into())))
}

/// Ends a move that goes no further.
async fn end(app: &App, id: i64, halt: Halt) -> Result<()> {
    let registry = app.jobs().clone();
    let why = match halt {
        Halt::Failed(why) => Some(why),
        Halt::Ended => None,
    };
    app.write(move |tx| {
        let row = rows::find(tx, id)?.filter(|row| row.state == State::Started);
        if let (Some(row), Some(why)) = (row, &why) {
            rules::fail(tx, row, why)?;
        }
        dispatch(tx, &registry)
    })
    .await
}

/// Removes the old copy: its rows at once, and those of its bytes that are old enough for
/// nobody to be about to name them. The others go with the sweep of the blob store.
async fn clean_up(app: &App, row: StorageMove) -> Result<()> {
    let (id, container) = (row.id, row.container());
    let gone = app.write(move |tx| {
        let repositories = rules::repositories(tx, container)?;
        let mut gone = packs::forget_copies(tx, &repositories)?;
        gone.extend(packs::forget_retired(tx, &repositories)?);
        Ok(gone)
    });
    let gone = gone.await?;
    let removed = match row.error {
        None => blobs_sweep::remove_unused(app, gone).await,
        // What the last attempt left has no rows any more.
        Some(_) => blobs_sweep::sweep(app).await,
    };
    let left = removed.err().map(|error| {
        tracing::error!(%error, id, "the old copy of a repository could not be removed");
        "Some of the old copy could not be removed; the server's log says why.".to_owned()
    });
    let registry = app.jobs().clone();
    app.write(move |tx| {
        if let Some(row) = rows::find(tx, id)?.filter(|row| row.state == State::Replicated) {
            rules::finish(tx, row, left.clone())?;
        }
        dispatch(tx, &registry)
    })
    .await
}
