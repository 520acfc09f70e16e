//! Lists that page by cursor (docs/interface/graphql.md 5).
//!
//! A cursor holds the sort keys of its row, signed under the name of the
//! sort: it can neither be made up nor be used with another sort.

use super::context::{Args, Context};
use super::fault::Fault;
use crate::secrets::Secrets;
use crate::time::Timestamp;
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use store::{Fragment, FromRow, Row, grouped};

/// Most rows of a page unless a connection says otherwise.
pub const PAGE: u32 = 100;

/// Which page a caller asks for.
#[derive(Debug, Clone)]
pub struct Ask {
    /// Rows of the page.
    pub rows: i64,
    /// The page is the last rows before `before`, not the first after `after`.
    pub backward: bool,
    after: Option<String>,
    before: Option<String>,
}

impl Ask {
    /// From the arguments of a connection with at most `most` rows a page.
    pub fn read(args: &Args, most: u32) -> Result<Ask, Fault> {
        let first: Option<i64> = args.get("first")?;
        let last: Option<i64> = args.get("last")?;
        if first.is_some() && last.is_some() {
            let text = "Can only provide either `first` or `last`, not both";
            return Err(Fault::argument(text));
        }
        let cursor = |name| -> Result<Option<String>, Fault> {
            let text: Option<String> = args.get(name)?;
            Ok(text.filter(|text| !text.is_empty()))
        };
        let most = i64::from(most);
        Ok(Ask {
            rows: first.or(last).unwrap_or(most).clamp(0, most),
            backward: last.is_some(),
            after: cursor("after")?,
            before: cursor("before")?,
        })
    }

    /// The rows of this page in a sort. `sort` names field and order, the last
    /// of `keys` is unique.
    pub fn window(self, context: &Context, sort: &str, keys: &[Key]) -> Result<Window, Fault> {
        let secrets = context.app()?.secrets().clone();
        self.window_with(secrets, sort, keys)
    }

    pub(super) fn window_with(
        self, secrets: Secrets, sort: &str, keys: &[Key],
    ) -> Result<Window, Fault> {
        let label = format!("graphql cursor {sort}");
        let open = |text: &Option<String>| match text {
            None => Ok(None),
            Some(text) => opened(&secrets, &label, text, keys).map(Some),
        };
        Ok(Window {
            after: open(&self.after)?,
            before: open(&self.before)?,
            ask: self,
            keys: keys.to_vec(),
            label,
            secrets,
            spare: 0,
        })
    }
}

fn opened(secrets: &Secrets, label: &str, text: &str, keys: &[Key]) -> Result<Vec<Json>, Fault> {
    let bad = || Fault::said("invalidCursor", "Please provide a valid cursor");
    let bytes = secrets.verify(label, text).ok_or_else(bad)?;
    let values: serde_json::Map<String, Json> =
        serde_json::from_slice(&bytes).map_err(|_| bad())?;
    let values: Option<Vec<Json>> =
        keys.iter().map(|key| values.get(key.name()).cloned()).collect();
    values.ok_or_else(bad)
}

/// Ascending or descending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Smallest first.
    Asc,
    /// Largest first.
    Desc,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Int,
    Text,
    Time,
}

/// A column that a list is sorted by; it holds no nulls.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    column: &'static str,
    order: Order,
    holds: Holds,
}

impl Key {
    /// A column of whole numbers.
    pub const fn int(column: &'static str, order: Order) -> Key {
        Key { column, order, holds: Holds::Int }
    }

    /// A column of text.
    pub const fn text(column: &'static str, order: Order) -> Key {
        Key { column, order, holds: Holds::Text }
    }

    /// A column of times; the value is [`Key::instant`].
    pub const fn time(column: &'static str, order: Order) -> Key {
        Key { column, order, holds: Holds::Time }
    }

    /// A time as a cursor keeps it, in whole microseconds.
    pub fn instant(at: Timestamp) -> Json {
        json!(at.as_microsecond())
    }

    fn name(&self) -> &'static str {
        self.column.rsplit('.').next().unwrap_or(self.column)
    }

    fn compare(&self, into: &mut Fragment, sign: &str, value: &Json) {
        let text = format!("{} {sign} ", self.column);
        let number = value.as_i64().unwrap_or_default();
        match self.holds {
            Holds::Int => into.push(&text, number),
            Holds::Text => into.push(&text, value.as_str().unwrap_or_default()),
            Holds::Time => {
                let at = Timestamp::from_microsecond(number).unwrap_or(Timestamp::UNIX_EPOCH);
                into.push(&text, at)
            }
        };
    }
}

