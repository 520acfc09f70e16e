//! Background work, told with a job that says how it ends.

use kernel::app::App;
use kernel::error::Result;
use kernel::jobs::{self, Failure, Job, Listed, Run};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

static RUNS: LazyLock<Mutex<HashMap<String, u32>>> = LazyLock::new(Mutex::default);

#[derive(Serialize, Deserialize, Clone)]
struct Told {
    test: String,
    end: String,
    key: Option<String>,
}

impl Job for Told {
    const NAME: &'static str = "test.told";
    fn dedupe_key(&self) -> Option<String> {
        self.key.clone()
    }
    async fn run(self, run: Run) -> Result<(), Failure> {
        *RUNS.lock().unwrap().entry(self.test).or_default() += 1;
        run.progress(1, 2).await;
        match self.end.as_str() {
            "done" => Ok(()),
            "retry" => Err(Failure::Retry("the other side is away".into())),
            "give up" => Err(Failure::GiveUp("it can never work".into())),
            "never" => std::future::pending().await,
            _ => panic!("on purpose"),
        }
    }
}

fn told(test: &str, end: &str) -> Told {
    Told { test: test.into(), end: end.into(), key: None }
}

fn runs(test: &str) -> u32 {
    RUNS.lock().unwrap().get(test).copied().unwrap_or(0)
}

async fn enqueue(app: &App, job: Told) {
    let registry = app.jobs().clone();
    app.write(move |tx| jobs::enqueue(tx, &registry, &job)).await.unwrap();
}

async fn listed(app: &App) -> Vec<Listed> {
    app.read(|tx| jobs::list(tx, "", 100, 0)).await.unwrap()
}

