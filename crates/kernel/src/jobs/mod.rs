//! Background work in the same database, enqueued in the transaction that
//! needs it, so that no change can lose its work or invent some.
//!
//! A job runs at least once: a node that dies leaves a lease that runs out,
//! and another takes the job over. A job says retry or give up; what gave up
//! stays as `failed` (the dead letters) until an administrator retries or
//! discards it.

mod queue;

use crate::app::App;
use crate::error::{BestEffort, Error, Result};
use crate::time::Timestamp;
use futures_util::FutureExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use store::{FromRow, Json, Tx, sql};
use tokio::sync::Notify;

pub use queue::{Counts, Listed, counts, discard, forget_failed, hasten, list, name, retry};

/// How long a claimed job is left alone before another node may take it.
const LEASE_SECONDS: i64 = 60;
/// Attempts after which a job becomes a dead letter.
const MAX_ATTEMPTS: i64 = 12;
/// How often workers look without being called: other nodes' jobs and
/// retries that came due.
const POLL: Duration = Duration::from_secs(1);
/// How long a job goes on once the server is told to stop. One that takes longer
/// is left where it stands and begun again by the next server, as after a crash.
const GRACE: Duration = Duration::from_secs(5);

/// Work that outlives a request. Payloads hold ids, not copies; running twice
/// is safe; a subject that vanished means the work is done.
pub trait Job: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// `room.verb`; never changes once released.
    const NAME: &'static str;
    /// Two queued jobs of the same key are one. A job that runs already has
    /// given its key up: what is enqueued meanwhile runs after it. A queued
    /// one runs after every transaction that counts on it.
    fn dedupe_key(&self) -> Option<String> {
        None
    }
    /// Does it.
    fn run(self, run: Run) -> impl Future<Output = Result<(), Failure>> + Send;
}

/// Why a job did not finish.
#[derive(Debug)]
pub enum Failure {
    /// Try again later, with growing pauses.
    Retry(String),
    /// Never try again by itself.
    GiveUp(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::Unavailable(text) | Error::Unprocessable(text) => Failure::Retry(text),
            error => Failure::Retry(error.to_string()),
        }
    }
}

/// One attempt at a job.
#[derive(Clone)]
pub struct Run {
    /// The application.
    pub app: App,
    id: i64,
    /// A transaction of the job has ended it.
    ended: Arc<AtomicBool>,
}

impl Run {
    /// Ends the job with a transaction, so that what it does and that it is done are
    /// one, whatever becomes of this server; false where it has been ended already,
    /// and nothing is left to do.
    pub fn end(&self, tx: &mut Tx<'_>) -> Result<bool> {
        let was_there = tx.execute(sql!("delete from jobs where id = $1"), (self.id,))? > 0;
        let ended = self.ended.clone();
        tx.after_commit(move || ended.store(true, Ordering::Relaxed));
        Ok(was_there)
    }

    /// Whether another job of this kind and key runs at the same time, on this node or on
    /// another. Where each of them asks in a transaction before it begins, no two do.
    pub fn has_twin<J: Job>(&self, tx: &mut Tx<'_>, job: &J) -> Result<bool> {
        let now = tx.now();
        let running: Vec<(serde_json::Value,)> = tx.all(
            sql!(
                "select payload from jobs
                 where name = $1 and id <> $2 and state = 'running' and lease_until >= $3"
            ),
            (J::NAME, self.id, now),
        )?;
        let key = job.dedupe_key();
        let is_twin = |(payload,): (serde_json::Value,)| {
            serde_json::from_value::<J>(payload).is_ok_and(|other| other.dedupe_key() == key)
        };
        Ok(running.into_iter().any(is_twin))
    }

    /// Records how far the work is, for the admin page.
    pub async fn progress(&self, done: i64, total: i64) {
        let id = self.id;
        let recorded = self
            .app
            .write(move |tx| {
                tx.execute(
                    sql!("update jobs set progress_done = $2, progress_total = $3 where id = $1"),
                    (id, done, total),
                )?;
                Ok(())
            })
            .await;
        recorded.best_effort("record job progress");
    }
}

