use crate::engines::{Database, NOTES, both, file, sqlite};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use store::{Error, Fragment, FromRow, Migration, Result, Store};

#[derive(Debug, PartialEq, FromRow)]
struct Note {
    id: i64,
    body: String,
    stars: i64,
    parent_id: Option<i64>,
}

#[derive(Debug, PartialEq, FromRow)]
struct Rated {
    #[nested]
    note: Note,
    #[read(i64::is_positive)]
    stars: bool,
}

fn add(db: &Database, body: &'static str) -> Result<i64> {
    db.store.write_blocking(move |tx| {
        tx.one::<i64>(store::sql!("insert into notes (body) values ($1) returning id"), (body,))
    })
}

fn bodies(db: &Database) -> Vec<String> {
    db.store
        .read_blocking(|tx| tx.all::<String>(store::sql!("select body from notes order by id"), ()))
        .unwrap()
}

#[test]
fn a_row_written_is_read_back() {
    for db in both(NOTES) {
        let id = add(&db, "hello").unwrap();
        let changed = db.store.write_blocking(move |tx| {
            tx.execute(
                store::sql!("update notes set stars = $2, body = $3 where id = $1"),
                (id, 5_i64, "changed"),
            )
        });
        assert_eq!(changed, Ok::<u64, Error>(1));
        let note = db.store.read_blocking(|tx| tx.one::<Note>("select * from notes", ()));
        let expected = Note { id, body: "changed".into(), stars: 5, parent_id: None };
        assert_eq!(note, Ok::<Note, Error>(expected));
        let rated =
            db.store.read_blocking(|tx| tx.one::<Rated>("select * from notes", ())).unwrap();
        assert!(rated.stars && rated.note.id == id);
    }
}

#[test]
fn an_error_and_a_panic_undo_the_transaction() {
    for db in both(NOTES) {
        let refused = db.store.write_blocking(|tx| {
            tx.execute("insert into notes (body) values ('gone')", ())?;
            Err::<(), Error>(Error::NoRow)
        });
        assert_eq!(refused, Err(Error::NoRow));
        let panicked = db.store.write_blocking(|tx| {
            tx.execute("insert into notes (body) values ('gone')", ())?;
            panic!("on purpose");
            #[expect(unreachable_code, reason = "gives the closure its type")]
            Ok::<(), Error>(())
        });
        assert!(matches!(panicked, Err(Error::Engine(text)) if text.contains("on purpose")));
        let read = db.store.read_blocking(|_| -> Result<()> { panic!("on purpose") });
        assert!(matches!(read, Err(Error::Engine(_))));
        assert!(bodies(&db).is_empty());
    }
}

#[test]
fn constraints_have_names_of_their_own() {
    for db in both(NOTES) {
        add(&db, "one").unwrap();
        let unique = add(&db, "one");
        assert!(
            matches!(&unique, Err(Error::Unique { constraint })
                if constraint == "notes_body" || constraint == "notes.body"),
            "{unique:?}"
        );
        let try_out = |sql: &'static str| db.store.write_blocking(move |tx| tx.execute(sql, ()));
        let foreign = try_out("insert into notes (body, parent_id) values ('x', 99)");
        assert_eq!(foreign, Err(Error::Foreign));
        let answer = "insert into notes (body, parent_id) select 'two', id from notes";
        assert_eq!(try_out(answer), Ok(1));
        assert_eq!(try_out("delete from notes where body = 'one'"), Err(Error::Foreign));
        let check = try_out("insert into notes (body, stars) values ('x', -1)");
        assert_eq!(check, Err(Error::Check));
    }
}

