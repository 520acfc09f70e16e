//! PostgreSQL: pooled blocking connections, used and dropped only on threads
//! that may block.

use crate::config::Context;
use crate::pool::{Caller, Pool};
use crate::tx::{Cells, Places, Row, Session, attempt};
use crate::value::{Type, Value};
use crate::work::Run;
use crate::{Config, Engine, Error, Result, sql};
use bytes::{BufMut, BytesMut};
use jiff::Timestamp;
use postgres::config::SslMode;
use postgres::error::SqlState;
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{FromSql, IsNull, Kind, ToSql, Type as PgType, to_sql_checked};
use postgres::{Client, NoTls, Statement};
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Statements kept prepared per connection.
const STATEMENTS: usize = 500;
/// Runs of one write before it is given up as colliding.
const ATTEMPTS: u32 = 40;
/// Microseconds from 1970 to 2000, where PostgreSQL counts from.
const EPOCH: i64 = 946_684_800_000_000;

type BoxError = Box<dyn std::error::Error + Sync + Send>;

/// A connection with its prepared statements.
pub(crate) struct Connection {
    client: Client,
    tls: Option<MakeRustlsConnect>,
    statements: HashMap<String, Vec<(Vec<Type>, Statement)>>,
    caller: Option<Arc<Caller>>,
    timeout: Duration,
    collided: bool,
}

impl Connection {
    /// Connects. TLS is used when the URL allows it and the server offers it;
    /// only `sslmode=require` insists on it.
    pub(crate) fn open(config: &Config) -> Result<Connection> {
        let mut options: postgres::Config = config.url.parse().map_err(unreachable)?;
        if options.get_connect_timeout().is_none() {
            options.connect_timeout(Duration::from_secs(5));
        }
        // A host that is gone says nothing more.
        options.keepalives_idle(Duration::from_secs(10));
        options.keepalives_interval(Duration::from_secs(5));
        options.keepalives_retries(3);
        options.tcp_user_timeout(Duration::from_secs(20));
        let mut tls = match options.get_ssl_mode() {
            SslMode::Disable => None,
            _ => Some(tls()?),
        };
        let connected = match tls.clone() {
            None => options.connect(NoTls),
            Some(connector) => options.connect(connector),
        };
        let client = match connected {
            // A certificate nobody can verify: the same as no TLS offered.
            Err(error)
                if options.get_ssl_mode() == SslMode::Prefer && error.as_db_error().is_none() =>
            {
                tls = None;
                options.connect(NoTls).map_err(unreachable)?
            }
            connected => connected.map_err(unreachable)?,
        };
        let mut connection = Connection {
            client,
            tls,
            statements: HashMap::new(),
            caller: None,
            timeout: config.statement_timeout,
            collided: false,
        };
        // Statements with the rules of who sees what are long and read few rows: to
        // compile one takes seconds, to run it milliseconds.
        connection.batch(&format!(
            "set statement_timeout = {}; set timezone = 'UTC'; set client_min_messages = warning;
             set jit = off",
            config.statement_timeout.as_millis()
        ))?;
        Ok(connection)
    }

    /// Whether a server answers there.
    pub(crate) fn probe(config: &Config) -> Result<()> {
        Connection::open(config)?.batch("select 1")
    }

    /// Whether the connection can no longer be used.
    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Sets whose disappearance cancels the statements from here on.
    pub(crate) fn serve(&mut self, caller: Option<Arc<Caller>>) {
        if let Some(caller) = &caller {
            let (token, tls) = (self.client.cancel_token(), self.tls.clone());
            caller.on_gone(move || {
                let cancelled = match tls.clone() {
                    Some(tls) => token.cancel_query(tls),
                    None => token.cancel_query(NoTls),
                };
                if let Err(error) = cancelled {
                    tracing::debug!(%error, "a cancel request failed");
                }
            });
        }
        self.caller = caller;
    }

    fn ready(&self) -> Result<()> {
        match self.caller.as_ref().is_some_and(|caller| caller.is_gone()) {
            true => Err(Error::Cancelled),
            false => Ok(()),
        }
    }

