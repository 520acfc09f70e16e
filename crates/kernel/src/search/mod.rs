//! Searching things of all rooms by the words that stand in them
//! (docs/decisions/0014-search-index.md).
//!
//! A room names each kind of thing that is searched as a [`Source`], calls
//! [`index`] in the transaction that writes such things, and says by a [`Found`]
//! which of them somebody may see. Deleting needs no call: the database forgets
//! what an index had of a row. [`fill`] writes what was there before the index.

pub mod fill;
mod query;
mod words;

pub use fill::filled;
pub use query::{MAX_CHARS, MAX_WORDS, Piece, Query};

use crate::error::{Error, Result};
use crate::http::{Paged, Paging, Start};
use crate::time::Timestamp;
use serde_json::{Value, json};
use std::collections::HashSet;
use store::{Fragment, FromRow, Tx};

/// Rows past which matches are no longer counted.
pub const COUNT_LIMIT: i64 = 100;
/// Rows past which no page goes.
const MAX_OFFSET: i64 = 10_000;
/// Bytes of a thing's text that are searched.
const MAX_BYTES: usize = 100_000;
/// Things that are indexed by one statement.
const BATCH: usize = 500;

/// A kind of thing that is searched.
#[derive(Debug)]
pub struct Source {
    /// Its index, a table of terms.
    pub index: &'static str,
    /// Its id, as `issues.id`.
    pub id: &'static str,
    /// `select … as id, … as project_id, … as number, … as name, … as body from …
    /// where `; conditions and an order follow. `number` is what people name it
    /// by in its project.
    pub select: &'static str,
    /// The columns of a [`Hit`].
    pub hit: &'static str,
}

/// A thing that matches, as pages list it.
#[derive(Debug, Clone, FromRow)]
pub struct Hit {
    /// Its id.
    pub id: i64,
    /// What people name it by in its project.
    pub number: Option<i64>,
    /// What it is called.
    pub title: String,
    /// What it says.
    pub body: Option<String>,
    /// The path of what it belongs to, or its own.
    pub place: String,
    /// How it stands, or of which kind it is.
    pub word: Option<String>,
    /// When it was made or changed.
    pub at: Timestamp,
}

/// Every kind; plugged in when the store is opened.
#[derive(Debug)]
pub struct Sources(pub Vec<&'static Source>);

/// What a thing is found by.
#[derive(Debug, FromRow)]
struct Text {
    id: i64,
    project_id: Option<i64>,
    number: Option<i64>,
    name: String,
    body: Option<String>,
}

impl Text {
    /// All terms, each once, with spaces between them.
    fn terms(&self) -> String {
        let mut terms: HashSet<String> = HashSet::new();
        terms.extend(self.project_id.map(words::of_project));
        if let Some(number) = self.number {
            terms.insert(number.to_string());
            terms.insert(words::reference(&number.to_string()));
        }
        for text in [Some(self.name.as_str()), self.body.as_deref()].into_iter().flatten() {
            for word in words::words(&text[..text.floor_char_boundary(MAX_BYTES)]) {
                if word.kind == words::Kind::Reference {
                    terms.insert(words::reference(&word.term));
                }
                terms.insert(word.term);
            }
        }
        terms.into_iter().collect::<Vec<_>>().join(" ")
    }
}

/// Indexes these things as they stand now; what is no longer one is forgotten.
/// To be called in the transaction that writes what they are found by.
pub fn index(tx: &mut Tx<'_>, source: &Source, ids: &[i64]) -> store::Result<()> {
    for some in ids.chunks(BATCH) {
        let mut texts = Fragment::new(source.select);
        texts.in_list(source.id, some);
        let known = put(tx, source, texts)?;
        let gone: Vec<i64> = some.iter().copied().filter(|id| !known.contains(id)).collect();
        if !gone.is_empty() {
            let mut forget = Fragment::new(&format!("delete from {} where", source.index));
            forget.in_list("rowid", gone);
            tx.change_by(forget)?;
        }
    }
    Ok(())
}

/// Indexes what a statement selects; the ids.
fn put(tx: &mut Tx<'_>, source: &Source, texts: Fragment) -> store::Result<Vec<i64>> {
    let texts: Vec<Text> = tx.query(texts)?;
    let rows: Vec<(i64, String)> = texts.iter().map(|text| (text.id, text.terms())).collect();
    tx.put_terms(source.index, &rows)?;
    Ok(texts.into_iter().map(|text| text.id).collect())
}

/// How many things of a kind are not in its index.
pub fn missing(tx: &mut Tx<'_>, source: &Source) -> Result<i64> {
    let Source { index, id, select, .. } = source;
    let count = Fragment::new(&format!(
        "select count(*) from ({select} not exists
            (select 1 from {index} where {index}.rowid = {id})) as missing"
    ));
    Ok(tx.query::<i64>(count)?.into_iter().next().unwrap_or(0))
}

