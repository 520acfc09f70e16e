//! The work of a move. Packs are copied while everybody writes ([`copying`]), and git looks
//! whether what is there is whole ([`whole`]). Then the repositories are read-only, for what
//! came meanwhile and until their rows name the copies ([`swap`]).

mod copying;
mod plan;
mod swap;
mod whole;

use super::containers;
use super::model::{Container, State, StorageMove};
use super::store as rows;
use ::store::Tx;
use copying::Copies;
use kernel::app::App;
use kernel::error::{Error, Result};
use plan::Plan;
use std::pin::pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use swap::Swapped;
use tokio::time::timeout;
use whole::Looked;

/// Rounds of copying while everybody writes.
const ROUNDS: usize = 5;
/// Bytes that are left for the time when nobody does.
const FEW: i64 = 8 * 1024 * 1024;
/// How often it is tried to end where packs come though nobody writes.
const ATTEMPTS: usize = 5;
/// How often it is written down how far a move is.
const TICK: Duration = Duration::from_secs(2);

/// Why a move goes no further.
pub(super) enum Halt {
    /// For this reason, in words for administrators.
    Failed(String),
    /// Somebody else ended it, or what it moved is gone.
    Ended,
}

impl From<Error> for Halt {
    fn from(error: Error) -> Halt {
        Halt::Failed(match error {
            Error::Unavailable(text) if !text.is_empty() => text,
            Error::NotFound(_) => "A file of the repository is missing; see tenon check.".into(),
            error => {
                tracing::error!(%error, "a repository could not be moved");
                "It could not be copied; the server's log says why.".into()
            }
        })
    }
}

/// A move that has begun.
struct Moving<'a> {
    app: &'a App,
    id: i64,
    container: Container,
    /// The name of the storage that it goes to.
    to: String,
    done: AtomicI64,
    copies: Copies,
    looked: Looked,
}

/// Moves the repositories of a container.
pub(super) async fn run(app: &App, row: &StorageMove) -> Result<(), Halt> {
    let mut moving = Moving {
        app,
        id: row.id,
        container: row.container(),
        to: row.destination.clone(),
        done: AtomicI64::new(0),
        copies: Copies::default(),
        looked: Looked::default(),
    };
    for _ in 0..ROUNDS {
        let plan = moving.plan(false).await?;
        let left = plan.missing(&moving.to, &moving.copies);
        moving.bring(&plan).await?;
        if left <= FEW {
            break;
        }
    }
    for _ in 0..ATTEMPTS {
        let plan = moving.plan(true).await?;
        moving.bring(&plan).await?;
        match moving.swap().await? {
            Swapped::Done => return Ok(()),
            Swapped::Behind => {}
            Swapped::Differs(text) => return Err(Halt::Failed(text)),
        }
    }
    Err(Halt::Failed("The repository changes too often now. Try again later.".into()))
}

impl Moving<'_> {
    /// What there is to move, with nothing written any more once `closes` is said.
    async fn plan(&self, closes: bool) -> Result<Plan, Halt> {
        let (id, container) = (self.id, self.container);
        let plan = match closes {
            true => self.app.write(move |tx| close(tx, id, container)).await?,
            false => Some(self.app.read(move |tx| Plan::read(tx, container)).await?),
        };
        plan.filter(|plan| !plan.parts.is_empty()).ok_or(Halt::Ended)
    }

    /// Copies what is not there yet, and looks whether what is there is whole.
    async fn bring(&mut self, plan: &Plan) -> Result<(), Halt> {
        let left = plan.missing(&self.to, &self.copies);
        self.note(Some(left)).await?;
        for part in &plan.parts {
            self.copy(part).await?;
            self.look(part).await?;
        }
        Ok(())
    }

    /// Does something that takes long, and writes down between how far the move is.
    async fn while_noting<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T, Halt> {
        let mut work = pin!(work);
        loop {
            match timeout(TICK, &mut work).await {
                Ok(done) => return done.map_err(Halt::from),
                Err(_) => self.note(None).await?,
            }
        }
    }

    /// Writes down how far the move is, with so many bytes to come if that is said.
    async fn note(&self, left: Option<i64>) -> Result<(), Halt> {
        let (id, done) = (self.id, self.done.load(Ordering::Relaxed));
        let goes_on = self.app.write(move |tx| {
            let Some(mut row) = started(tx, id)? else {
                return Ok(false);
            };
            row.bytes_total = left.map_or(row.bytes_total, |left| done + left);
            row.bytes_done = done.min(row.bytes_total);
            rows::write(tx, &row)?;
            Ok(true)
        });
        match goes_on.await? {
            true => Ok(()),
            false => Err(Halt::Ended),
        }
    }
}

/// A move, unless somebody ended it.
fn started(tx: &mut Tx<'_>, id: i64) -> Result<Option<StorageMove>> {
    Ok(rows::find(tx, id)?.filter(|row| row.state == State::Started))
}

/// Lets nothing be written any more, and reads what there is to move then.
fn close(tx: &mut Tx<'_>, id: i64, container: Container) -> Result<Option<Plan>> {
    let Some(row) = started(tx, id)? else {
        return Ok(None);
    };
    let plan = Plan::read(tx, container)?;
    if row.read_only_at.is_none() {
        let now = tx.now();
        rows::set_read_only(tx, &plan.ids(), Some(now))?;
        rows::write(tx, &row.closed(now))?;
    }
    Ok(Some(plan))
}

/// Has the rows of the repositories name the copies, and notes that the container changed.
fn place(tx: &mut Tx<'_>, row: StorageMove, repositories: &[i64]) -> Result<()> {
    rows::packs::swap(tx, repositories)?;
    rows::place(tx, repositories, &row.destination)?;
    containers::touch(tx, row.container())?;
    let now = tx.now();
    let row = StorageMove { state: State::Replicated, bytes_done: row.bytes_total, ..row };
    rows::write(tx, &row.opened(now))
}
