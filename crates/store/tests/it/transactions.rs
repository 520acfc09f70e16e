use crate::engines::on_both;
use store::{Error, Migration};

const NOTES: &[Migration] = &[Migration {
    number: 1,
    name: "notes",
    sql: "create table notes (
  id identity,
  body text not null,
  stars bigint not null default 0,
  done boolean not null default false,
  at timestamptz
);
create unique index notes_body on notes (body);
",
}];

#[derive(Debug, PartialEq)]
struct Note {
    id: i64,
    body: String,
    stars: i64,
}
store::from_row! { Note { id, body, stars } }

#[test]
fn a_row_written_is_read_back() {
    on_both(NOTES, |db| {
        let id: i64 = db
            .store
            .write_blocking(|tx| {
                tx.one::<i64>(
                    store::sql!("insert into notes (body, at) values ($1, $2) returning id"),
                    ("hello", tx.now()),
                )
            })
            .unwrap();
        let changed = db.store.write_blocking(move |tx| {
            tx.execute(
                "update notes set stars = $2, done = $3 where id = $1",
                (id, 5_i64, true),
            )
        });
        assert_eq!(changed, Ok::<u64, Error>(1));
        let note = db
            .store
            .read_blocking(|tx| tx.one::<Note>("select * from notes where done", ()));
        assert_eq!(
            note,
            Ok::<Note, Error>(Note {
                id,
                body: "hello".into(),
                stars: 5
            })
        );
        db.store.check_statements().unwrap();
    });
}