    fn error(&mut self, error: postgres::Error) -> Error {
        let code = error.code().cloned();
        if let Some(SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED) = code {
            self.collided = true;
            return Error::Conflict;
        }
        if code == Some(SqlState::QUERY_CANCELED) {
            return self.ready().err().unwrap_or(Error::Timeout);
        }
        if self.client.is_closed() {
            return unreachable(error);
        }
        plain_error(&error)
    }

    fn prepare(&mut self, sql: &str, values: &[Value]) -> Result<Statement> {
        self.ready()?;
        let kinds = || values.iter().map(Value::kind);
        if let Some(known) = self.statements.get(sql) {
            let same = known.iter().find(|(types, _)| types.iter().copied().eq(kinds()));
            if let Some((_, statement)) = same {
                return Ok(statement.clone());
            }
        }
        let types: Vec<PgType> = kinds().map(engine_type).collect();
        let prepared = self.client.prepare_typed(&sql::translate(sql, Engine::Postgres), &types);
        let statement = prepared.map_err(|error| self.error(error))?;
        if self.statements.len() >= STATEMENTS {
            self.statements.clear();
        }
        let known = self.statements.entry(sql.to_owned()).or_default();
        known.push((kinds().collect(), statement.clone()));
        Ok(statement)
    }

    fn stream(
        &mut self, statement: &Statement, bound: &[Bound<'_>],
        take: &mut dyn FnMut(&mut Row<'_>) -> bool,
    ) -> std::result::Result<(), postgres::Error> {
        self.client.batch_execute("set local statement_timeout = 0")?;
        let mut rows = self
            .client
            .query_raw(statement, bound.iter().map(|b| b as &(dyn ToSql + Sync)))?;
        let places = Places::default();
        while let Some(row) = rows.next()? {
            if !take(&mut Row::new(&row, &places)) {
                break;
            }
        }
        drop(rows);
        let timeout = self.timeout.as_millis();
        self.client.batch_execute(&format!("set local statement_timeout = {timeout}"))
    }
}

impl Session for Connection {
    fn engine(&self) -> Engine {
        Engine::Postgres
    }

    fn batch(&mut self, sql: &str) -> Result<()> {
        self.client.batch_execute(sql).map_err(|error| self.error(error))
    }

    fn query(
        &mut self, sql: &str, values: &[Value], stream: bool,
        take: &mut dyn FnMut(&mut Row<'_>) -> bool,
    ) -> Result<()> {
        let statement = self.prepare(sql, values)?;
        let bound: Vec<Bound<'_>> = values.iter().map(Bound).collect();
        if stream {
            return self.stream(&statement, &bound, take).map_err(|error| self.error(error));
        }
        let params: Vec<&(dyn ToSql + Sync)> = bound.iter().map(|b| b as _).collect();
        let rows = self.client.query(&statement, &params).map_err(|error| self.error(error))?;
        let places = Places::default();
        for row in &rows {
            if !take(&mut Row::new(row, &places)) {
                break;
            }
        }
        Ok(())
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64> {
        let statement = self.prepare(sql, values)?;
        let bound: Vec<Bound<'_>> = values.iter().map(Bound).collect();
        let params: Vec<&(dyn ToSql + Sync)> = bound.iter().map(|b| b as _).collect();
        self.client.execute(&statement, &params).map_err(|error| self.error(error))
    }

    fn check(&mut self, sql: &str) -> Result<()> {
        match self.client.prepare(&sql::translate(sql, Engine::Postgres)) {
            // Without our types a lone parameter may have none; with them it has.
            Err(error) if error.code() == Some(&SqlState::INDETERMINATE_DATATYPE) => Ok(()),
            prepared => prepared.map(|_| ()).map_err(|error| self.error(error)),
        }
    }
}

/// Takes a connection and begins a transaction on it. A pooled connection that
/// turns out to be lost is replaced once; nothing has begun on it.
fn begin(pool: &Pool<Connection>, caller: Option<Arc<Caller>>, how: &str) -> Result<Connection> {
    let mut connection = pool.take()?;
    if connection.batch(how).is_err() {
        pool.clear();
        connection = pool.take()?;
        connection.batch(how)?;
    }
    connection.collided = false;
    connection.serve(caller);
    Ok(connection)
}

/// Ends a transaction and gives the connection back if it is sound.
fn finish(pool: &Pool<Connection>, mut connection: Connection, how: &str) -> Result<()> {
    connection.caller = None;
    let result = connection.batch(how);
    if result.is_ok() || !connection.is_closed() {
        pool.give(connection);
    }
    result
}

/// Runs a read in one snapshot.
pub(crate) fn read(
    pool: &Pool<Connection>, caller: Option<Arc<Caller>>, context: &Context, run: Run<'_>,
) -> Result<()> {
    let how = "begin isolation level repeatable read read only";
    let mut connection = begin(pool, caller.clone(), how)?;
    let ended = attempt(&mut connection, context, run);
    if caller.is_some_and(|caller| caller.finish()) {
        // A cancel request may still be on its way to this connection.
        return ended.finish();
    }
    let how = if ended.is_done() { "commit" } else { "rollback" };
    finish(pool, connection, how).ok();
    ended.finish()
}

/// Runs a write, again and again while it collides with others.
pub(crate) fn write(pool: &Pool<Connection>, context: &Context, run: Run<'_>) -> Result<()> {
    for round in 0..ATTEMPTS {
        pause(round);
        let mut connection = begin(pool, None, "begin isolation level serializable")?;
        let ended = attempt(&mut connection, context, run);
        if connection.collided {
            finish(pool, connection, "rollback").ok();
            continue;
        }
        if !ended.is_done() {
            finish(pool, connection, "rollback").ok();
            return ended.finish();
        }
        if finish_write(pool, connection)? {
            return ended.finish();
        }
    }
    Err(Error::Conflict)
}

/// Commits; false when the transaction collided and has to run again.
fn finish_write(pool: &Pool<Connection>, connection: Connection) -> Result<bool> {
    match finish(pool, connection, "commit") {
        Ok(()) => Ok(true),
        Err(Error::Conflict) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Waits before a repeated write: growing, and uneven so that writers part.
fn pause(round: u32) {
    if round == 0 {
        return;
    }
    let most = 1_000_u64 << round.min(8);
    let chance = std::hash::RandomState::new().build_hasher().finish();
    std::thread::sleep(Duration::from_micros(most / 4 + chance % most));
}

fn tls() -> Result<MakeRustlsConnect> {
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unreachable)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn unreachable(error: impl std::error::Error) -> Error {
    Error::Unavailable(chain(&error))
}

/// An error's text with those of its causes.
fn chain(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", chain(source)),
        None => error.to_string(),
    }
}

fn plain_error(error: &postgres::Error) -> Error {
    let Some(told) = error.as_db_error() else {
        return match is_of_connection(error) {
            true => Error::Unavailable(chain(error)),
            false => Error::Engine(chain(error)),
        };
    };
    match *told.code() {
        SqlState::UNIQUE_VIOLATION => {
            Error::Unique { constraint: told.constraint().unwrap_or_default().to_owned() }
        }
        SqlState::FOREIGN_KEY_VIOLATION => Error::Foreign,
        SqlState::CHECK_VIOLATION => Error::Check,
        // Starting or stopping, or a standby that was the first a moment ago.
        SqlState::ADMIN_SHUTDOWN
        | SqlState::CRASH_SHUTDOWN
        | SqlState::CANNOT_CONNECT_NOW
        | SqlState::READ_ONLY_SQL_TRANSACTION => Error::Unavailable(chain(error)),
        // Class 53: no disk, memory or connections left.
        ref code if code.code().starts_with("53") => Error::Unavailable(chain(error)),
        _ => Error::Engine(chain(error)),
    }
}

fn is_of_connection(error: &postgres::Error) -> bool {
    use std::error::Error as _;
    let cause = error.source();
    error.is_closed() || cause.is_some_and(|cause| cause.is::<std::io::Error>())
}

fn engine_type(kind: Type) -> PgType {
    match kind {
        Type::Bool => PgType::BOOL,
        Type::Int => PgType::INT8,
        Type::Real => PgType::FLOAT8,
        Type::Text => PgType::TEXT,
        Type::Bytes => PgType::BYTEA,
        Type::Time => PgType::TIMESTAMPTZ,
        Type::Json => PgType::JSONB,
        Type::Ints => PgType::INT8_ARRAY,
        Type::Texts => PgType::TEXT_ARRAY,
    }
}

#[derive(Debug)]
struct Bound<'a>(&'a Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self, ty: &PgType, out: &mut BytesMut) -> std::result::Result<IsNull, BoxError> {
        match self.0 {
            Value::Null(_) => Ok(IsNull::Yes),
            Value::Bool(value) => value.to_sql(ty, out),
            Value::Int(value) => value.to_sql(ty, out),
            Value::Real(value) => value.to_sql(ty, out),
            Value::Text(value) => value.to_sql(ty, out),
            Value::Bytes(value) => value.to_sql(ty, out),
            Value::Json(value) => value.to_sql(ty, out),
            Value::Ints(value) => value.to_sql(ty, out),
            Value::Texts(value) => value.to_sql(ty, out),
            Value::Time(value) => {
                out.put_i64(value.as_microsecond() - EPOCH);
                Ok(IsNull::No)
            }
        }
    }

    fn accepts(_: &PgType) -> bool {
        true
    }

    to_sql_checked!();
}

struct Cell(Value);

impl<'a> FromSql<'a> for Cell {
    fn from_sql(ty: &PgType, raw: &'a [u8]) -> std::result::Result<Cell, BoxError> {
        Ok(Cell(match *ty {
            PgType::BOOL => Value::Bool(bool::from_sql(ty, raw)?),
            PgType::INT8 => Value::Int(i64::from_sql(ty, raw)?),
            PgType::INT4 => Value::Int(i32::from_sql(ty, raw)?.into()),
            PgType::INT2 => Value::Int(i16::from_sql(ty, raw)?.into()),
            PgType::FLOAT8 => Value::Real(f64::from_sql(ty, raw)?),
            PgType::FLOAT4 => Value::Real(f32::from_sql(ty, raw)?.into()),
            PgType::BYTEA => Value::Bytes(raw.to_vec()),
            PgType::JSON | PgType::JSONB => Value::Json(serde_json::Value::from_sql(ty, raw)?),
            PgType::TIMESTAMPTZ => {
                let micros = i64::from_be_bytes(raw.try_into()?);
                let micros = micros.checked_add(EPOCH).ok_or("time out of range")?;
                Value::Time(Timestamp::from_microsecond(micros)?)
            }
            PgType::VOID => Value::Null(Type::Text),
            _ => Value::Text(String::from_utf8(raw.to_vec())?),
        }))
    }

    fn from_sql_null(_: &PgType) -> std::result::Result<Cell, BoxError> {
        Ok(Cell(Value::Null(Type::Text)))
    }

    fn accepts(ty: &PgType) -> bool {
        let text = [PgType::TEXT, PgType::VARCHAR, PgType::BPCHAR, PgType::NAME, PgType::UNKNOWN];
        let other = [
            PgType::BOOL,
            PgType::INT8,
            PgType::INT4,
            PgType::INT2,
            PgType::FLOAT8,
            PgType::FLOAT4,
            PgType::BYTEA,
            PgType::JSON,
            PgType::JSONB,
            PgType::TIMESTAMPTZ,
            PgType::VOID,
        ];
        matches!(ty.kind(), Kind::Simple) && (text.contains(ty) || other.contains(ty))
    }
}

impl Cells for postgres::Row {
    fn is_named(&self, index: usize, column: &str) -> bool {
        let known = self.columns().get(index);
        known.is_some_and(|known| known.name().eq_ignore_ascii_case(column))
    }

    fn width(&self) -> usize {
        self.len()
    }

    fn cell(&self, index: usize) -> Result<Value> {
        let cell = self.try_get::<_, Cell>(index);
        cell.map(|cell| cell.0).map_err(|error| Error::mismatch(chain(&error)))
    }
}
