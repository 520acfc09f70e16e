//! `import_failures`.

use crate::model::Kind;
use crate::run::Stage;
use kernel::error::Result;
use kernel::time::Timestamp;
use std::collections::HashSet;
use store::{FromRow, Json, Tx, sql};

/// A part that could not be brought.
#[derive(Debug, Clone, FromRow)]
#[columns("import_failures")]
pub struct FailedRelation {
    pub id: i64,
    pub stage: Stage,
    pub kind: Kind,
    /// Its own there among those of its kind.
    pub key: String,
    pub exception_class: String,
    pub message: String,
    /// What was to be written, where it could be read: it can be tried again alone.
    pub object: Option<serde_json::Value>,
    pub created_at: Timestamp,
}

const SELECT: &str = ::store::concat!("select ", FailedRelation::COLUMNS, " from import_failures ");

/// A failure as it is noted.
pub struct NewFailure<'f> {
    pub stage: Stage,
    pub kind: Kind,
    pub key: &'f str,
    pub exception_class: &'f str,
    pub message: &'f str,
    pub object: Option<serde_json::Value>,
}

/// Notes one, in the place of what was noted of the same thing before.
pub fn note(tx: &mut Tx<'_>, import_id: i64, new: NewFailure<'_>) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "insert into import_failures (import_id, stage, kind, key, exception_class, message,
                object, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8)
             on conflict (import_id, kind, key) do update set stage = excluded.stage,
                exception_class = excluded.exception_class, message = excluded.message,
                object = excluded.object, created_at = excluded.created_at"
        ),
        (
            import_id,
            new.stage,
            new.kind,
            new.key,
            new.exception_class,
            new.message,
            new.object.map(Json),
            now,
        ),
    )
}

/// One of an import.
pub fn find(tx: &mut Tx<'_>, import_id: i64, id: i64) -> Result<Option<FailedRelation>> {
    Ok(tx.optional(sql!(SELECT, "where import_id = $1 and id = $2"), (import_id, id))?)
}

/// The first ones of an import.
pub fn list(tx: &mut Tx<'_>, import_id: i64, limit: i64) -> Result<Vec<FailedRelation>> {
    Ok(tx.all(sql!(SELECT, "where import_id = $1 order by id limit $2"), (import_id, limit))?)
}

pub fn count(tx: &mut Tx<'_>, import_id: i64) -> Result<i64> {
    Ok(tx.one(sql!("select count(*) from import_failures where import_id = $1"), (import_id,))?)
}

/// Which of some keys there is a failure of.
pub fn among(
    tx: &mut Tx<'_>, import_id: i64, kind: Kind, keys: &[String],
) -> Result<HashSet<String>> {
    let found: Vec<String> = tx.all(
        sql!(
            "select key from import_failures
             where import_id = $1 and kind = $2 and key in_list($3)"
        ),
        (import_id, kind, keys),
    )?;
    Ok(found.into_iter().collect())
}

/// Forgets those of some keys.
pub fn forget(tx: &mut Tx<'_>, import_id: i64, kind: Kind, keys: &[String]) -> Result<()> {
    tx.run(
        sql!(
            "delete from import_failures
             where import_id = $1 and kind = $2 and key in_list($3)"
        ),
        (import_id, kind, keys),
    )
}
