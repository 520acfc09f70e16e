//! What of an import is here already (`import_records`), by its kind and its key there.

use crate::model::Kind;
use kernel::error::Result;
use std::collections::HashMap;
use store::{Fragment, FromRow, Tx, sql};

/// One thing that came.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Record {
    pub id: i64,
    /// Its own there.
    pub key: String,
    /// Of the row here.
    pub local_id: i64,
}

/// The id here of what has this key there, if it came.
pub fn local(tx: &mut Tx<'_>, import_id: i64, kind: Kind, key: &str) -> Result<Option<i64>> {
    Ok(tx.optional(
        sql!(
            "select local_id from import_records
             where import_id = $1 and kind = $2 and key = $3"
        ),
        (import_id, kind, key),
    )?)
}

/// The ids here of those that came of some keys, by key.
pub fn known(
    tx: &mut Tx<'_>, import_id: i64, kind: Kind, keys: &[String],
) -> Result<HashMap<String, i64>> {
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    Ok(tx.pairs(
        sql!(
            "select key, local_id from import_records
             where import_id = $1 and kind = $2 and key in_list($3)"
        ),
        (import_id, kind, keys),
    )?)
}

/// Notes that something came.
pub fn note(tx: &mut Tx<'_>, import_id: i64, kind: Kind, key: &str, local_id: i64) -> Result<()> {
    note_all(tx, import_id, kind, &[(key.to_owned(), local_id)])
}

/// Notes that some things came, keys with the ids here, by one statement.
pub fn note_all(tx: &mut Tx<'_>, import_id: i64, kind: Kind, came: &[(String, i64)]) -> Result<()> {
    if came.is_empty() {
        return Ok(());
    }
    let mut insert =
        Fragment::new("insert into import_records (import_id, kind, key, number, local_id) values");
    let mut between = " (";
    for (key, local_id) in came {
        insert
            .push(between, import_id)
            .push(", ", kind)
            .push(", ", key.as_str())
            .push(", ", number(kind, key))
            .push(", ", *local_id)
            .raw(")");
        between = ", (";
    }
    insert.raw(" on conflict (import_id, kind, key) do update set local_id = excluded.local_id");
    tx.change_by(insert)?;
    Ok(())
}

/// The number of what is known by one, so that stages can go from one to the next.
fn number(kind: Kind, key: &str) -> Option<i64> {
    match kind {
        Kind::Issue | Kind::PullRequest | Kind::Milestone => key.parse().ok(),
        _ => None,
    }
}

/// The numbers there of issues or merge requests that came, in their order, after this one.
pub fn numbers_after(
    tx: &mut Tx<'_>, import_id: i64, kind: Kind, after: i64, limit: i64,
) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select number from import_records
             where import_id = $1 and kind = $2 and number > $3 order by number limit $4"
        ),
        (import_id, kind, after, limit),
    )?)
}

/// What came of a kind, in the order in which it came, after this id of a record.
pub fn records_after(
    tx: &mut Tx<'_>, import_id: i64, kind: Kind, after: i64, limit: i64,
) -> Result<Vec<Record>> {
    Ok(tx.all(
        sql!(
            "select id, key, local_id from import_records
             where import_id = $1 and kind = $2 and id > $3 order by id limit $4"
        ),
        (import_id, kind, after, limit),
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_number_is_found_by_it() {
        assert_eq!(number(Kind::Issue, "12"), Some(12));
        assert_eq!(number(Kind::Issue, "x"), None);
        assert_eq!(number(Kind::Note, "12"), None);
    }
}
