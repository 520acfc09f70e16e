//! Throw-away databases on each engine.

use std::any::Any;
use std::path::PathBuf;
use std::time::Duration;
use store::{Config, Migration, Store};

/// A database of one test, removed with it.
pub struct Database {
    pub store: Store,
    pub config: Config,
    _place: Place,
}

/// What removes a database when dropped.
pub type Place = Box<dyn Any + Send>;

/// An empty SQLite file's configuration.
pub fn sqlite() -> (Config, Place) {
    let directory = tempfile::tempdir().unwrap();
    let config = Config::sqlite(&directory.path().join("test.db"));
    (config, Box::new(directory))
}

/// An empty database's configuration, where PostgreSQL is installed.
pub fn postgres() -> Option<(Config, Place)> {
    let database = testkit::postgres::Database::create("empty", |_| Ok(()))?;
    Some((Config::postgres(database.url()), Box::new(database)))
}

/// The configurations of every engine that is there.
pub fn configs() -> impl Iterator<Item = (Config, Place)> {
    [Some(sqlite()), postgres()].into_iter().flatten()
}

pub fn open((config, place): (Config, Place), migrations: &[Migration]) -> Database {
    let store = Store::open(config.clone(), migrations).unwrap();
    Database { store, config, _place: place }
}

/// Databases with these migrations on every engine that is there.
pub fn both(migrations: &[Migration]) -> impl Iterator<Item = Database> {
    configs().map(|place| open(place, migrations))
}

/// The same, with statements stopped after `timeout`.
pub fn both_within(timeout: Duration, migrations: &[Migration]) -> impl Iterator<Item = Database> {
    configs().map(move |(mut config, place)| {
        config.statement_timeout = timeout;
        open((config, place), migrations)
    })
}

/// The file of a SQLite database.
pub fn file(config: &Config) -> PathBuf {
    config.url.strip_prefix("sqlite:").unwrap().into()
}

pub const NOTES: &[Migration] = &[Migration {
    number: 1,
    name: "notes",
    sql: "create table notes (
  id identity,
  body text not null,
  stars bigint not null default 0 check (stars >= 0),
  parent_id bigint references notes (id) on delete restrict
);
create unique index notes_body on notes (body);
",
}];

/// A statement that runs for a very long time on either engine.
pub const ENDLESS: &str = "with recursive n(i) as (
    select cast(1 as bigint) union all select i + 1 from n where i < 100000000000
  ) select count(*) from n";

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}
