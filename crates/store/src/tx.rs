//! A transaction as closures see it.

use crate::config::Context;
use crate::work::{Ended, Run, erased};
use crate::{Engine, Error, Fragment, FromValue, Params, Result, Value};
use jiff::Timestamp;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What an engine's connection does for a transaction.
pub(crate) trait Session {
    /// Which engine it is.
    fn engine(&self) -> Engine;
    /// Runs control statements or a migration, already in the engine's words.
    fn batch(&mut self, sql: &str) -> Result<()>;
    /// Gives each row to `take` until that answers false. `stream` is for long
    /// results: rows are not collected first and the timeout is per row.
    fn query(
        &mut self, sql: &str, values: &[Value], stream: bool,
        take: &mut dyn FnMut(&mut Row<'_>) -> bool,
    ) -> Result<()>;
    /// Runs a statement and counts the rows it changed.
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64>;
    /// Prepares a statement without running it.
    fn check(&mut self, sql: &str) -> Result<()>;
}

/// One row of a result.
pub struct Row<'a> {
    cells: &'a dyn Cells,
    places: &'a Places,
    /// How many named columns were read so far.
    read: Cell<usize>,
    /// Where the next named column is looked for first: structs are mostly
    /// read in the order of the columns.
    next: Cell<usize>,
}

/// Where the named columns of a result were found, in the order in which its
/// first row was read. The others are mostly read alike, and to compare names
/// for each cell again takes longer than to read it.
#[derive(Default)]
pub(crate) struct Places(RefCell<Vec<(&'static str, usize)>>);

impl Places {
    fn find(&self, turn: usize, column: &'static str) -> Option<usize> {
        let places = self.0.borrow();
        let (name, index) = *places.get(turn)?;
        std::ptr::eq(name, column).then_some(index)
    }

    fn keep(&self, turn: usize, column: &'static str, index: usize) {
        let mut places = self.0.borrow_mut();
        match places.get_mut(turn) {
            Some(place) => *place = (column, index),
            None => places.push((column, index)),
        }
    }
}

/// An engine's row.
pub(crate) trait Cells {
    /// Whether the column at a position has this name, in any case.
    fn is_named(&self, index: usize, column: &str) -> bool;
    /// How many cells there are.
    fn width(&self) -> usize;
    /// The cell at a position.
    fn cell(&self, index: usize) -> Result<Value>;
}

impl<'a> Row<'a> {
    pub(crate) fn new(cells: &'a dyn Cells, places: &'a Places) -> Row<'a> {
        Row { cells, places, read: Cell::new(0), next: Cell::new(0) }
    }

    /// The named column.
    pub fn get<T: FromValue>(&self, column: &'static str) -> Result<T> {
        let value = self.named(column)?;
        T::from_value(value).map_err(|error| in_column(column, error))
    }

    fn named(&self, column: &'static str) -> Result<Value> {
        let index = self.index(column);
        let index = index.ok_or_else(|| Error::mismatch(format!("no column {column}")))?;
        self.next.set(index + 1);
        let cell = self.cells.cell(index);
        cell.map_err(|error| in_column(column, error))
    }

    fn index(&self, column: &'static str) -> Option<usize> {
        let turn = self.read.replace(self.read.get() + 1);
        let place = self.places.find(turn, column);
        place.or_else(|| {
            let index = self.search(column.strip_prefix("r#").unwrap_or(column))?;
            self.places.keep(turn, column, index);
            Some(index)
        })
    }

    fn search(&self, column: &str) -> Option<usize> {
        let (width, next) = (self.cells.width(), self.next.get());
        let named = |index: &usize| self.cells.is_named(*index, column);
        (next..width).find(named).or_else(|| (0..next.min(width)).find(named))
    }

    /// How many columns the row has.
    pub fn width(&self) -> usize {
        self.cells.width()
    }

    /// The column at a position, from zero.
    pub fn at<T: FromValue>(&self, index: usize) -> Result<T> {
        T::from_value(self.cells.cell(index)?)
    }
}

fn in_column(column: &str, error: Error) -> Error {
    match error {
        Error::Type { what } => Error::mismatch(format!("column {column}: {what}")),
        error => error,
    }
}

/// What can be read from a row.
///
/// Structs derive it: each field is read from the column of its name,
/// `#[read(FUNCTION)]` by a function of what stands there, and a `#[nested]`
/// one, a struct itself, from columns of the same row. One that names its
/// table, as `#[columns("users")]`, also has its select list as `COLUMNS`, where
/// `#[column("EXPRESSION")]` says what a field is read from that is no column of
/// that table.
///
/// The derive `IntoRow` gives a struct that names its `#[table("users")]` the
/// statement `INSERT`, `UpdateRow` one for the fields that are `#[written]`,
/// `UPDATE`; each with its parameters, `values()`.
pub trait FromRow: Sized {
    /// Reads the row.
    fn from_row(row: &mut Row<'_>) -> Result<Self>;
}

macro_rules! single {
    ($($name:ty),*) => {$(
        impl FromRow for $name {
            fn from_row(row: &mut Row<'_>) -> Result<Self> {
                row.at(0)
            }
        }
    )*};
}

single!(i64, String, bool, Timestamp, Option<i64>, Option<String>);

macro_rules! tuple_rows {
    ($($name:ident $index:tt),*) => {
        impl<$($name: FromValue),*> FromRow for ($($name,)*) {
            fn from_row(row: &mut Row<'_>) -> Result<Self> {
                Ok(($(row.at::<$name>($index)?,)*))
            }
        }
    };
}

tuple_rows!(A 0);
tuple_rows!(A 0, B 1);
tuple_rows!(A 0, B 1, C 2);
tuple_rows!(A 0, B 1, C 2, D 3);
tuple_rows!(A 0, B 1, C 2, D 3, E 4);
tuple_rows!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple_rows!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple_rows!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuple_rows!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuple_rows!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuple_rows!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuple_rows!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);

/// Work to do once a transaction is durable.
pub(crate) type AfterCommit = Box<dyn FnOnce() + Send>;

/// A running transaction.
///
/// After a statement failed, the transaction is lost on both engines (as
/// PostgreSQL has it): nothing more runs in it and it does not commit. Use a
/// [`savepoint`](Tx::savepoint) around a statement whose failure is expected.
pub struct Tx<'c> {
    session: &'c mut dyn Session,
    context: &'c Context,
    now: Timestamp,
    after_commit: Vec<AfterCommit>,
    failed: bool,
    statements: u64,
}