/// One page of one sort, ready for SQL.
pub struct Window {
    ask: Ask,
    after: Option<Vec<Json>>,
    before: Option<Vec<Json>>,
    keys: Vec<Key>,
    label: String,
    secrets: Secrets,
    spare: i64,
}

impl Window {
    /// Adds to a statement that ends inside its `where` what makes it read
    /// this page: conditions, order, and one row more than the page has.
    pub fn narrow(&self, statement: &mut Fragment) {
        self.conditions(statement);
        statement.raw(" order by ").raw(&self.order());
        statement.push(" limit ", self.fetch());
    }

    /// One statement for the pages of many owners: of each, the rows that
    /// [`narrow`](Self::narrow) reads of one. `from` begins with `from` and
    /// ends inside its `where`; `owner` is the column that holds the owner's
    /// id. The rows read as [`Owned`].
    pub fn narrow_each(&self, columns: &str, owner: &str, from: Fragment) -> Fragment {
        let mut statement = Fragment::new(&format!(
            "select * from (select {columns}, {owner} as owner, row_number() over
                (partition by {owner} order by {}) as place",
            self.order()
        ));
        statement.append(from);
        self.conditions(&mut statement);
        statement
            .push(") placed where placed.place <= ", self.fetch())
            .raw(" order by placed.owner, placed.place");
        statement
    }

    /// Reads so many more rows than the page needs, for a caller who leaves
    /// some of them out.
    pub fn with_spare(mut self, rows: i64) -> Window {
        self.spare = rows;
        self
    }

    /// Whether rows are read from the largest first key on.
    pub fn descends(&self) -> bool {
        let first = self.keys.first();
        first.is_some_and(|key| (key.order == Order::Desc) != self.ask.backward)
    }

    /// A page for each of these owners, in their order, out of what
    /// [`narrow_each`](Self::narrow_each) made readable.
    pub fn pages<T>(
        &self, owners: &[i64], rows: Vec<Owned<T>>, keys: impl Fn(&T) -> Vec<Json>,
    ) -> Vec<Connection<T>> {
        let rows = rows.into_iter().map(|Owned { owner, row }| Owned { owner, row: Arc::new(row) });
        // An owner may stand in several places.
        let found = by_owner(rows.collect());
        let page = |owner: &i64| {
            let rows = found.get(owner).cloned().unwrap_or_default();
            self.page_of(rows, &keys)
        };
        owners.iter().map(page).collect()
    }

    fn fetch(&self) -> i64 {
        self.ask.rows + 1 + self.spare
    }

    fn conditions(&self, statement: &mut Fragment) {
        for (edge, past) in [(&self.after, true), (&self.before, false)] {
            if let Some(values) = edge {
                self.beyond(statement, values, past);
            }
        }
    }

    fn order(&self) -> String {
        let keys = self.keys.iter().map(|key| {
            let ascends = (key.order == Order::Asc) != self.ask.backward;
            let order = if ascends { "asc" } else { "desc" };
            format!("{} {order}", key.column)
        });
        keys.collect::<Vec<_>>().join(", ")
    }

    /// `(a past x) or (a = x and b past y) …`, for keys of either order.
    fn beyond(&self, statement: &mut Fragment, values: &[Json], past: bool) {
        statement.raw(" and (");
        for (index, key) in self.keys.iter().enumerate() {
            statement.raw(if index == 0 { "(" } else { " or (" });
            for (same, value) in self.keys.iter().zip(values).take(index) {
                same.compare(statement, "=", value);
                statement.raw(" and ");
            }
            let greater = (key.order == Order::Asc) == past;
            key.compare(statement, if greater { ">" } else { "<" }, &values[index]);
            statement.raw(")");
        }
        statement.raw(")");
    }

    /// The page from the rows that [`narrow`](Self::narrow) made readable;
    /// `keys` gives the values of the sort's keys.
    pub fn page<T>(&self, rows: Vec<T>, keys: impl Fn(&T) -> Vec<Json>) -> Connection<T> {
        self.page_of(rows.into_iter().map(Arc::new).collect(), keys)
    }

