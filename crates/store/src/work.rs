//! Closures for transactions, without their types.
//!
//! Rooms hand the store some thousand closures, each a type of its own. What
//! happens to them (threads, queues, savepoints, repetition) is the same, so
//! all of it is compiled once, for [`Work`]; for each closure only what makes
//! a `Work` of it and takes its result out again.

use crate::tx::{AfterCommit, Tx, run_callbacks};
use crate::{Error, Result};
use std::sync::{Arc, Mutex, PoisonError};

/// A closure that keeps its result to itself and tells whether it succeeded.
pub(crate) type Run<'r> = &'r mut dyn FnMut(&mut Tx<'_>) -> bool;

/// What a transaction is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// [`Store::read`](crate::Store::read).
    Read,
    /// [`Store::read_inline`](crate::Store::read_inline).
    Glance,
    /// [`Store::write`](crate::Store::write).
    Write,
}

/// A closure for [`Store::run`](crate::Store::run).
pub struct Work(Box<dyn FnMut(&mut Tx<'_>) -> bool + Send>);

/// Where the closure of a [`Work`] leaves the result of its last run.
pub struct Outcome<T, E>(Arc<Mutex<Option<std::result::Result<T, E>>>>);

impl Work {
    /// Work that may run more than once.
    pub fn new<T, E>(
        mut f: impl FnMut(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> (Work, Outcome<T, E>)
    where
        T: Send + 'static,
        E: Send + 'static,
    {
        let result_slot = Arc::new(Mutex::new(None));
        let outcome = Outcome(result_slot.clone());
        let work = Work(Box::new(move |tx: &mut Tx<'_>| {
            let result = f(tx);
            let succeeded = result.is_ok();
            *result_slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            succeeded
        }));
        (work, outcome)
    }

    /// Work that runs once.
    pub fn once<T, E>(
        f: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> (Work, Outcome<T, E>)
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let mut f = Some(f);
        Work::new(move |tx| match f.take() {
            Some(f) => f(tx),
            None => Err(Error::Engine("a read ran twice".to_owned()).into()),
        })
    }

    /// The same with something done around each run.
    pub fn around(
        mut self, mut f: impl FnMut(&mut Tx<'_>, &mut Work) -> bool + Send + 'static,
    ) -> Work {
        Work(Box::new(move |tx: &mut Tx<'_>| f(tx, &mut self)))
    }

    /// Runs it; false when it failed.
    pub fn run(&mut self, tx: &mut Tx<'_>) -> bool {
        (self.0)(tx)
    }
}

impl<T, E: From<Error>> Outcome<T, E> {
    /// The result, once the work has been run and has ended well.
    pub fn take(self) -> std::result::Result<T, E> {
        let mut result_slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        result_slot.take().unwrap_or_else(|| Err(never_ran().into()))
    }
}

/// Has `core` run a closure on this thread without knowing its type.
pub(crate) fn erased<T, E: From<Error>>(
    f: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E>,
    core: impl FnOnce(Run<'_>) -> Result<()>,
) -> std::result::Result<T, E> {
    let (mut f, mut result_slot) = (Some(f), None);
    core(&mut |tx: &mut Tx<'_>| match f.take() {
        Some(f) => result_slot.insert(f(tx)).is_ok(),
        None => false,
    })?;
    result_slot.unwrap_or_else(|| Err(never_ran().into()))
}

fn never_ran() -> Error {
    Error::Engine("the transaction ended without its work".to_owned())
}

/// How a closure ended in its transaction.
pub(crate) enum Ended {
    /// It succeeded; this is to be done once what it wrote is durable.
    Done(Vec<AfterCommit>),
    /// It failed, and has its error itself.
    Refused,
    /// It did not come to an end of its own.
    Failed(Error),
}

impl Ended {
    /// Whether what it wrote is to be kept.
    pub(crate) fn is_done(&self) -> bool {
        matches!(self, Ended::Done(_))
    }

    /// After the end of the transaction: runs the callbacks.
    pub(crate) fn finish(self) -> Result<()> {
        match self {
            Ended::Done(callbacks) => {
                run_callbacks(callbacks);
                Ok(())
            }
            Ended::Refused => Ok(()),
            Ended::Failed(error) => Err(error),
        }
    }
}