/// The things of a kind that somebody may see, of which some match.
#[derive(Debug, Clone)]
pub struct Found {
    /// Which kind.
    pub source: &'static Source,
    /// Its table, and those joined with it.
    pub from: Fragment,
    /// Which of them the viewer may see.
    pub condition: Fragment,
    /// They are of these projects at most. It says nothing that the condition does
    /// not say: the index finds them sooner.
    pub projects: Option<Vec<i64>>,
}

impl Found {
    /// Things of a kind, by the condition that says who sees them.
    pub fn new(source: &'static Source, from: &str, condition: Fragment) -> Found {
        Found { source, from: Fragment::new(from), condition, projects: None }
    }

    /// The same, known to be of these projects.
    pub fn of_projects(mut self, projects: Option<Vec<i64>>) -> Found {
        self.projects = projects;
        self
    }

    /// Whether nothing can match.
    fn is_empty(&self, query: &Query) -> bool {
        query.is_empty() || self.projects.as_ref().is_some_and(Vec::is_empty)
    }

    /// ` from … where …`. The index comes first and is walked in its order, so
    /// that a page of many matches reads no more than it shows.
    fn matching(&self, tx: &mut Tx<'_>, query: &Query) -> Result<Fragment> {
        let Source { index, id, .. } = self.source;
        let terms = query.terms(self.projects.as_deref().unwrap_or_default());
        let mut matching = Fragment::new(&format!(" from {index} cross join "));
        matching
            .append(self.from.clone())
            .raw(&format!(" where {id} = {index}.rowid and "));
        matching.append(tx.match_terms(index, &terms)?);
        matching.raw(" and (").append(self.condition.clone()).raw(")");
        Ok(matching)
    }

    /// One page of what matches, the newest first unless told otherwise; by key,
    /// which is the id, where that is asked for.
    pub fn page<R: FromRow>(
        &self, tx: &mut Tx<'_>, columns: &str, query: &Query, ascending: bool, paging: &Paging,
        id: impl Fn(&R) -> i64,
    ) -> Result<Paged<R>> {
        let rows = self.rows(tx, columns, query, ascending, paging)?;
        if paging.is_keyset() {
            return Ok(Paged::keyed(rows, paging.clone(), |row| vec![json!(id(row))]));
        }
        let seen = rows.len() as i64;
        let is_whole = seen <= paging.per_page && (seen > 0 || paging.offset() == 0);
        let total = match is_whole {
            true => paging.offset() + seen,
            false => self.count(tx, query)?,
        };
        let total = (total <= COUNT_LIMIT).then_some(total);
        Ok(Paged::numbered(rows, paging.clone(), total))
    }

    /// The rows of one page, and one more if more follow.
    pub fn rows<R: FromRow>(
        &self, tx: &mut Tx<'_>, columns: &str, query: &Query, ascending: bool, paging: &Paging,
    ) -> Result<Vec<R>> {
        if self.is_empty(query) || paging.offset() >= MAX_OFFSET {
            return Ok(Vec::new());
        }
        let direction = if ascending { "asc" } else { "desc" };
        let index = self.source.index;
        let mut page = Fragment::new(&format!("select {columns}"));
        page.append(self.matching(tx, query)?);
        if let Start::After(Some(keys)) = &paging.start {
            let beyond = if ascending { ">" } else { "<" };
            page.push(&format!(" and {index}.rowid {beyond} "), last_id(keys)?);
        }
        page.raw(&format!(" order by {index}.rowid {direction}"))
            .push(" limit ", paging.fetch())
            .push(" offset ", paging.offset());
        Ok(tx.query(page)?)
    }

    /// The first of all that the viewer may see, whatever is searched for.
    pub fn only(&self, tx: &mut Tx<'_>) -> Result<Option<Hit>> {
        let mut first = Fragment::new(&format!("select {} from ", self.source.hit));
        first.append(self.from.clone()).raw(" where ");
        first.append(self.condition.clone()).raw(" limit 1");
        Ok(tx.query(first)?.into_iter().next())
    }

    /// How many match, counted to [`COUNT_LIMIT`] and one more.
    pub fn count(&self, tx: &mut Tx<'_>, query: &Query) -> Result<i64> {
        if self.is_empty(query) {
            return Ok(0);
        }
        let mut count = Fragment::new("select count(*) from (select 1");
        count
            .append(self.matching(tx, query)?)
            .push(" limit ", COUNT_LIMIT + 1)
            .raw(") as counted");
        Ok(tx.query::<i64>(count)?.into_iter().next().unwrap_or(0))
    }
}

/// The id that a keyset page follows.
fn last_id(keys: &[Value]) -> Result<i64> {
    let id = match keys {
        [key] => key.as_i64(),
        _ => None,
    };
    id.ok_or_else(|| Error::Parameters(vec!["cursor does not have a valid value".into()]))
}
