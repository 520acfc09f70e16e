//! `repository_packs`.

use crate::model::Pack;
use ::store::{Tx, sql};
use kernel::blobs::Stored;
use kernel::error::Result;

/// A pack whose files are stored already.
#[derive(Debug, Clone)]
pub struct NewPack {
    /// The digest that git names its files by.
    pub name: String,
    pub pack: Stored,
    pub index: Stored,
}

impl NewPack {
    /// Bytes of both files.
    pub fn size(&self) -> i64 {
        i64::try_from(self.pack.size + self.index.size).unwrap_or(i64::MAX)
    }
}

/// The packs in use, in the order they came.
pub fn in_use(tx: &mut Tx<'_>, repository: i64) -> Result<Vec<Pack>> {
    Ok(tx.all(
        sql!(
            "select ",
            Pack::COLUMNS,
            " from repository_packs where repository_id = $1 and retired_at is null order by id"
        ),
        (repository,),
    )?)
}

/// Adds a pack; one that is there is in use again.
pub fn insert(tx: &mut Tx<'_>, repository: i64, new: &NewPack) -> Result<()> {
    let now = tx.now();
    let pack_size = kernel::blob_rows::insert(tx, &new.pack)?;
    let index_size = kernel::blob_rows::insert(tx, &new.index)?;
    tx.execute(
        sql!(
            "insert into repository_packs (repository_id, name, pack_key, index_key, pack_size,
                index_size, created_at)
             values ($1, $2, $3, $4, $5, $6, $7)
             on conflict (repository_id, name) do update set retired_at = null"
        ),
        (
            repository,
            new.name.as_str(),
            new.pack.key.as_str(),
            new.index.key.as_str(),
            pack_size,
            index_size,
            now,
        ),
    )?;
    Ok(())
}
