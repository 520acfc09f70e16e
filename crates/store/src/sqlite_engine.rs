//! SQLite: a connection, used by a pool of readers and by the one writer.

use crate::pool::{Caller, lock};
use crate::tx::{Cells, Places, Row, Session};
use crate::value::Value;
use crate::{Config, Engine, Error, Result, sql};
use rusqlite::config::DbConfig;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, ErrorCode, ffi};
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Statements kept prepared per connection.
const STATEMENTS: usize = 500;
/// Steps of SQLite's machine between two looks at the clock, some 20 µs.
const STEPS: i32 = 1_000;

/// When a connection's running statement has to stop.
struct Watch {
    timeout: Duration,
    state: Mutex<Watched>,
}

/// Whom the statements serve, and what is left to them.
struct Watched {
    until: Instant,
    caller: Option<Arc<Caller>>,
    /// Looks at the clock that are left to a glance. They are counted, not
    /// timed, so that a busy machine makes no difference.
    looks: Option<u32>,
}

impl Watched {
    fn verdict(&self) -> Option<Error> {
        if self.caller.as_ref().is_some_and(|caller| caller.is_gone()) {
            return Some(Error::Cancelled);
        }
        let late = self.looks == Some(0) || Instant::now() >= self.until;
        late.then_some(Error::Timeout)
    }
}

impl Watch {
    fn new(timeout: Duration) -> Watch {
        let state = Watched { until: Instant::now() + timeout, caller: None, looks: None };
        Watch { timeout, state: Mutex::new(state) }
    }

    fn restart(&self) -> Result<()> {
        let mut state = lock(&self.state);
        state.until = Instant::now() + self.timeout;
        match state.caller.as_ref().is_some_and(|caller| caller.is_gone()) {
            true => Err(Error::Cancelled),
            false => Ok(()),
        }
    }

    fn verdict(&self) -> Option<Error> {
        lock(&self.state).verdict()
    }

    /// What is to become of the running statement after some steps more.
    fn look(&self) -> Option<Error> {
        let mut state = lock(&self.state);
        state.looks = state.looks.map(|left| left.saturating_sub(1));
        state.verdict()
    }
}

/// A connection with its rewritten statement texts.
pub(crate) struct Connection {
    raw: rusqlite::Connection,
    texts: HashMap<String, String>,
    watch: Arc<Watch>,
}

impl Connection {
    /// Opens the file; a reader can change nothing.
    pub(crate) fn open(path: &Path, config: &Config, reader: bool) -> Result<Connection> {
        let raw = rusqlite::Connection::open(path).map_err(plain_error)?;
        let mut connection = Connection {
            texts: HashMap::new(),
            watch: Arc::new(Watch::new(config.statement_timeout)),
            raw,
        };
        connection.configure(config, reader).map_err(plain_error)?;
        Ok(connection)
    }

    fn configure(&mut self, config: &Config, reader: bool) -> rusqlite::Result<()> {
        let raw = &mut self.raw;
        raw.busy_timeout(config.statement_timeout)?;
        raw.set_prepared_statement_cache_capacity(STATEMENTS);
        raw.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        raw.pragma_update(None, "synchronous", "full")?;
        raw.pragma_update(None, "foreign_keys", true)?;
        raw.pragma_update(None, "temp_store", "memory")?;
        raw.pragma_update(None, "trusted_schema", false)?;
        raw.pragma_update_and_check(None, "journal_size_limit", 64 << 20, |_| Ok(()))?;
        raw.pragma_update(None, "query_only", reader)?;
        // Plans do not depend on bound values; otherwise binding another value
        // throws a cached plan away and the statement is prepared again.
        raw.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        let watch = self.watch.clone();
        raw.progress_handler(STEPS, Some(move || watch.look().is_some()))
    }

    /// Sets whose disappearance stops the statements from here on.
    pub(crate) fn serve(&self, caller: Option<Arc<Caller>>) {
        lock(&self.watch.state).caller = caller;
    }

    /// Allows the statements from here on so many times [`STEPS`] in all;
    /// `None` takes the limit away.
    pub(crate) fn allow(&self, looks: Option<u32>) {
        lock(&self.watch.state).looks = looks;
    }

