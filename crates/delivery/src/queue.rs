//! The queue of jobs that wait for a runner: who waits for it, and that there is
//! something to take.
//!
//! A server tells its own waiting runners at once. What other servers enqueue is seen by
//! looking, once a second and only while somebody asks.

use ::store::{Tx, sql};
use jiff::Timestamp;
use kernel::app::App;
use kernel::error::Result;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How often is looked for what other servers enqueue.
const LOOK: Duration = Duration::from_secs(1);

/// Rings when a job can be taken. Plugged into the store, so that a transaction rings it.
#[derive(Clone)]
pub struct Bell(Arc<Inner>);

struct Inner {
    /// Tells this server's states from those of others.
    name: String,
    rings: watch::Sender<u64>,
    /// The server stops: nobody is kept waiting.
    closed: AtomicBool,
    looked: Mutex<Looked>,
}

#[derive(Default)]
struct Looked {
    at: Option<Instant>,
    newest: Option<Timestamp>,
}

impl Default for Bell {
    fn default() -> Bell {
        Bell(Arc::new(Inner {
            name: hex::encode(kernel::secrets::random_bytes::<8>()),
            rings: watch::Sender::new(0),
            closed: AtomicBool::new(false),
            looked: Mutex::default(),
        }))
    }
}

/// A state of the queue: where it is the same, nothing was enqueued since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State(u64);

impl Bell {
    pub fn state(&self) -> State {
        State(*self.0.rings.borrow())
    }

    /// A state as runners are told it and send it back.
    pub fn name_of(&self, state: State) -> String {
        format!("{}{}", self.0.name, state.0)
    }

    /// Lets go of all who wait: the server stops.
    pub fn close(&self) {
        self.0.closed.store(true, Ordering::Relaxed);
        self.ring();
    }

    pub fn is_closed(&self) -> bool {
        self.0.closed.load(Ordering::Relaxed)
    }

    fn ring(&self) {
        self.0.rings.send_modify(|rings| *rings += 1);
    }

    /// Waits until something was enqueued after `state`, for a second at most.
    pub async fn wait(&self, state: State) {
        let mut rings = self.0.rings.subscribe();
        let changed = rings.wait_for(|rings| *rings != state.0);
        tokio::time::timeout(LOOK, changed).await.map(drop).unwrap_or_default();
    }

    /// Whether it is time to look for what others enqueued. One who asks does it for all.
    fn is_due(&self) -> bool {
        let mut looked = self.0.looked.lock().unwrap_or_else(PoisonError::into_inner);
        let due = looked.at.is_none_or(|at| at.elapsed() >= LOOK);
        if due {
            looked.at = Some(Instant::now());
        }
        due
    }

    fn saw(&self, newest: Option<Timestamp>) {
        let mut looked = self.0.looked.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = looked.newest != newest && newest.is_some();
        looked.newest = newest;
        drop(looked);
        if is_new {
            self.ring();
        }
    }

    /// Looks for what other servers enqueued, unless that was done just now.
    pub async fn look(&self, app: &App) -> Result<()> {
        if self.is_due() {
            self.saw(app.read_inline(newest).await?);
        }
        Ok(())
    }
}

/// When the job was enqueued that waits the shortest.
fn newest(tx: &mut Tx<'_>) -> Result<Option<Timestamp>> {
    let row: Option<(Timestamp,)> = tx.optional(
        sql!(
            "select queued_at from ci_jobs
             where status = 'pending' and kind = 'build' and queued_at is not null
             order by queued_at desc limit 1"
        ),
        (),
    )?;
    Ok(row.map(|(at,)| at))
}

/// Tells runners that wait that there is something to take, once this is committed.
///
/// # Errors
///
/// Where the bell was not plugged in.
pub fn announce(tx: &mut Tx<'_>) -> Result<()> {
    let bell: Bell = tx.plugged::<Bell>()?.clone();
    tx.after_commit(move || bell.ring());
    Ok(())
}
