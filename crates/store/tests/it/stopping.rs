//! Statements that must not run on.

use crate::engines::{ENDLESS, NOTES, both, both_within, runtime};
use std::time::{Duration, Instant};
use store::{Engine, Error, Result};

#[test]
fn a_statement_ends_at_its_timeout() {
    for db in both_within(Duration::from_millis(300), NOTES) {
        let started = Instant::now();
        let read: Result<i64> = db.store.read_blocking(|tx| tx.one(ENDLESS, ()));
        assert_eq!(read, Err(Error::Timeout));
        let write: Result<i64> = db.store.write_blocking(|tx| tx.one(ENDLESS, ()));
        assert_eq!(write, Err(Error::Timeout));
        assert!(started.elapsed() < Duration::from_secs(5));
        let after: Result<bool> = db.store.read_blocking(|tx| tx.one("select true", ()));
        assert_eq!(after, Ok(true));
    }
}

#[test]
fn a_timeout_inside_a_group_harms_no_other_write() {
    for db in both_within(Duration::from_millis(400), NOTES) {
        runtime().block_on(async {
            let mut tasks = Vec::new();
            for i in 0..20 {
                let store = db.store.clone();
                tasks.push(tokio::spawn(async move {
                    store
                        .write(move |tx| {
                            if i == 7 {
                                let endless = format!(
                                    "insert into notes (body) select 'x' from ({ENDLESS}) as n"
                                );
                                return tx.execute(&endless, ());
                            }
                            tx.execute("insert into notes (body) values ($1)", (format!("n{i}"),))
                        })
                        .await
                }));
            }
            let mut failed = Vec::new();
            for task in tasks {
                failed.extend(task.await.unwrap().err());
            }
            assert_eq!(failed, [Error::Timeout]);
            let count = db.store.read(|tx| tx.one::<i64>("select count(*) from notes", ())).await;
            assert_eq!(count, Ok::<i64, Error>(19));
        });
    }
}

#[test]
fn a_dropped_read_stops_its_statement_and_nobody_elses() {
    for mut db in both(NOTES) {
        db.config.connections = 2;
        let store = store::Store::open(db.config.clone(), NOTES).unwrap();
        runtime().block_on(async {
            for round in 0..6 {
                let endless = store.read(|tx| tx.one::<i64>(ENDLESS, ()));
                let cut = tokio::time::timeout(Duration::from_millis(30 * round), endless).await;
                assert!(cut.is_err());
                let started = Instant::now();
                let reads = (0..8).map(|_| {
                    let store = store.clone();
                    tokio::spawn(async move {
                        store.read(|tx| tx.all::<String>("select body from notes", ())).await
                    })
                });
                for read in reads.collect::<Vec<_>>() {
                    assert_eq!(read.await.unwrap(), Ok::<_, Error>(vec![]));
                }
                assert!(
                    started.elapsed() < Duration::from_secs(5),
                    "the connection was given back"
                );
            }
        });
    }
}

#[test]
fn a_glance_that_turns_out_long_takes_its_time_elsewhere() {
    const LONG: &str = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 500000) select count(*) from n";
    for db in both(NOTES) {
        let store = store::Store::open(db.config.clone(), NOTES).unwrap();
        runtime().block_on(async {
            let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
            for _ in 0..3 {
                let short = store.read_inline(|tx| tx.one::<i64>("select 7", ())).await;
                assert_eq!(short, Ok::<_, Error>(7));
                let threads = seen.clone();
                let long = store.read_inline(move |tx| {
                    threads.lock().unwrap().push(std::thread::current().id());
                    tx.one::<i64>(LONG, ())
                });
                assert_eq!(long.await, Ok::<_, Error>(500_000));
            }
            let here = std::thread::current().id();
            let seen = seen.lock().unwrap();
            let elsewhere = seen.iter().filter(|thread| **thread != here).count();
            assert_eq!(elsewhere, 3, "each ended on a thread that may block");
            let given_up = seen.len() - elsewhere;
            let expected = match store.engine() {
                Engine::Sqlite => 3,
                Engine::Postgres => 0,
            };
            assert_eq!(given_up, expected, "tried at once where that is possible");
        });
    }
}

#[test]
fn a_write_whose_caller_left_before_it_began_is_skipped() {
    for mut db in both(NOTES) {
        db.config.connections = 1;
        let store = store::Store::open(db.config.clone(), NOTES).unwrap();
        runtime().block_on(async {
            let (begun, started) = tokio::sync::oneshot::channel::<()>();
            let begun = std::sync::Mutex::new(Some(begun));
            let (go, gate) = std::sync::mpsc::channel::<()>();
            let gate = std::sync::Mutex::new(gate);
            let busy = store.clone();
            let first = tokio::spawn(async move {
                busy.write(move |_| {
                    begun.lock().unwrap().take().map(|begun| begun.send(()));
                    gate.lock().unwrap().recv().ok();
                    Ok::<(), Error>(())
                })
                .await
            });
            started.await.unwrap();
            let left = store.write(|tx| tx.execute("insert into notes (body) values ('x')", ()));
            assert!(tokio::time::timeout(Duration::from_millis(50), left).await.is_err());
            go.send(()).unwrap();
            first.await.unwrap().unwrap();
            let count = store.write(|tx| tx.one::<i64>("select count(*) from notes", ())).await;
            assert_eq!(count, Ok::<i64, Error>(0));
        });
    }
}
