//! The packs of repositories that move: each may name its copies in the other storage.

use ::store::{FromRow, Tx, sql};
use kernel::blob_rows;
use kernel::blobs::storage_of;
use kernel::error::Result;

/// A pack in use.
#[derive(Debug, Clone, FromRow)]
#[columns("repository_packs")]
pub struct MovingPack {
    pub id: i64,
    pub name: String,
    pub pack_key: String,
    pub index_key: String,
    pub pack_size: i64,
    pub index_size: i64,
    /// Its copies where it goes to.
    pub other_pack_key: Option<String>,
    pub other_index_key: Option<String>,
}

impl MovingPack {
    /// Bytes of both files.
    pub fn size(&self) -> i64 {
        self.pack_size + self.index_size
    }

    /// Whether it lies in a storage already.
    pub fn lies_in(&self, storage: &str) -> bool {
        [&self.pack_key, &self.index_key].iter().all(|key| storage_of(key) == storage)
    }

    /// The keys of its files in a storage, if it lies there or was copied there.
    pub fn keys_in(&self, storage: &str) -> Option<(&str, &str)> {
        if self.lies_in(storage) {
            return Some((&self.pack_key, &self.index_key));
        }
        let copies = self.other_pack_key.as_deref().zip(self.other_index_key.as_deref());
        copies.filter(|(pack, index)| storage_of(pack) == storage && storage_of(index) == storage)
    }
}

/// The packs of a repository in use.
pub fn in_use(tx: &mut Tx<'_>, repository: i64) -> Result<Vec<MovingPack>> {
    Ok(tx.all(
        sql!(
            "select ",
            MovingPack::COLUMNS,
            " from repository_packs where repository_id = $1 and retired_at is null order by id"
        ),
        (repository,),
    )?)
}

/// Has a pack name copies that are there for others already, so that they stay; whether
/// both are.
pub fn name_known(tx: &mut Tx<'_>, pack: i64, copies: (&str, &str)) -> Result<bool> {
    let named = tx.execute(
        sql!(
            "update repository_packs set other_pack_key = $2, other_index_key = $3
             where id = $1 and exists (select 1 from blobs where key = $2)
                and exists (select 1 from blobs where key = $3)"
        ),
        (pack, copies.0, copies.1),
    )?;
    Ok(named > 0)
}

/// Has a pack name its copies, whose bytes are stored.
pub fn name_new(tx: &mut Tx<'_>, pack: &MovingPack, copies: (&str, &str)) -> Result<()> {
    let there: Option<i64> =
        tx.optional(sql!("select id from repository_packs where id = $1"), (pack.id,))?;
    if there.is_none() {
        return Ok(());
    }
    blob_rows::insert_copy(tx, &pack.pack_key, copies.0)?;
    blob_rows::insert_copy(tx, &pack.index_key, copies.1)?;
    name_known(tx, pack.id, copies).map(drop)
}

/// Has packs in use lie where their copies are; these are where they lay.
pub fn swap(tx: &mut Tx<'_>, repositories: &[i64]) -> Result<()> {
    tx.run(
        sql!(
            "update repository_packs set pack_key = other_pack_key, index_key = other_index_key,
                other_pack_key = pack_key, other_index_key = index_key
             where repository_id in_list($1) and retired_at is null
                and other_pack_key is not null and other_index_key is not null"
        ),
        (repositories,),
    )
}

/// Has packs name no copies any more; the keys of these that nothing names now, whose rows
/// are gone.
pub fn forget_copies(tx: &mut Tx<'_>, repositories: &[i64]) -> Result<Vec<String>> {
    let named: Vec<(Option<String>, Option<String>)> = tx.all(
        sql!(
            "select other_pack_key, other_index_key from repository_packs
             where repository_id in_list($1)
                and (other_pack_key is not null or other_index_key is not null)"
        ),
        (repositories,),
    )?;
    tx.execute(
        sql!(
            "update repository_packs set other_pack_key = null, other_index_key = null
             where repository_id in_list($1)"
        ),
        (repositories,),
    )?;
    let keys = named.into_iter().flat_map(|(pack, index)| [pack, index]).flatten();
    release(tx, keys.collect())
}

/// Removes the rows of packs that others replaced; as [`forget_copies`].
pub fn forget_retired(tx: &mut Tx<'_>, repositories: &[i64]) -> Result<Vec<String>> {
    let gone: Vec<(String, String)> = tx.all(
        sql!(
            "delete from repository_packs
             where repository_id in_list($1) and retired_at is not null
             returning pack_key, index_key"
        ),
        (repositories,),
    )?;
    release(tx, gone.into_iter().flat_map(|(pack, index)| [pack, index]).collect())
}

fn release(tx: &mut Tx<'_>, keys: Vec<String>) -> Result<Vec<String>> {
    let delete = sql!(
        "delete from blobs where key = $1
            and not exists (select 1 from repository_packs where pack_key = $1)
            and not exists (select 1 from repository_packs where index_key = $1)
            and not exists (select 1 from repository_packs where other_pack_key = $1)
            and not exists (select 1 from repository_packs where other_index_key = $1)"
    );
    blob_rows::release(tx, delete, &keys)
}
