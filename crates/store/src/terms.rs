//! Searching by terms: the one thing that each engine says in words of its own
//! (docs/decisions/0014-search-index.md).
//!
//! An index is a table with a `rowid` and `terms`, declared for each engine
//! alone: FTS5 in SQLite, `tsvector` under GIN in PostgreSQL. Terms are made by
//! the caller and hold no spaces; neither engine cuts or folds them further.

use crate::{Engine, Fragment, Result, Tx};

/// What must stand in a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// All of these.
    pub all: Vec<Term>,
    /// One of these, unless there are none.
    pub any: Vec<String>,
}

/// A term, or how one begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// As the caller folded it.
    pub text: String,
    /// Also those that begin so.
    pub is_prefix: bool,
}

/// Rows of one statement. A few sizes, so that few statements are prepared.
const CHUNKS: [usize; 3] = [50, 10, 1];

impl Tx<'_> {
    /// Writes what stands in rows of an index, with spaces between the terms,
    /// in the place of what stood there.
    pub fn put_terms(&mut self, index: &str, rows: &[(i64, String)]) -> Result<()> {
        let mut rest = rows;
        for size in CHUNKS {
            while rest.len() >= size {
                let (some, others) = rest.split_at(size);
                self.change_by(writing(self.engine(), index, some))?;
                rest = others;
            }
        }
        Ok(())
    }

    /// Condition: the row of this index has the terms.
    pub fn match_terms(&mut self, index: &str, terms: &Terms) -> Result<Fragment> {
        let mut condition = Fragment::new(index);
        match self.engine() {
            Engine::Sqlite => {
                condition.push(" match ", fts5(terms));
            }
            Engine::Postgres => {
                // Whether a word is rare or common decides the plan.
                self.control("set local plan_cache_mode = force_custom_plan")?;
                condition
                    .push(".terms @@ cast(cast(", tsquery(terms))
                    .raw(" as text) as tsquery)");
            }
        }
        Ok(condition)
    }
}

fn writing(engine: Engine, index: &str, rows: &[(i64, String)]) -> Fragment {
    let (verb, begin, end, last) = match engine {
        Engine::Sqlite => ("insert or replace", "", "", ""),
        Engine::Postgres => (
            "insert",
            "array_to_tsvector(string_to_array(",
            ", ' '))",
            " on conflict (rowid) do update set terms = excluded.terms",
        ),
    };
    let mut statement = Fragment::new(&format!("{verb} into {index} (rowid, terms) values"));
    for (at, (id, terms)) in rows.iter().enumerate() {
        statement
            .push(if at == 0 { " (" } else { ", (" }, *id)
            .push(&format!(", {begin}"), terms.as_str())
            .raw(&format!("{end})"));
    }
    statement.raw(last);
    statement
}

/// The terms in FTS5's language; quoted, so that none is read as a word of it.
fn fts5(terms: &Terms) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let star =
        |term: &Term| format!("{}{}", quoted(&term.text), if term.is_prefix { "*" } else { "" });
    joined(terms, star, quoted, " AND ", " OR ")
}

/// The terms as `tsquery` reads them, quoted likewise.
fn tsquery(terms: &Terms) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"));
    let star =
        |term: &Term| format!("{}{}", quoted(&term.text), if term.is_prefix { ":*" } else { "" });
    joined(terms, star, quoted, " & ", " | ")
}

fn joined(
    terms: &Terms, one: impl Fn(&Term) -> String, other: impl Fn(&str) -> String, and: &str,
    or: &str,
) -> String {
    let mut parts: Vec<String> = terms.all.iter().map(one).collect();
    if !terms.any.is_empty() {
        let any: Vec<String> = terms.any.iter().map(|text| other(text)).collect();
        parts.push(format!("({})", any.join(or)));
    }
    parts.join(and)
}
