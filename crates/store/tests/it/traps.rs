//! Where the two drivers differ silently.

use crate::engines::{NOTES, both, runtime};
use jiff::Timestamp;
use store::{Error, Json, Result};

#[test]
fn parameters_keep_their_numbers_whatever_their_order() {
    for db in both(NOTES) {
        let changed = db.store.write_blocking(|tx| {
            tx.execute("insert into notes (body) values ('x')", ())?;
            tx.execute(
                "update notes set stars = $2, body = $3 || '$4' where body = $1",
                ("x", 7_i64, "y"),
            )
        });
        assert_eq!(changed, Ok::<u64, Error>(1));
        let row = db.store.read_blocking(|tx| tx.one("select stars, body from notes", ()));
        assert_eq!(row, Ok::<(i64, String), Error>((7, "y$4".to_owned())));
    }
}

#[test]
fn parameters_have_the_types_of_our_values() {
    for db in both(NOTES) {
        let row: Result<(i64, Json<Vec<i64>>, Option<i64>)> = db.store.read_blocking(|tx| {
            tx.one("select coalesce($1, 0), $2, $3", (5_i64, Json(vec![1_i64, 2]), None::<i64>))
        });
        assert_eq!(row, Ok((5, Json(vec![1, 2]), None)));
        let one_text = "select coalesce($1, $1)";
        let (number, text): (i64, String) = db
            .store
            .read_blocking(|tx| {
                Ok::<_, Error>((tx.one(one_text, (4_i64,))?, tx.one(one_text, ("four",))?))
            })
            .unwrap();
        assert_eq!((number, text.as_str()), (4, "four"));
    }
}

#[test]
fn an_async_worker_may_use_and_drop_the_store() {
    for db in both(NOTES) {
        let count = runtime().block_on(async move {
            let store = db.store.clone();
            let task = tokio::spawn(async move {
                let write =
                    store.write(|tx| tx.execute("insert into notes (body) values ('x')", ()));
                write.await?;
                let count = store.read(|tx| tx.one::<i64>("select count(*) from notes", ())).await;
                let again = store::Store::open(db.config.clone(), NOTES)?;
                drop((store, db, again));
                count
            });
            task.await.unwrap()
        });
        assert_eq!(count, Ok::<i64, Error>(1));
    }
}

#[test]
fn a_failed_statement_ends_its_transaction_on_both() {
    for db in both(NOTES) {
        let result = db.store.write_blocking(|tx| {
            tx.execute("insert into notes (body) values ('x')", ())?;
            let caught = tx.execute("insert into notes (body) values ('x')", ());
            assert!(matches!(caught, Err(Error::Unique { .. })));
            let next = tx.one::<i64>("select 1", ());
            assert!(matches!(next, Err(Error::Engine(_))));
            Ok::<(), Error>(())
        });
        assert!(matches!(result, Err(Error::Engine(_))));
        let count = db.store.read_blocking(|tx| tx.one("select count(*) from notes", ()));
        assert_eq!(count, Ok::<i64, Error>(0));
    }
}

#[test]
fn times_have_whole_microseconds() {
    for db in both(NOTES) {
        let nanos: Timestamp = "2026-11-21T12:00:00.123456789Z".parse().unwrap();
        let before: Timestamp = "1969-12-31T23:59:59.123456789Z".parse().unwrap();
        let (now, read, early): (Timestamp, Timestamp, Timestamp) = db
            .store
            .read_blocking(|tx| {
                let (read, early) = tx.one("select $1, $2", (nanos, before))?;
                Ok::<_, Error>((tx.now(), fixed(read), fixed(early)))
            })
            .unwrap();
        assert_eq!(now.subsec_nanosecond() % 1_000, 0);
        assert_eq!(read.to_string(), "2026-11-21T12:00:00.123456Z");
        assert_eq!(early.as_microsecond(), before.as_microsecond());
    }
}

fn fixed(time: Timestamp) -> Timestamp {
    time
}