    /// Whether the statements have used up what [`allow`](Self::allow) gave.
    pub(crate) fn is_spent(&self) -> bool {
        lock(&self.watch.state).looks == Some(0)
    }

    /// Runs a statement such as `begin` from the statement cache.
    pub(crate) fn control(&self, sql: &str) -> Result<()> {
        let run = || self.raw.prepare_cached(sql)?.raw_execute();
        run().map(|_| ()).map_err(|error| interrupted(error, &self.watch))
    }

    /// Undoes the transaction if one is open; false if that failed.
    pub(crate) fn rollback(&self) -> bool {
        self.serve(None);
        self.allow(None);
        self.is_lost() || self.control("rollback").is_ok()
    }

    /// Whether no transaction is open: some failures undo it as a whole.
    pub(crate) fn is_lost(&self) -> bool {
        self.raw.is_autocommit()
    }

    fn prepare(&mut self, sql: &str, values: &[Value]) -> Result<CachedStatement<'_>> {
        self.watch.restart()?;
        if !self.texts.contains_key(sql) {
            if self.texts.len() >= STATEMENTS {
                self.texts.clear();
            }
            self.texts.insert(sql.to_owned(), sql::translate(sql, Engine::Sqlite));
        }
        let prepared = self.raw.prepare_cached(&self.texts[sql]);
        let mut statement = prepared.map_err(|error| interrupted(error, &self.watch))?;
        if statement.parameter_count() != values.len() {
            let wanted = statement.parameter_count();
            return Err(Error::mismatch(format!(
                "{wanted} parameters wanted, {} given",
                values.len()
            )));
        }
        for (index, value) in values.iter().enumerate() {
            let bound = statement.raw_bind_parameter(index + 1, Bound(value));
            bound.map_err(plain_error)?;
        }
        Ok(statement)
    }

    /// Copies the database as it is now into a new file.
    pub(crate) fn backup(&self, to: &Path, mut progress: impl FnMut(u64, u64)) -> Result<()> {
        use rusqlite::backup::{Backup, StepResult};
        if to.exists() {
            return Err(Error::Unavailable(format!("{} exists already", to.display())));
        }
        // An open snapshot keeps the copy from starting over at each write.
        self.control("begin")?;
        self.raw
            .query_row("select count(*) from sqlite_schema", [], |_| Ok(()))
            .map_err(plain_error)?;
        let mut target = rusqlite::Connection::open(to).map_err(plain_error)?;
        let backup = Backup::new(&self.raw, &mut target).map_err(plain_error)?;
        loop {
            let step = backup.step(1_000).map_err(plain_error)?;
            let state = backup.progress();
            let total = u64::try_from(state.pagecount).unwrap_or(0);
            let remaining = u64::try_from(state.remaining).unwrap_or(0);
            progress(total.saturating_sub(remaining), total);
            match step {
                StepResult::Done => return Ok(()),
                StepResult::More => {}
                _ => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }
}

impl Session for Connection {
    fn engine(&self) -> Engine {
        Engine::Sqlite
    }

    fn batch(&mut self, sql: &str) -> Result<()> {
        self.watch.restart()?;
        self.raw.execute_batch(sql).map_err(|error| interrupted(error, &self.watch))
    }

    fn query(
        &mut self, sql: &str, values: &[Value], stream: bool,
        take: &mut dyn FnMut(&mut Row<'_>) -> bool,
    ) -> Result<()> {
        let watch = self.watch.clone();
        let mut statement = self.prepare(sql, values)?;
        let changes = !statement.readonly();
        let mut rows = statement.raw_query();
        let (mut wanted, places) = (true, Places::default());
        while wanted || changes {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => break,
                Err(error) => return Err(interrupted(error, &watch)),
            };
            wanted = wanted && take(&mut Row::new(row, &places));
            if stream {
                watch.restart()?;
            }
        }
        Ok(())
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64> {
        let watch = self.watch.clone();
        let mut statement = self.prepare(sql, values)?;
        let reads = statement.readonly();
        let mut rows = statement.raw_query();
        while rows.next().map_err(|error| interrupted(error, &watch))?.is_some() {}
        drop(rows);
        drop(statement);
        Ok(if reads { 0 } else { self.raw.changes() })
    }

    fn check(&mut self, sql: &str) -> Result<()> {
        self.raw
            .prepare(&sql::translate(sql, Engine::Sqlite))
            .map(|_| ())
            .map_err(plain_error)
    }
}

impl Cells for rusqlite::Row<'_> {
    fn is_named(&self, index: usize, column: &str) -> bool {
        let name = self.as_ref().column_name(index);
        name.is_ok_and(|name| name.eq_ignore_ascii_case(column))
    }

    fn width(&self) -> usize {
        self.as_ref().column_count()
    }

    fn cell(&self, index: usize) -> Result<Value> {
        let cell = self.get_ref(index);
        let cell = cell.map_err(|_| Error::mismatch(format!("no column at {index}")))?;
        Ok(match cell {
            ValueRef::Null => Value::Null(crate::Type::Text),
            ValueRef::Integer(number) => Value::Int(number),
            ValueRef::Real(number) => Value::Real(number),
            ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
            ValueRef::Text(bytes) => Value::Text(
                String::from_utf8(bytes.to_vec())
                    .map_err(|_| Error::mismatch("text that is not UTF-8"))?,
            ),
        })
    }
}

struct Bound<'a>(&'a Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let borrowed = match self.0 {
            Value::Null(_) => ValueRef::Null,
            Value::Bool(value) => ValueRef::Integer((*value).into()),
            Value::Int(value) => ValueRef::Integer(*value),
            Value::Real(value) => ValueRef::Real(*value),
            Value::Text(value) => ValueRef::Text(value.as_bytes()),
            Value::Bytes(value) => ValueRef::Blob(value),
            Value::Time(value) => ValueRef::Integer(value.as_microsecond()),
            Value::Json(value) => return Ok(value.to_string().into()),
            Value::Ints(list) => {
                return Ok(serde_json::Value::from(list.as_slice()).to_string().into());
            }
            Value::Texts(list) => {
                return Ok(serde_json::Value::from(list.as_slice()).to_string().into());
            }
        };
        Ok(ToSqlOutput::Borrowed(borrowed))
    }
}

