//! One set of SQL texts on two engines: SQLite (embedded) and PostgreSQL.
//!
//! [`Store`] is a cheap handle. [`Store::read`] runs a closure in one
//! consistent read-only snapshot, [`Store::write`] in one serialisable
//! transaction that is durable before the call returns. Closures are plain
//! synchronous Rust on blocking threads; nothing async runs inside them.
//! This crate knows no table and is the only one that names an engine.
//!
//! SQL is written once, in the common dialect (see CONTRIBUTING.md):
//! parameters are `$1`, `$2`…; `in_list($N)` tests membership in a list value;
//! `micros(table.column)` makes a time a number that can be subtracted;
//! times are microseconds in SQLite and `timestamptz` in PostgreSQL. What each
//! engine must be told in words of its own are indexes of terms, [`Terms`].
#![warn(missing_docs)]

mod config;
mod engine;
mod error;
mod migrate;
mod plugs;
mod pool;
mod postgres_engine;
mod pulse;
mod sql;
mod sqlite_engine;
mod sqlite_writer;
mod store;
mod terms;
mod tx;
mod value;
mod work;

pub use config::Config;
pub use engine::Engine;
pub use error::{Error, Result};
pub use migrate::Migration;
pub use plugs::Plugs;
pub use sql::{Fragment, Registered, registered};
pub use store::{ServeLock, Store};
pub use store_macros::{FromRow, IntoRow, UpdateRow};
pub use terms::{Term, Terms};
pub use tx::{FromRow, Row, Tx, grouped};
pub use value::{FromValue, IntoValue, Json, Params, Type, Value};
pub use work::{Access, Outcome, Work};

pub use constcat::concat;
#[doc(hidden)]
pub use inventory;