impl<'c> Tx<'c> {
    pub(crate) fn new(
        session: &'c mut dyn Session, context: &'c Context, now: Timestamp,
    ) -> Tx<'c> {
        Tx {
            session,
            context,
            now,
            after_commit: Vec::new(),
            failed: false,
            statements: 0,
        }
    }

    /// What the room of this type's name was given by those above it.
    pub fn plugged<T: Any + Send + Sync>(&self) -> Result<&'c T> {
        self.context.plugs.get()
    }

    pub(crate) fn engine(&self) -> Engine {
        self.session.engine()
    }

    /// Statements sent so far.
    pub fn statements(&self) -> u64 {
        self.statements
    }

    /// The instant of this transaction, in whole microseconds.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// All rows.
    pub fn all<R: FromRow>(&mut self, sql: impl AsRef<str>, params: impl Params) -> Result<Vec<R>> {
        self.all_rows(sql.as_ref(), params.into_values())
    }

    fn all_rows<R: FromRow>(&mut self, sql: &str, values: Vec<Value>) -> Result<Vec<R>> {
        let mut rows = Vec::new();
        self.rows(sql, values, false, &mut |row| {
            rows.push(R::from_row(row)?);
            Ok(true)
        })?;
        Ok(rows)
    }

    /// All rows of two columns, the second by the first.
    pub fn pairs<K: FromValue + Eq + Hash, V: FromValue>(
        &mut self, sql: impl AsRef<str>, params: impl Params,
    ) -> Result<HashMap<K, V>> {
        Ok(self.all::<(K, V)>(sql, params)?.into_iter().collect())
    }

    /// The same where the first is in many rows: with the seconds in their order.
    pub fn grouped<K: FromValue + Eq + Hash, V: FromValue>(
        &mut self, sql: impl AsRef<str>, params: impl Params,
    ) -> Result<HashMap<K, Vec<V>>> {
        Ok(grouped(self.all::<(K, V)>(sql, params)?))
    }

    /// The first row, if there is one.
    pub fn optional<R: FromRow>(
        &mut self, sql: impl AsRef<str>, params: impl Params,
    ) -> Result<Option<R>> {
        self.first_row(sql.as_ref(), params.into_values())
    }

    fn first_row<R: FromRow>(&mut self, sql: &str, values: Vec<Value>) -> Result<Option<R>> {
        let mut first = None;
        self.rows(sql, values, false, &mut |row| {
            first = Some(R::from_row(row)?);
            Ok(false)
        })?;
        Ok(first)
    }

    /// The first row, or [`Error::NoRow`].
    pub fn one<R: FromRow>(&mut self, sql: impl AsRef<str>, params: impl Params) -> Result<R> {
        self.optional(sql, params)?.ok_or(Error::NoRow)
    }

    /// Runs a statement and counts the rows it changed.
    pub fn execute(&mut self, sql: impl AsRef<str>, params: impl Params) -> Result<u64> {
        self.change(sql.as_ref(), params.into_values())
    }

    /// Runs a statement for what it does, however many rows that changes.
    pub fn run<E: From<Error>>(
        &mut self, sql: impl AsRef<str>, params: impl Params,
    ) -> std::result::Result<(), E> {
        self.execute(sql, params)?;
        Ok(())
    }

    fn change(&mut self, sql: &str, values: Vec<Value>) -> Result<u64> {
        let values = self.ready(values)?;
        let result = self.session.execute(sql, &values);
        self.failed |= result.is_err();
        result
    }

    /// Gives each row to `f` without collecting them, for long results. The
    /// statement timeout does not count the whole run.
    pub fn each<R: FromRow>(
        &mut self, sql: impl AsRef<str>, params: impl Params, mut f: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        self.rows(sql.as_ref(), params.into_values(), true, &mut |row| {
            f(R::from_row(row)?).map(|()| true)
        })
    }

    /// All rows of a built statement.
    pub fn query<R: FromRow>(&mut self, fragment: Fragment) -> Result<Vec<R>> {
        let (text, values) = fragment.into_parts();
        self.all_rows(&text, values)
    }

    /// Runs a built statement and counts the rows it changed.
    pub fn change_by(&mut self, fragment: Fragment) -> Result<u64> {
        let (text, values) = fragment.into_parts();
        self.change(&text, values)
    }

    /// Runs a part that may fail alone: its error undoes what it did, and the
    /// transaction goes on.
    pub fn savepoint<T, E: From<Error>>(
        &mut self, f: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        erased(f, |run| self.part(run))
    }

    /// [`savepoint`](Tx::savepoint) for what has its result itself and tells
    /// whether it succeeded.
    pub fn part(&mut self, run: &mut dyn FnMut(&mut Tx<'_>) -> bool) -> Result<()> {
        self.control("savepoint part")?;
        let mut inner = Tx::new(&mut *self.session, self.context, self.now);
        let succeeded = run(&mut inner);
        let (failed, callbacks) = (inner.failed, inner.after_commit);
        self.statements += inner.statements;
        if succeeded && !failed {
            self.control("release savepoint part")?;
            self.after_commit.extend(callbacks);
            return Ok(());
        }
        let undone = self.control("rollback to savepoint part");
        let undone = undone.and_then(|()| self.control("release savepoint part"));
        match succeeded {
            true => Err(undone.err().unwrap_or_else(swallowed)),
            false => Ok(()),
        }
    }

    /// Runs `f` once the transaction is durable, and never if it is not. It
    /// runs on a thread of the store and must be quick.
    pub fn after_commit(&mut self, f: impl FnOnce() + Send + 'static) {
        self.after_commit.push(Box::new(f));
    }

    pub(crate) fn control(&mut self, sql: &str) -> Result<()> {
        self.ready(Vec::new())?;
        let result = self.session.batch(sql);
        self.failed |= result.is_err();
        result
    }

    fn ready(&mut self, values: Vec<Value>) -> Result<Vec<Value>> {
        if self.failed {
            return Err(swallowed());
        }
        self.statements += 1;
        values.iter().try_for_each(Value::check)?;
        Ok(values)
    }

    fn rows(
        &mut self, sql: &str, values: Vec<Value>, stream: bool,
        take: &mut dyn FnMut(&mut Row<'_>) -> Result<bool>,
    ) -> Result<()> {
        let values = self.ready(values)?;
        let mut refused = None;
        let mut take = |row: &mut Row<'_>| {
            take(row).unwrap_or_else(|error| {
                refused = Some(error);
                false
            })
        };
        let result = self.session.query(sql, &values, stream, &mut take);
        self.failed |= result.is_err();
        refused.map_or(result, Err)
    }
}