/// Works until `settled` says so, or fails after ten seconds.
async fn work_until(app: &App, settled: impl Fn(&[Listed]) -> bool) {
    let (done, stop) = tokio::sync::oneshot::channel::<()>();
    let working = tokio::spawn(jobs::work(app.clone(), 4, async move {
        stop.await.ok();
    }));
    for _ in 0..500 {
        if settled(&listed(app).await) {
            done.send(()).ok();
            working.await.unwrap();
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("not settled: {:?}", listed(app).await);
}

#[tokio::test]
async fn a_finished_job_leaves_nothing() {
    let (app, _folder) = crate::house::app(|jobs| jobs.add::<Told>());
    enqueue(&app, told("finished", "done")).await;
    work_until(&app, <[Listed]>::is_empty).await;
    assert_eq!(runs("finished"), 1);
}

#[tokio::test]
async fn a_job_of_a_change_that_failed_never_runs() {
    let (app, _folder) = crate::house::app(|jobs| jobs.add::<Told>());
    let registry = app.jobs().clone();
    let failed: Result<()> = app
        .write(move |tx| {
            jobs::enqueue(tx, &registry, &told("undone", "done"))?;
            Err(kernel::error::Error::NotFound("Project"))
        })
        .await;
    assert!(failed.is_err());
    assert!(listed(&app).await.is_empty());
}

#[tokio::test]
async fn a_job_that_wants_a_retry_waits_longer_each_time() {
    let (app, _folder) = crate::house::app(|jobs| jobs.add::<Told>());
    enqueue(&app, told("retried", "retry")).await;
    work_until(&app, |jobs| jobs[0].state == "queued" && jobs[0].attempts == 1).await;
    let first = listed(&app).await.remove(0);
    assert_eq!(first.run_at.as_second() - app.now().as_second(), 15);
    assert_eq!(first.last_error.as_deref(), Some("the other side is away"));
    assert_eq!((first.progress_done, first.progress_total), (Some(1), Some(2)));
    app.clock().advance(20);
    work_until(&app, |jobs| jobs[0].attempts == 2 && jobs[0].state == "queued").await;
    let second = listed(&app).await.remove(0);
    assert_eq!(second.run_at.as_second() - app.now().as_second(), 30);
}

#[tokio::test]
async fn what_waits_may_be_made_due_at_once() {
    let (app, _folder) = crate::house::app(|jobs| jobs.add::<Told>());
    enqueue(&app, told("hurried", "retry")).await;
    work_until(&app, |jobs| jobs[0].state == "queued" && jobs[0].attempts == 1).await;
    let (id, registry) = (listed(&app).await[0].id, app.jobs().clone());
    let hurried = app.write(move |tx| jobs::retry(tx, &registry, id));
    assert!(hurried.await.unwrap());
    work_until(&app, |_| runs("hurried") == 2).await;
}

#[tokio::test]
async fn what_gave_up_or_panicked_waits_for_an_administrator() {
    let (app, _folder) = crate::house::app(|jobs| jobs.add::<Told>());
    enqueue(&app, told("dead", "give up")).await;
    enqueue(&app, told("dead", "panic")).await;
    work_until(&app, |jobs| jobs.iter().all(|job| job.state == "failed")).await;
    let dead = listed(&app).await;
    assert_eq!(dead[0].last_error.as_deref(), Some("it can never work"));
    let (first, second) = (dead[0].id, dead[1].id);
    let registry = app.jobs().clone();
    assert!(app.write(move |tx| jobs::retry(tx, &registry, first)).await.unwrap());
    assert!(app.write(move |tx| jobs::discard(tx, second)).await.unwrap());
    assert!(!app.write(move |tx| jobs::discard(tx, second)).await.unwrap());
    work_until(&app, |jobs| jobs.len() == 1 && jobs[0].state == "failed").await;
    assert_eq!(runs("dead"), 3);
}

#[tokio::test]
async fn a_job_that_goes_on_is_left_to_the_next_server() {
    let (app, _folder) = crate::house::app(|jobs| jobs.add::<Told>());
    enqueue(&app, told("endless", "never")).await;
    // It returns, although the job would not.
    work_until(&app, |jobs| jobs[0].progress_done == Some(1)).await;
    let left = listed(&app).await.remove(0);
    assert_eq!((left.state.as_str(), left.attempts), ("queued", 0));
    assert_eq!(left.last_error, None);
    work_until(&app, |_| runs("endless") == 2).await;
}

#[tokio::test]
async fn a_job_of_a_dead_node_is_taken_over() {
    let (app, _folder) = crate::house::app(|jobs| jobs.add::<Told>());
    enqueue(&app, told("orphan", "done")).await;
    app.write(|tx| {
        let lease = tx.now() + jiff::SignedDuration::from_secs(60);
        tx.execute(
            "update jobs set state = 'running', leased_by = 'dead', lease_until = $1",
            (lease,),
        )?;
        Ok(())
    })
    .await
    .unwrap();
    app.clock().advance(61);
    work_until(&app, <[Listed]>::is_empty).await;
    assert_eq!(runs("orphan"), 1);
}

#[tokio::test]
async fn equal_keys_are_one_while_queued() {
    let (app, _folder) = crate::house::app(|jobs| jobs.add::<Told>());
    for _ in 0..3 {
        let key = Some("same".into());
        enqueue(&app, Told { key, ..told("keyed", "done") }).await;
    }
    assert_eq!(listed(&app).await.len(), 1);
    work_until(&app, <[Listed]>::is_empty).await;
    assert_eq!(runs("keyed"), 1);
}

#[tokio::test]
async fn two_nodes_run_each_job_once() {
    let (app, _folder) = crate::house::app(|jobs| jobs.add::<Told>());
    for _ in 0..100 {
        enqueue(&app, told("shared", "done")).await;
    }
    let other = app.clone();
    let second = tokio::spawn(async move { work_until(&other, <[Listed]>::is_empty).await });
    work_until(&app, <[Listed]>::is_empty).await;
    second.await.unwrap();
    assert_eq!(runs("shared"), 100);
}
