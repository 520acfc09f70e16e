//! `advisory_loads`.

use crate::dependencies::advisories::model::{Load, Tally};
use ::store::{Tx, concat, sql};
use kernel::blobs::Stored;
use kernel::error::Result;

const SELECT: &str = concat!("select ", Load::COLUMNS, " from advisory_loads ");

/// Adds one whose bytes are kept.
pub fn insert(tx: &mut Tx<'_>, user_id: Option<i64>, stored: &Stored) -> Result<Load> {
    kernel::blob_rows::insert(tx, stored)?;
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "insert into advisory_loads (user_id, blob_key, loaded, unchanged, removed, refused,
                created_at)
             values ($1, $2, 0, 0, 0, 0, $3) returning ",
            Load::COLUMNS
        ),
        (user_id, &stored.key, now),
    )?)
}

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Load>> {
    Ok(tx.optional(sql!(SELECT, "where advisory_loads.id = $1"), (id,))?)
}

/// How many wait to be read.
pub fn waiting(tx: &mut Tx<'_>) -> Result<i64> {
    Ok(tx.one(sql!("select count(*) from advisory_loads where finished_at is null"), ())?)
}

/// It has been read; its bytes may go.
pub fn finish(tx: &mut Tx<'_>, id: i64, tally: &Tally) -> Result<()> {
    let now = tx.now();
    let none = None::<String>;
    tx.execute(
        sql!(
            "update advisory_loads set blob_key = $2, loaded = $3, unchanged = $4, removed = $5,
                refused = $6, reason = $7, finished_at = $8 where id = $1"
        ),
        (
            id,
            none,
            tally.loaded,
            tally.unchanged,
            tally.removed,
            tally.refused,
            tally.reason.clone(),
            now,
        ),
    )?;
    spaces::hooks::blobs_unnamed(tx)
}