#[test]
fn a_savepoint_undoes_its_part_alone() {
    for db in both(NOTES) {
        let rung = Arc::new(AtomicU32::new(0));
        let bell = rung.clone();
        db.store
            .write_blocking(move |tx| {
                tx.execute("insert into notes (body) values ('kept')", ())?;
                let inner = bell.clone();
                let refused = tx.savepoint(|tx| {
                    tx.after_commit(move || {
                        inner.fetch_add(100, Ordering::SeqCst);
                    });
                    tx.execute("insert into notes (body) values ('undone')", ())?;
                    tx.execute("insert into notes (body) values ('kept')", ())
                });
                assert!(matches!(refused, Err(Error::Unique { .. })));
                let inner = bell.clone();
                tx.savepoint(|tx| {
                    tx.after_commit(move || {
                        inner.fetch_add(1, Ordering::SeqCst);
                    });
                    tx.savepoint(|tx| tx.execute("insert into notes (body) values ('deep')", ()))
                })
            })
            .unwrap();
        assert_eq!(bodies(&db), ["kept", "deep"]);
        assert_eq!(rung.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn callbacks_run_only_after_a_commit() {
    for db in both(NOTES) {
        let rung = Arc::new(AtomicU32::new(0));
        for fails in [false, true] {
            let rung = rung.clone();
            let result = db.store.write_blocking(move |tx| {
                let rung = rung.clone();
                tx.after_commit(move || {
                    rung.fetch_add(1, Ordering::SeqCst);
                });
                if fails { Err(Error::NoRow) } else { Ok(()) }
            });
            assert_eq!(result.is_err(), fails);
        }
        assert_eq!(rung.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn a_read_changes_nothing_and_sees_one_snapshot() {
    for db in both(NOTES) {
        add(&db, "before").unwrap();
        let changed = db.store.read_blocking(|tx| tx.execute("delete from notes", ()));
        assert!(changed.is_err());
        let counts = db.store.read_blocking(|tx| {
            let first: i64 = tx.one("select count(*) from notes", ())?;
            add(&db, "meanwhile")?;
            Ok::<_, Error>((first, tx.one::<i64>("select count(*) from notes", ())?))
        });
        assert_eq!(counts, Ok((1, 1)));
        assert_eq!(bodies(&db), ["before", "meanwhile"]);
    }
}

#[test]
fn long_results_stream() {
    let numbers = "with recursive n(i) as (
        select cast(1 as bigint) union all select i + 1 from n where i < 50000
      ) select i from n";
    for db in both(NOTES) {
        let mut sum = 0;
        let result: Result<i64> = db.store.read_blocking(|tx| {
            tx.each(numbers, (), |i: i64| {
                sum += i;
                Ok(())
            })?;
            let stopped = tx.each(numbers, (), |i: i64| match i {
                1..3 => Ok(()),
                _ => Err(Error::Check),
            });
            assert_eq!(stopped, Err(Error::Check));
            tx.one("select cast(7 as bigint)", ())
        });
        assert_eq!((result, sum), (Ok(7), 1_250_025_000));
    }
}

#[test]
fn statements_are_built_of_parts() {
    for db in both(NOTES) {
        for body in ["a", "b", "c"] {
            add(&db, body).unwrap();
        }
        let found = db.store.read_blocking(|tx| {
            let mut some = Fragment::new(" and body <> '$1'");
            some.in_list("and body", vec!["a".to_owned(), "c".to_owned()]);
            let mut all = Fragment::new("select body from notes where true");
            all.push(" and stars < ", 1_i64)
                .append(some)
                .raw(" order by id")
                .push(" limit ", 5_i64);
            assert_eq!(
                all.text(),
                "select body from notes where true and stars < $1 and body <> '$1' \
                 and body in_list($2) order by id limit $3"
            );
            tx.query::<String>(all)
        });
        assert_eq!(found, Ok::<_, Error>(vec!["a".to_owned(), "c".to_owned()]));
    }
}

#[test]
fn a_wrong_read_says_what_was_wrong() {
    for db in both(NOTES) {
        add(&db, "one").unwrap();
        let read = |sql: &'static str| db.store.read_blocking(move |tx| tx.one::<Note>(sql, ()));
        let missing = read("select 1 as id");
        assert!(matches!(missing, Err(Error::Type { what }) if what.contains("body")));
        let other = read("select body as id, body, stars, parent_id from notes");
        assert!(matches!(other, Err(Error::Type { what }) if what.contains("column id")));
        assert_eq!(read("select * from notes where id = 0").unwrap_err(), Error::NoRow);
    }
}

#[test]
fn a_backup_is_whole_while_writes_go_on() {
    let (config, place) = sqlite();
    let db = crate::engines::open((config, place), NOTES);
    for _ in 0..2_000 {
        db.store
            .write_blocking(|tx| {
                tx.execute("insert into notes (body) select 'n' || (count(*) + 1) from notes", ())
            })
            .unwrap();
        if bodies(&db).len() >= 200 {
            break;
        }
    }
    let copy = file(&db.config).with_extension("copy");
    let mut seen = (0, 0);
    db.store
        .backup_sqlite(&copy, |done, all| {
            add(&db, "during the copy").ok();
            seen = (done, all);
        })
        .unwrap();
    assert!(seen.0 == seen.1 && seen.1 > 0);
    assert!(db.store.backup_sqlite(&copy, |_, _| {}).is_err(), "never writes over a file");
    let restored = Store::open(store::Config::sqlite(&copy), NOTES).unwrap();
    let count: Result<i64> = restored.read_blocking(|tx| tx.one("select count(*) from notes", ()));
    assert_eq!(count, Ok(200));
}

#[test]
fn a_second_server_on_the_same_file_is_refused() {
    let (config, _place) = sqlite();
    let migrations: &[Migration] = NOTES;
    let first = Store::open(config.clone(), migrations).unwrap();
    let second = Store::open(config, migrations).unwrap();
    let held = first.serve_lock().unwrap();
    assert_eq!(second.serve_lock().err(), Some(Error::InUse));
    let beside = second.write_blocking(|tx| {
        tx.execute("insert into notes (body) values ('by the command line')", ())
    });
    assert_eq!(beside, Ok::<u64, Error>(1));
    drop(held);
    assert!(second.serve_lock().is_ok());
}
