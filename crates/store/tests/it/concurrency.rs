use crate::engines::{Database, NOTES, both, configs, open, runtime};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use store::{Error, Migration, Result};

/// Runs `count` writes at once, `f(n)` each, and gives their results.
fn at_once<T: Send + 'static>(
    db: &Database, count: i64,
    f: impl Fn(&mut store::Tx<'_>, i64) -> Result<T> + Send + Sync + 'static,
) -> Vec<Result<T>> {
    let f = Arc::new(f);
    runtime().block_on(async {
        let mut tasks = Vec::new();
        for n in 0..count {
            let (store, f) = (db.store.clone(), f.clone());
            tasks.push(tokio::spawn(async move { store.write(move |tx| f(tx, n)).await }));
        }
        let mut results = Vec::new();
        for task in tasks {
            results.push(task.await.unwrap());
        }
        results
    })
}

#[test]
fn parallel_increments_are_exact() {
    for db in both(NOTES) {
        let add = "insert into notes (body) values ('counter')";
        db.store.write_blocking(move |tx| tx.execute(add, ())).unwrap();
        let results = at_once(&db, 200, |tx, _| {
            let stars: i64 = tx.one("select stars from notes", ())?;
            tx.execute("update notes set stars = $1", (stars + 1,))
        });
        assert!(results.iter().all(|result| *result == Ok(1)), "{results:?}");
        let stars = db.store.read_blocking(|tx| tx.one("select stars from notes", ()));
        assert_eq!(stars, Ok::<i64, Error>(200));
    }
}

#[test]
fn a_failing_write_harms_no_other_in_its_group() {
    for db in both(NOTES) {
        let rung = Arc::new(AtomicU32::new(0));
        let bell = rung.clone();
        let results = at_once(&db, 60, move |tx, n| {
            let bell = bell.clone();
            tx.after_commit(move || {
                bell.fetch_add(1, Ordering::SeqCst);
            });
            tx.execute("insert into notes (body) values ($1)", (format!("n{n}"),))?;
            match n % 6 {
                1 => tx.execute("insert into notes (body) values ($1)", (format!("n{n}"),)),
                2 => panic!("on purpose"),
                3 => tx.execute("syntax error", ()),
                _ => Ok(1),
            }
        });
        for (n, result) in results.iter().enumerate() {
            assert_eq!(result.is_ok(), !(1..=3).contains(&(n % 6)), "{n}: {result:?}");
        }
        let count = db.store.read_blocking(|tx| tx.one("select count(*) from notes", ()));
        assert_eq!(count, Ok::<i64, Error>(30));
        assert_eq!(rung.load(Ordering::SeqCst), 30);
    }
}

#[test]
fn a_constraint_that_fails_at_commit_harms_its_write_alone() {
    let deferred = [Migration {
        number: 1,
        name: "links",
        sql: "create table links (
  id bigint primary key,
  next_id bigint references links (id) deferrable initially deferred
);
",
    }];
    for place in configs() {
        let db = open(place, &deferred);
        let results = at_once(&db, 30, |tx, n| {
            let next = if n == 11 { 999 } else { n };
            tx.execute("insert into links (id, next_id) values ($1, $2)", (n, next))
        });
        let failed: Vec<_> = results.iter().filter_map(|result| result.as_ref().err()).collect();
        assert_eq!(failed, [&Error::Foreign]);
        let count = db.store.read_blocking(|tx| tx.one("select count(*) from links", ()));
        assert_eq!(count, Ok::<i64, Error>(29));
    }
}

#[test]
fn a_lost_connection_is_replaced() {
    let Some(place) = crate::engines::postgres() else {
        return;
    };
    let db = open(place, NOTES);
    let pid: i64 = db
        .store
        .read_blocking(|tx| tx.one("select cast(pg_backend_pid() as bigint)", ()))
        .unwrap();
    let other = store::Store::open(db.config.clone(), NOTES).unwrap();
    let end = |pid: i64| {
        other.read_blocking(|tx| {
            tx.one::<bool>("select pg_terminate_backend(cast($1 as integer))", (pid,))
        })
    };
    assert_eq!(end(pid), Ok::<bool, Error>(true));
    let next: i64 = db
        .store
        .write_blocking(|tx| tx.one("select cast(pg_backend_pid() as bigint)", ()))
        .unwrap();
    assert_ne!(next, pid);
    let lost = db.store.read_blocking(|tx| {
        end(next)?;
        std::thread::sleep(std::time::Duration::from_millis(100));
        tx.one::<bool>("select true", ())
    });
    assert!(matches!(lost, Err(Error::Unavailable(_))), "{lost:?}");
    assert_eq!(db.store.read_blocking(|tx| tx.one("select true", ())), Ok::<bool, Error>(true));
}
