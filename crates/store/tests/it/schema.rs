use crate::engines::{NOTES, configs};
use store::{Error, Fragment, Migration, Store, Term, Terms};

const MORE: Migration = Migration {
    number: 2,
    name: "tags",
    sql: "-- don't trip over this; or this
create table tags (
  id identity, -- the key
  text text not null default 'a;b',
  \"order\" text
);
alter table notes add column kind text not null default 'note';
insert into tags (text) select cast(1 as text) || '; ';
",
};

#[test]
fn migrations_run_once_and_in_order() {
    for (config, _place) in configs() {
        let both = [MORE, NOTES[0]];
        drop(Store::open(config.clone(), NOTES).unwrap());
        drop(Store::open(config.clone(), &both).unwrap());
        let store = Store::open(config, &both).unwrap();
        let applied: Vec<(i64, String)> = store
            .read_blocking(|tx| tx.all("select number, name from schema_migrations order by 1", ()))
            .unwrap();
        assert_eq!(applied, [(1, "notes".to_owned()), (2, "tags".to_owned())]);
        let tags: Result<Vec<String>, Error> =
            store.read_blocking(|tx| tx.all("select text from tags", ()));
        assert_eq!(tags, Ok(vec!["1; ".to_owned()]));
    }
}

const WORDS: Migration = Migration {
    number: 2,
    name: "words",
    sql: "
on sqlite create virtual table words using fts5 (terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');
on sqlite create trigger words_gone after delete on notes begin delete from words where rowid = old.id; end;
on postgres create table words (rowid bigint primary key references notes (id) on delete cascade, terms tsvector not null);
",
};

/// The rows of the index with all these terms, the last by its beginning, and one
/// of those.
fn matching(store: &Store, all: &[&str], any: &[&str]) -> Vec<i64> {
    let term = |(at, text): (usize, &&str)| Term {
        text: (*text).to_owned(),
        is_prefix: at + 1 == all.len(),
    };
    let terms = Terms {
        all: all.iter().enumerate().map(term).collect(),
        any: any.iter().map(|text| (*text).to_owned()).collect(),
    };
    let found: Result<Vec<i64>, Error> = store.read_blocking(move |tx| {
        let mut query = Fragment::new("select rowid from words where ");
        query.append(tx.match_terms("words", &terms)?).raw(" order by rowid");
        tx.query(query)
    });
    found.unwrap()
}

#[test]
fn each_engine_has_its_index_of_terms() {
    for (config, _place) in configs() {
        let store = Store::open(config, &[NOTES[0], WORDS]).unwrap();
        let written: Result<(), Error> = store.write_blocking(|tx| {
            tx.execute("insert into notes (body) values ('a'), ('b'), ('c')", ())?;
            let row = |id: i64, terms: &str| (id, terms.to_owned());
            let rows = [row(1, "door hinge"), row(2, "doors and not"), row(3, "brücke 東京")];
            tx.put_terms("words", &rows)
        });
        written.unwrap();
        assert_eq!(matching(&store, &["door"], &[]), [1, 2]);
        assert_eq!(matching(&store, &["door", "hin"], &[]), [1]);
        assert_eq!(matching(&store, &["not"], &[]), [2]);
        assert_eq!(matching(&store, &["東"], &["brücke", "hinge"]), [3]);
        assert_eq!(matching(&store, &["door"], &["hinge"]), [1]);
        let changed: Result<(), Error> = store.write_blocking(|tx| {
            tx.put_terms("words", &[(1, "window".to_owned())])?;
            tx.run("delete from notes where id = 2", ())
        });
        changed.unwrap();
        assert!(matching(&store, &["door"], &[]).is_empty());
        assert_eq!(matching(&store, &["win"], &[]), [1]);
    }
}

#[test]
fn servers_that_start_together_migrate_once() {
    for (config, _place) in configs() {
        std::thread::scope(|scope| {
            let open = || Store::open(config.clone(), &[NOTES[0], MORE]).map(drop);
            let all: Vec<_> = (0..6).map(|_| scope.spawn(open)).collect();
            for one in all {
                assert_eq!(one.join().unwrap(), Ok(()));
            }
        });
    }
}

#[test]
fn a_newer_schema_and_a_changed_migration_are_refused() {
    for (config, _place) in configs() {
        Store::open(config.clone(), &[NOTES[0], MORE]).unwrap();
        let older = Store::open(config.clone(), NOTES).map(drop);
        assert_eq!(older, Err(Error::NewerSchema { found: 2, known: 1 }));
        let changed = Migration { sql: "select 1;", ..MORE };
        let changed = Store::open(config, &[NOTES[0], changed]).map(drop);
        assert_eq!(changed, Err(Error::ChangedMigration { number: 2 }));
    }
}

#[test]
fn a_failed_migration_leaves_nothing_behind() {
    let broken = Migration {
        number: 2,
        name: "broken",
        sql: "create table a (id identity);\nsyntax error;\n",
    };
    for (config, _place) in configs() {
        let failed = Store::open(config.clone(), &[NOTES[0], broken]).map(drop);
        assert!(matches!(failed, Err(Error::Engine(text)) if text.contains("broken")));
        let mended = Migration { sql: "create table a (id identity);\n", ..broken };
        assert!(Store::open(config, &[NOTES[0], mended]).is_ok());
    }
}

#[test]
fn identity_columns_never_reuse_a_number() {
    for (config, _place) in configs() {
        let store = Store::open(config, NOTES).unwrap();
        let ids: Result<Vec<i64>, Error> = store.write_blocking(|tx| {
            let add = "insert into notes (body) values ('x') returning id";
            let first = tx.one(add, ())?;
            tx.execute("delete from notes", ())?;
            Ok(vec![first, tx.one(add, ())?])
        });
        assert_eq!(ids, Ok(vec![1, 2]));
    }
}

/// Other crates linked into this test register theirs too; those are
/// prepared where their tables are.
#[test]
fn every_registered_statement_is_prepared() {
    let samples = Migration { number: 2, ..crate::values::SAMPLES[0] };
    let ours = |failed: Result<(), Error>| match failed {
        Err(Error::Engine(text)) => text.lines().any(|line| line.contains("values.rs")),
        Err(other) => panic!("{other}"),
        Ok(()) => false,
    };
    for (config, _place) in configs() {
        let store = Store::open(config.clone(), NOTES).unwrap();
        assert!(ours(store.check_statements()));
        let store = Store::open(config, &[NOTES[0], samples]).unwrap();
        assert!(!ours(store.check_statements()));
    }
}