/// The seconds of pairs by their firsts, in their order.
pub fn grouped<K: Eq + Hash, V>(pairs: impl IntoIterator<Item = (K, V)>) -> HashMap<K, Vec<V>> {
    let mut groups: HashMap<K, Vec<V>> = HashMap::new();
    for (key, value) in pairs {
        groups.entry(key).or_default().push(value);
    }
    groups
}

fn swallowed() -> Error {
    Error::Engine("a statement of this transaction failed before".to_owned())
}

/// Runs a closure in a transaction that has begun. A panic is an error.
pub(crate) fn attempt(session: &mut dyn Session, context: &Context, run: Run<'_>) -> Ended {
    let mut tx = Tx::new(session, context, context.now());
    match catch_unwind(AssertUnwindSafe(|| run(&mut tx))) {
        Ok(true) if tx.failed => Ended::Failed(swallowed()),
        Ok(true) => Ended::Done(tx.after_commit),
        Ok(false) => Ended::Refused,
        Err(panic) => Ended::Failed(panic_error(panic.as_ref())),
    }
}

/// Runs the callbacks of a durable transaction; a panic in one is logged.
pub(crate) fn run_callbacks(callbacks: Vec<AfterCommit>) {
    for callback in callbacks {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(callback)) {
            tracing::error!(error = %panic_error(panic.as_ref()), "a callback after commit failed");
        }
    }
}

fn panic_error(panic: &(dyn std::any::Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    Error::Engine(format!("panic in a transaction: {text}"))
}
