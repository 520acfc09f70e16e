//! Rows of blobs: what refers to a blob refers to its row, so bytes are taken
//! away only when no room names them.

use crate::blobs::Stored;
use crate::error::{Error, Result};
use store::{Tx, sql};

/// Gives stored bytes their row if they have none; their size as rows have it.
pub fn insert(tx: &mut Tx<'_>, stored: &Stored) -> Result<i64> {
    let (now, size) = (tx.now(), i64::try_from(stored.size).map_err(Error::internal)?);
    tx.execute(
        sql!(
            "insert into blobs (key, size, md5, sha1, sha256, sha512, created_at)
             values ($1, $2, $3, $4, $5, $6, $7) on conflict (key) do nothing"
        ),
        (
            stored.key.as_str(),
            size,
            stored.md5.as_str(),
            stored.sha1.as_str(),
            stored.sha256.as_str(),
            stored.sha512.as_str(),
            now,
        ),
    )?;
    Ok(size)
}

/// Gives the bytes of a blob that were copied to another key their row, if they have none.
pub fn insert_copy(tx: &mut Tx<'_>, from: &str, to: &str) -> Result<()> {
    tx.run(
        sql!(
            "insert into blobs (key, size, md5, sha1, sha256, sha512, created_at)
             select cast($2 as text), size, md5, sha1, sha256, sha512, created_at from blobs
             where key = $1 on conflict (key) do nothing"
        ),
        (from, to),
    )
}

/// Removes the rows of those of some blobs that nothing refers to any more, by a statement
/// for one key; their keys. Any room may refer to a blob, which its foreign key says.
pub fn release(tx: &mut Tx<'_>, delete: &'static str, keys: &[String]) -> Result<Vec<String>> {
    let mut gone = Vec::new();
    for key in keys {
        match tx.savepoint(|tx| tx.execute(delete, (key.as_str(),))) {
            Ok(0) | Err(store::Error::Foreign) => {}
            Ok(_) => gone.push(key.clone()),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(gone)
}