    /// The same of rows that are shared already.
    pub fn page_of<T>(
        &self, mut rows: Vec<Arc<T>>, keys: impl Fn(&T) -> Vec<Json>,
    ) -> Connection<T> {
        let more = rows.len() as i64 > self.ask.rows;
        rows.truncate(self.ask.rows as usize);
        if self.ask.backward {
            rows.reverse();
        }
        let rows = rows.into_iter().map(|row| {
            let cursor = self.cursor(&keys(&row));
            (row, cursor)
        });
        let (next, previous) = if self.ask.backward {
            (self.before.is_some(), more)
        } else {
            (more || self.before.is_some(), self.after.is_some())
        };
        Connection { rows: rows.collect(), next, previous, count: None, sum: None }
    }

    /// The page of a list that is in memory whole; `place` gives the sort's only
    /// key, a number that ascends.
    pub fn page_of_whole<T>(&self, whole: &[Arc<T>], place: impl Fn(&T) -> i64) -> Connection<T> {
        let edge = |edge: &Option<Vec<Json>>| edge.as_ref()?.first()?.as_i64();
        let (after, before) = (edge(&self.after), edge(&self.before));
        let within = |row: &&Arc<T>| {
            let at = place(row);
            after.is_none_or(|edge| at > edge) && before.is_none_or(|edge| at < edge)
        };
        let mut rows: Vec<Arc<T>> = whole.iter().filter(within).cloned().collect();
        if self.ask.backward {
            rows.reverse();
        }
        self.page_of(rows, |row| vec![place(row).into()])
    }

    fn cursor(&self, values: &[Json]) -> String {
        let names = self.keys.iter().map(|key| key.name().to_owned());
        let all: serde_json::Map<String, Json> = names.zip(values.iter().cloned()).collect();
        self.secrets.sign(&self.label, Json::Object(all).to_string().as_bytes())
    }
}

/// A row of a page of one of many owners; see [`Window::narrow_each`].
pub struct Owned<T> {
    /// Whose it is.
    pub owner: i64,
    /// The row.
    pub row: T,
}

impl<T> Owned<T> {
    /// The same owner's row as something else.
    pub fn map<U>(self, work: impl FnOnce(T) -> U) -> Owned<U> {
        Owned { owner: self.owner, row: work(self.row) }
    }
}

impl<T: FromRow> FromRow for Owned<T> {
    fn from_row(row: &mut Row<'_>) -> store::Result<Owned<T>> {
        let owner = row.get("owner")?;
        Ok(Owned { owner, row: T::from_row(row)? })
    }
}

/// The rows of each owner, in their order.
pub fn by_owner<T>(rows: Vec<Owned<T>>) -> HashMap<i64, Vec<T>> {
    grouped(rows.into_iter().map(|Owned { owner, row }| (owner, row)))
}

type Count = Pin<Box<dyn Future<Output = Result<i64, Fault>> + Send>>;

/// Counts a list, to at most the given number and one more.
pub type Counted = Arc<dyn Fn(Context, Option<i64>) -> Count + Send + Sync>;

type Sum = Pin<Box<dyn Future<Output = Result<Option<f64>, Fault>> + Send>>;

/// Adds something up over a whole list; nothing where no row has it.
pub type Summed = Arc<dyn Fn(Context) -> Sum + Send + Sync>;

/// A page of rows with their cursors.
pub struct Connection<T> {
    /// Row and cursor, in order.
    pub rows: Vec<(Arc<T>, String)>,
    /// Whether rows follow.
    pub next: bool,
    /// Whether rows precede.
    pub previous: bool,
    pub(super) count: Option<Counted>,
    pub(super) sum: Option<Summed>,
}

impl<T> Connection<T> {
    /// A page of nothing.
    pub fn empty() -> Connection<T> {
        Connection {
            rows: Vec::new(),
            next: false,
            previous: false,
            count: None,
            sum: None,
        }
    }

    /// How to count, when the caller asks.
    pub fn counted<F, Fut>(mut self, count: F) -> Connection<T>
    where
        F: Fn(Context, Option<i64>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<i64, Fault>> + Send + 'static,
    {
        self.count = Some(Arc::new(move |context, limit| Box::pin(count(context, limit))));
        self
    }

    /// How to add up what [`Graph::sum`](super::Graph::sum) declares, when the caller asks.
    pub fn summed<F, Fut>(mut self, sum: F) -> Connection<T>
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Option<f64>, Fault>> + Send + 'static,
    {
        self.sum = Some(Arc::new(move |context| Box::pin(sum(context))));
        self
    }
}