/// Enqueues a job to run as soon as the transaction commits.
pub fn enqueue<J: Job>(tx: &mut Tx<'_>, registry: &Registry, job: &J) -> Result<()> {
    let now = tx.now();
    enqueue_at(tx, job, now)?;
    let bell = registry.bell.clone();
    tx.after_commit(move || bell.notify_one());
    Ok(())
}

/// Enqueues a job for later. Where one of its key is queued already, that one
/// is locked until the transaction commits: a worker that took it before would
/// not see what it is to work on.
pub fn enqueue_at<J: Job>(tx: &mut Tx<'_>, job: &J, run_at: Timestamp) -> Result<()> {
    let now = tx.now();
    let payload = serde_json::to_value(job).map_err(Error::internal)?;
    tx.execute(
        sql!(
            "insert into jobs (name, payload, state, dedupe_key, run_at, created_at, updated_at)
             values ($1, $2, 'queued', $3, $4, $5, $5)
             on conflict (name, dedupe_key) do update
                set updated_at = excluded.updated_at where false"
        ),
        (J::NAME, Json(payload), job.dedupe_key(), run_at, now),
    )?;
    Ok(())
}

type Runner = Arc<
    dyn Fn(serde_json::Value, Run) -> Pin<Box<dyn Future<Output = Result<(), Failure>> + Send>>
        + Send
        + Sync,
>;

