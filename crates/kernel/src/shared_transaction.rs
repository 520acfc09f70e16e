//! Work that makes several reads and writes through [`App`], all of them in one
//! transaction that is kept or undone as a whole.
//!
//! The transaction waits on a thread of the store for the pieces of work, which
//! come one after another. On SQLite nobody else writes meanwhile, so it is
//! held for a few seconds at most, and few at once.

use crate::app::App;
use crate::error::{Error, Result};
use std::future::Future;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use store::{Access, Tx, Work};
use tokio::sync::{Semaphore, oneshot};

/// The longest a transaction is held.
const MOST: Duration = Duration::from_secs(5);
/// Most of them at once: each takes a connection while its pieces may need
/// another one for settings.
const AT_ONCE: usize = 4;

static PLACES: Semaphore = Semaphore::const_new(AT_ONCE);

tokio::task_local! {
    static HELD: SharedTransaction;
}

/// A piece of work for the transaction.
type Piece = Box<dyn FnOnce(&mut Tx<'_>) + Send>;

enum Step {
    Do(Piece),
    Keep,
}

/// The transaction that is held for this task.
#[derive(Clone)]
pub(crate) struct SharedTransaction(Sender<Step>);

/// What became of the work.
#[derive(Debug)]
pub enum Together<T> {
    /// It is done, and what it wrote is kept.
    Kept(T),
    /// It is done, and what it wrote is undone, as it wished.
    Undone(T),
    /// What others wrote got in its way; nothing is kept, another try may do.
    Again,
}

impl SharedTransaction {
    /// The transaction of the task that runs, if one is held for it.
    pub(crate) fn current() -> Option<SharedTransaction> {
        HELD.try_with(SharedTransaction::clone).ok()
    }

    /// Runs a piece of work in it.
    pub(crate) async fn run(&self, access: Access, mut work: Work) -> Result<()> {
        let (reply, answer) = oneshot::channel();
        let piece: Piece = Box::new(move |tx| {
            let ended = match access {
                // Its failure must leave nothing behind, whatever becomes of
                // the rest.
                Access::Write => tx.part(&mut |tx| work.run(tx)),
                Access::Read | Access::Glance => {
                    work.run(tx);
                    Ok(())
                }
            };
            reply.send(ended).ok();
        });
        self.0.send(Step::Do(piece)).map_err(|_| over())?;
        Ok(answer.await.map_err(|_| over())??)
    }
}

fn over() -> Error {
    Error::Unavailable("The changes took too long together.".into())
}

impl App {
    /// Runs `work`, which also says whether to keep what it wrote. All that it
    /// reads and writes through this handle, in its own task, is one
    /// transaction; it sees its own changes.
    pub async fn together<T>(&self, work: impl Future<Output = (T, bool)>) -> Result<Together<T>> {
        let _place = PLACES.acquire().await.map_err(Error::internal)?;
        let (sender, receiver) = channel();
        let receiver = Arc::new(Mutex::new(Some(receiver)));
        let holding = self.store().write(move |tx| {
            let steps = receiver.lock().ok().and_then(|mut steps| steps.take());
            match steps {
                Some(steps) => hold(tx, &steps),
                // Run once more after a conflict: the pieces are gone.
                None => Err(End::Again),
            }
        });
        let held = SharedTransaction(sender.clone());
        let working = async {
            let (done, keep) = HELD.scope(held, work).await;
            if keep {
                sender.send(Step::Keep).ok();
            }
            drop(sender);
            (done, keep)
        };
        let (held, (done, keep)) = tokio::join!(holding, working);
        match held {
            Ok(()) => Ok(Together::Kept(done)),
            Err(End::Left) if !keep => Ok(Together::Undone(done)),
            Err(End::Again) => Ok(Together::Again),
            Err(End::Left | End::TooLong) => Err(over()),
            Err(End::Failed(error)) => Err(error),
        }
    }
}

/// Why a held transaction is undone.
enum End {
    /// Whoever worked is done with it.
    Left,
    TooLong,
    Again,
    Failed(Error),
}

impl From<store::Error> for End {
    fn from(error: store::Error) -> End {
        match error {
            store::Error::Conflict => End::Again,
            other => End::Failed(other.into()),
        }
    }
}

fn hold(tx: &mut Tx<'_>, steps: &Receiver<Step>) -> Result<(), End> {
    let end = Instant::now() + MOST;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        match steps.recv_timeout(left) {
            Ok(Step::Do(piece)) => piece(tx),
            Ok(Step::Keep) => return Ok(()),
            Err(RecvTimeoutError::Disconnected) => return Err(End::Left),
            Err(RecvTimeoutError::Timeout) => return Err(End::TooLong),
        }
    }
}