fn interrupted(error: rusqlite::Error, watch: &Watch) -> Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => watch.verdict().unwrap_or(Error::Timeout),
        _ => plain_error(error),
    }
}

fn plain_error(error: rusqlite::Error) -> Error {
    let text = error.to_string();
    let rusqlite::Error::SqliteFailure(failure, _) = error else {
        return Error::Engine(text);
    };
    match (failure.extended_code, failure.code) {
        (
            ffi::SQLITE_CONSTRAINT_UNIQUE
            | ffi::SQLITE_CONSTRAINT_PRIMARYKEY
            | ffi::SQLITE_CONSTRAINT_ROWID,
            _,
        ) => Error::Unique { constraint: unique_name(&text) },
        (ffi::SQLITE_CONSTRAINT_FOREIGNKEY, _) => Error::Foreign,
        // What `on delete restrict` forbids is told as if a trigger had.
        (ffi::SQLITE_CONSTRAINT_TRIGGER, _) if text.starts_with("FOREIGN KEY") => Error::Foreign,
        (ffi::SQLITE_CONSTRAINT_CHECK, _) => Error::Check,
        (_, ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::DiskFull) => {
            Error::Unavailable(text)
        }
        (_, ErrorCode::CannotOpen | ErrorCode::SystemIoFailure | ErrorCode::ReadOnly) => {
            Error::Unavailable(text)
        }
        _ => Error::Engine(text),
    }
}

/// `t.a, t.b` or the index name of «UNIQUE constraint failed: …».
fn unique_name(text: &str) -> String {
    let name = text.split_once("failed: ").map_or(text, |(_, name)| name);
    let index = name.strip_prefix("index '").and_then(|name| name.strip_suffix('\''));
    index.unwrap_or(name).to_owned()
}