/// Collects the kinds of jobs while rooms register.
#[derive(Default)]
pub struct RegistryBuilder {
    runners: HashMap<&'static str, Runner>,
    periodic: Vec<(&'static str, i64, Enqueue)>,
}

type Enqueue = fn(&mut Tx<'_>, Timestamp) -> Result<()>;

impl RegistryBuilder {
    /// Makes a kind of job known.
    pub fn add<J: Job>(&mut self) {
        let runner: Runner = Arc::new(|payload, run| {
            Box::pin(async move {
                let job: J = serde_json::from_value(payload)
                    .map_err(|error| Failure::GiveUp(format!("unreadable payload: {error}")))?;
                job.run(run).await
            })
        });
        self.runners.insert(J::NAME, runner);
    }

    /// Makes a kind known that is enqueued every `seconds`. Its dedupe key
    /// must be constant, so that nodes do not multiply it.
    pub fn add_periodic<J: Job + Default>(&mut self, seconds: i64) {
        self.add::<J>();
        self.periodic
            .push((J::NAME, seconds, |tx, at| enqueue_at(tx, &J::default(), at)));
    }

    /// Done registering.
    pub fn build(self) -> Registry {
        Registry {
            runners: Arc::new(self.runners),
            periodic: Arc::new(self.periodic),
            bell: Arc::new(Notify::new()),
        }
    }
}

/// The kinds of jobs this program knows.
#[derive(Clone)]
pub struct Registry {
    runners: Arc<HashMap<&'static str, Runner>>,
    periodic: Arc<Vec<(&'static str, i64, Enqueue)>>,
    bell: Arc<Notify>,
}

impl Registry {
    /// The settings that say when periodic jobs were enqueued last.
    pub fn periods(&self) -> impl Iterator<Item = String> {
        self.periodic.iter().map(|(name, ..)| period(name))
    }
}

fn period(job: &str) -> String {
    format!("period.{job}")
}

#[derive(Debug, FromRow)]
struct Claimed {
    id: i64,
    name: String,
    payload: serde_json::Value,
    attempts: i64,
}

/// Runs jobs until `stop` resolves; `workers` at a time. Jobs under way then
/// have a few seconds to finish, and are queued again if they do not.
pub async fn work(app: App, workers: usize, stop: impl Future<Output = ()> + Send) {
    let node = hex::encode(crate::secrets::random_bytes::<8>());
    let stopping = Arc::new(tokio::sync::Semaphore::new(0));
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..workers.max(1) {
        tasks.spawn(worker(app.clone(), node.clone(), stopping.clone()));
    }
    tasks.spawn(periodic(app.clone(), stopping.clone()));
    stop.await;
    stopping.close();
    app.jobs().bell.notify_waiters();
    while tasks.join_next().await.is_some() {}
}

async fn worker(app: App, node: String, stopping: Arc<tokio::sync::Semaphore>) {
    while !stopping.is_closed() {
        match claim(&app, &node).await {
            Ok(Some(job)) => run_one(&app, &node, job, &stopping).await,
            Ok(None) => pause(&app, &stopping).await,
            Err(error) => {
                tracing::warn!(%error, "cannot claim jobs");
                pause(&app, &stopping).await;
            }
        }
    }
}

async fn pause(app: &App, stopping: &tokio::sync::Semaphore) {
    tokio::select! {
        _ = app.jobs().bell.notified() => {}
        _ = tokio::time::sleep(POLL) => {}
        _ = stopping.acquire() => {}
    }
}

async fn periodic(app: App, stopping: Arc<tokio::sync::Semaphore>) {
    while !stopping.is_closed() {
        let kinds = app.jobs().periodic.clone();
        let enqueued = app
            .write(move |tx| {
                for (name, seconds, enqueue) in kinds.iter() {
                    if period_is_due(tx, name, *seconds)? {
                        let now = tx.now();
                        enqueue(tx, now)?;
                    }
                }
                Ok(())
            })
            .await;
        enqueued.best_effort("enqueue periodic jobs");
        tokio::select! {
            _ = tokio::time::sleep(Duration::from_secs(30)) => {}
            _ = stopping.acquire() => {}
        }
    }
}

/// Moves the period's mark on when it has passed; one node wins.
fn period_is_due(tx: &mut Tx<'_>, name: &str, seconds: i64) -> Result<bool> {
    let now = tx.now();
    let due = now - jiff::SignedDuration::from_secs(seconds);
    let changed = tx.execute(
        sql!(
            "insert into settings (key, value, updated_at) values ($1, $2, $3)
             on conflict (key) do update set updated_at = excluded.updated_at
             where settings.updated_at <= $4"
        ),
        (period(name), Json(serde_json::json!(seconds)), now, due),
    )?;
    Ok(changed > 0)
}

async fn claim(app: &App, node: &str) -> Result<Option<Claimed>> {
    let due = app
        .read(|tx| {
            let now = tx.now();
            Ok(tx.optional::<i64>(
                sql!(
                    "select id from jobs where (state = 'queued' and run_at <= $1)
                 or (state = 'running' and lease_until < $1) limit 1"
                ),
                (now,),
            )?)
        })
        .await?;
    if due.is_none() {
        return Ok(None);
    }
    let node = node.to_owned();
    app.write(move |tx| {
        let now = tx.now();
        let lease = now + jiff::SignedDuration::from_secs(LEASE_SECONDS);
        Ok(tx.optional(
            sql!(
                "update jobs set state = 'running', attempts = attempts + 1, lease_until = $2,
                    leased_by = $3, updated_at = $1,
                    dedupe_key = null
                 where id = (select id from jobs
                    where (state = 'queued' and run_at <= $1)
                       or (state = 'running' and lease_until < $1)
                    order by run_at, id limit 1 for update skip locked)
                 returning id, name, payload, attempts"
            ),
            (now, lease, node.as_str()),
        )?)
    })
    .await
}

async fn run_one(app: &App, node: &str, job: Claimed, stopping: &tokio::sync::Semaphore) {
    let id = job.id;
    let (name, attempts) = (job.name.clone(), job.attempts);
    let began = Instant::now();
    tracing::info!(job = id, name, node, attempt = attempts, "job begins");
    let ended = Arc::new(AtomicBool::new(false));
    let run = Run { app: app.clone(), id, ended: ended.clone() };
    let work = async {
        let Some(runner) = app.jobs().runners.get(name.as_str()).cloned() else {
            return Err(Failure::Retry("this version of the program does not know the job".into()));
        };
        runner(job.payload, run).await
    };
    let guarded = AssertUnwindSafe(work).catch_unwind();
    let renewed = keep_lease(app, node, id);
    let outcome = tokio::select! {
        outcome = guarded => outcome.unwrap_or_else(|_| Err(Failure::GiveUp("it panicked".into()))),
        _ = renewed => return,
        _ = outlasted(stopping) => return put_back(app, node, id).await,
    };
    let word = match &outcome {
        Ok(()) => "done",
        Err(Failure::Retry(_)) => "retry",
        Err(Failure::GiveUp(_)) => "failed",
    };
    app.metrics().job(&name, word, began.elapsed());
    if ended.load(Ordering::Relaxed) {
        tracing::info!(job = id, name, node, outcome = word, "job ended");
        return;
    }
    match finish(app, node, id, attempts, outcome).await {
        Ok(true) => tracing::info!(job = id, name, node, outcome = word, "job ended"),
        // Another node took it over and records what becomes of it.
        Ok(false) => tracing::warn!(job = id, name, node, "job outlived its lease"),
        Err(error) => tracing::warn!(%error, job = id, "cannot record the outcome of a job"),
    }
}

/// Returns once the server has been stopping for longer than a job may go on.
async fn outlasted(stopping: &tokio::sync::Semaphore) {
    // The semaphore has no permits: what it answers is that it was closed.
    let _ = stopping.acquire().await;
    tokio::time::sleep(GRACE).await;
}

/// Queues a job again that was cut short; it has not failed.
async fn put_back(app: &App, node: &str, id: i64) {
    let node = node.to_owned();
    let queued = app
        .write(move |tx| {
            let now = tx.now();
            tx.execute(
                sql!(
                    "update jobs set state = 'queued', run_at = $3, attempts = attempts - 1,
                        lease_until = null, updated_at = $3
                      where id = $1 and leased_by = $2"
                ),
                (id, node.as_str(), now),
            )?;
            Ok(())
        })
        .await;
    queued.best_effort("queue a job again");
    tracing::info!(job = id, "job is left to the next server");
}

/// Extends the lease while the job runs; returns when it was lost.
async fn keep_lease(app: &App, node: &str, id: i64) {
    loop {
        tokio::time::sleep(Duration::from_secs(LEASE_SECONDS as u64 / 3)).await;
        let node = node.to_owned();
        let renewed = app
            .write(move |tx| {
                let lease = tx.now() + jiff::SignedDuration::from_secs(LEASE_SECONDS);
                Ok(tx.execute(
                    sql!(
                        "update jobs set lease_until = $3
                          where id = $1 and leased_by = $2 and state = 'running'"
                    ),
                    (id, node.as_str(), lease),
                )?)
            })
            .await;
        if matches!(renewed, Ok(0)) {
            return;
        }
    }
}

/// Records what became of a job; false if the lease was lost meanwhile.
async fn finish(
    app: &App, node: &str, id: i64, attempts: i64, outcome: Result<(), Failure>,
) -> Result<bool> {
    let node = node.to_owned();
    let outcome = Arc::new(outcome);
    app.write(move |tx| {
        let now = tx.now();
        let changed = match outcome.as_ref() {
            Ok(()) => tx.execute(
                sql!("delete from jobs where id = $1 and leased_by = $2"),
                (id, node.as_str()),
            )?,
            Err(Failure::Retry(why)) if attempts < MAX_ATTEMPTS => {
                let wait = jiff::SignedDuration::from_secs(15 << (attempts - 1).clamp(0, 12));
                tx.execute(
                    sql!(
                        "update jobs set state = 'queued', run_at = $3, last_error = $4,
                            lease_until = null, updated_at = $5
                          where id = $1 and leased_by = $2"
                    ),
                    (id, node.as_str(), now + wait, why.as_str(), now),
                )?
            }
            Err(Failure::Retry(why) | Failure::GiveUp(why)) => {
                tracing::error!(job = id, why, "job gave up");
                tx.execute(
                    sql!(
                        "update jobs set state = 'failed', last_error = $3, lease_until = null,
                            updated_at = $4
                          where id = $1 and leased_by = $2"
                    ),
                    (id, node.as_str(), why.as_str(), now),
                )?
            }
        };
        Ok(changed > 0)
    })
    .await
}
