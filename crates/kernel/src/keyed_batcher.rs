//! Small changes to the same rows, made together.
//!
//! Counters that many callers move at once are a queue on one row: on
//! PostgreSQL every one of them is a transaction that the others make fail and
//! repeat. Here every key has a lane: items that arrive while a transaction of
//! the lane runs wait for it, and then go into the next one together. Each
//! caller hears of its own item, after the commit that holds it.
//!
//! This is exact, not eventual: nothing is counted in memory. Nodes meet in
//! the database, where their transactions are few enough to repeat cheaply.

use crate::app::App;
use crate::error::{Error, Result};
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::Tx;
use tokio::sync::oneshot;

/// What is done with the items of one key in one transaction, in the order
/// they came: one answer each. It may run more than once, like every write.
pub type Work<K, I, O> = fn(&mut Tx<'_>, &K, &[I]) -> Result<Vec<O>>;

/// Does one kind of work, key by key. Clones share the queues.
pub struct KeyedBatcher<K, I, O>(Arc<Queues<K, I, O>>);

struct Queues<K, I, O> {
    work: Work<K, I, O>,
    most: usize,
    /// A key stands here while a task works on it.
    waiting: Mutex<HashMap<K, VecDeque<Waiting<I, O>>>>,
}

struct Waiting<I, O> {
    item: I,
    answer: oneshot::Sender<Result<O>>,
}

impl<K, I, O> Clone for KeyedBatcher<K, I, O> {
    fn clone(&self) -> Self {
        KeyedBatcher(self.0.clone())
    }
}

impl<K, I, O> KeyedBatcher<K, I, O>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    I: Send + Sync + 'static,
    O: Send + 'static,
{
    /// Does `work` with at most `most` items in one transaction.
    pub fn new(most: usize, work: Work<K, I, O>) -> Self {
        KeyedBatcher(Arc::new(Queues { work, most: most.max(1), waiting: Mutex::default() }))
    }

    /// Does the work for one item, together with what else waits for its key.
    ///
    /// A caller that goes away takes its item along unless its transaction
    /// has begun. Items whose transaction fails are tried again one by one, so
    /// that none fails for another.
    pub async fn run(&self, app: &App, key: K, item: I) -> Result<O> {
        let (answer, answered) = oneshot::channel();
        if self.0.add(&key, Waiting { item, answer }) {
            // A task of its own: the caller may go away, the others wait on.
            tokio::spawn(self.clone().work_off(app.clone(), key));
        }
        answered
            .await
            .unwrap_or_else(|_| Err(Error::internal("shared work ended without an answer")))
    }

    async fn work_off(self, app: App, key: K) {
        let left = Left { queues: &self.0, key: &key };
        while let Some(batch) = self.0.take(&key) {
            self.answer(&app, &key, batch).await;
        }
        std::mem::forget(left);
    }

    /// Does the work for a batch and answers everyone in it.
    async fn answer(&self, app: &App, key: &K, batch: Vec<Waiting<I, O>>) {
        let (items, answers): (Vec<I>, Vec<_>) =
            batch.into_iter().map(|one| (one.item, one.answer)).unzip();
        let items = Arc::new(items);
        let all = 0..items.len();
        match self.transaction(app, key, &items, all.clone()).await {
            Ok(results) => {
                for (answer, result) in answers.into_iter().zip(results) {
                    answer.send(Ok(result)).ok();
                }
            }
            // The database is at fault, not an item.
            Err(Error::Unavailable(reason)) => {
                for answer in answers {
                    answer.send(Err(Error::Unavailable(reason.clone()))).ok();
                }
            }
            Err(error) if items.len() == 1 => {
                if let Some(answer) = answers.into_iter().next() {
                    answer.send(Err(error)).ok();
                }
            }
            Err(_) => {
                for (at, answer) in all.zip(answers) {
                    let result = self.transaction(app, key, &items, at..at + 1).await;
                    let one = result.map(|mut results| results.remove(0));
                    answer.send(one).ok();
                }
            }
        }
    }

    async fn transaction(
        &self, app: &App, key: &K, items: &Arc<Vec<I>>, range: std::ops::Range<usize>,
    ) -> Result<Vec<O>> {
        let (work, key, items) = (self.0.work, key.clone(), items.clone());
        app.write(move |tx| {
            let items = &items[range.clone()];
            let results = work(tx, &key, items)?;
            if results.len() == items.len() {
                Ok(results)
            } else {
                Err(Error::internal("shared work answers each item once"))
            }
        })
        .await
    }
}

impl<K: Clone + Eq + Hash, I, O> Queues<K, I, O> {
    fn lock(&self) -> MutexGuard<'_, HashMap<K, VecDeque<Waiting<I, O>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lines an item up; whether nobody works on its key yet.
    fn add(&self, key: &K, one: Waiting<I, O>) -> bool {
        let mut waiting = self.lock();
        if let Some(line) = waiting.get_mut(key) {
            line.push_back(one);
            return false;
        }
        waiting.insert(key.clone(), VecDeque::from([one]));
        true
    }

    /// The next batch of those whose callers are still there; none forgets
    /// the key.
    fn take(&self, key: &K) -> Option<Vec<Waiting<I, O>>> {
        let mut waiting = self.lock();
        let line = waiting.get_mut(key)?;
        line.retain(|one| !one.answer.is_closed());
        let batch: Vec<_> = line.drain(..line.len().min(self.most)).collect();
        if batch.is_empty() {
            waiting.remove(key);
            return None;
        }
        Some(batch)
    }
}

/// Forgets a key whose task ended before its line did, so that those who wait
/// are told and the next caller begins anew.
struct Left<'l, K: Clone + Eq + Hash, I, O> {
    queues: &'l Queues<K, I, O>,
    key: &'l K,
}

impl<K: Clone + Eq + Hash, I, O> Drop for Left<'_, K, I, O> {
    fn drop(&mut self) {
        self.queues.lock().remove(self.key);
    }
}
