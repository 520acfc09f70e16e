//! Idle connections, and callers that leave before their answer.

use crate::Result;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The caller of a read: when it goes away, its statement is stopped.
#[derive(Default)]
pub(crate) struct Caller {
    gone: AtomicBool,
    done: AtomicBool,
    stop: Mutex<Option<Box<dyn Fn() + Send>>>,
}

impl Caller {
    /// Whether it went away.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::SeqCst)
    }

    /// Sets how the engine is told. It may block.
    pub(crate) fn on_gone(&self, stop: impl Fn() + Send + 'static) {
        *lock(&self.stop) = Some(Box::new(stop));
    }

    /// Ends the watch; true when the caller went away before.
    pub(crate) fn finish(&self) -> bool {
        self.done.store(true, Ordering::SeqCst);
        drop(lock(&self.stop).take());
        self.is_gone()
    }

    /// The engine is told until the read ends: it may have been between two
    /// statements.
    fn leave(self: &Arc<Caller>) {
        self.gone.store(true, Ordering::SeqCst);
        let Some(stop) = lock(&self.stop).take() else {
            return;
        };
        let caller = self.clone();
        let spawned = std::thread::Builder::new().spawn(move || {
            for _ in 0..50 {
                if caller.done.load(Ordering::SeqCst) {
                    return;
                }
                stop();
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        if let Err(error) = spawned {
            tracing::warn!(%error, "a statement runs on for a caller that left");
        }
    }
}

/// Tells the engine when a read's future is dropped before its end.
pub(crate) struct LeaveOnDrop(pub(crate) Arc<Caller>);

impl Drop for LeaveOnDrop {
    fn drop(&mut self) {
        if !self.0.done.load(Ordering::SeqCst) {
            self.0.leave();
        }
    }
}

/// Locks; a panic elsewhere leaves these states whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Idle connections.
pub(crate) struct Pool<C> {
    idle: Mutex<Vec<C>>,
    limit: usize,
    open: Box<dyn Fn() -> Result<C> + Send + Sync>,
}

impl<C> Pool<C> {
    /// An empty pool that keeps up to `limit` connections.
    pub(crate) fn new(
        limit: usize, open: impl Fn() -> Result<C> + Send + Sync + 'static,
    ) -> Pool<C> {
        Pool { idle: Mutex::new(Vec::new()), limit, open: Box::new(open) }
    }

    /// An idle connection or a new one.
    pub(crate) fn take(&self) -> Result<C> {
        self.idle().map_or_else(|| (self.open)(), Ok)
    }

    /// A connection that is open already and not in use.
    pub(crate) fn idle(&self) -> Option<C> {
        lock(&self.idle).pop()
    }

    /// Gives a sound connection back.
    pub(crate) fn give(&self, connection: C) {
        let mut idle = lock(&self.idle);
        if idle.len() < self.limit {
            idle.push(connection);
        }
    }

    /// Drops what is idle.
    pub(crate) fn clear(&self) {
        let idle = std::mem::take(&mut *lock(&self.idle));
        drop(idle);
    }
}
