//! `repository_packs`.

use crate::model::{Pack, Repository};
use ::store::{Tx, sql};
use jiff::Timestamp;
use kernel::blobs::{Stored, storage_of};
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
    /// The name of the storage that they lie in.
    pub fn storage(&self) -> &str {
        storage_of(&self.pack.key)
    }

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
             on conflict (repository_id, name) do update set retired_at = null,
                pack_key = excluded.pack_key, index_key = excluded.index_key"
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

/// Puts a pack in the place of some others, if all of these are in use still, and the
/// repository is where the new one lies and not about to lie elsewhere.
pub fn replace(
    tx: &mut Tx<'_>, repository: i64, old: &[String], new: Option<&NewPack>,
) -> Result<bool> {
    let now = tx.now();
    let here = super::by_id(tx, repository)?.filter(|it| !it.is_read_only());
    let is_here = |it: &Repository| new.is_none_or(|new| new.storage() == it.storage);
    if !here.as_ref().is_some_and(is_here) {
        return Ok(false);
    }
    let in_use: i64 = tx.one(
        sql!(
            "select count(*) from repository_packs
             where repository_id = $1 and name in_list($2) and retired_at is null"
        ),
        (repository, old),
    )?;
    if in_use != old.len() as i64 {
        return Ok(false);
    }
    tx.execute(
        sql!(
            "update repository_packs set retired_at = $3
             where repository_id = $1 and name in_list($2)"
        ),
        (repository, old, now),
    )?;
    if let Some(new) = new {
        insert(tx, repository, new)?;
    }
    tx.execute(
        sql!(
            "update repositories set generation = generation + 1, updated_at = $2,
                size = (select coalesce(cast(sum(pack_size + index_size) as bigint), 0)
                    from repository_packs p
                    where p.repository_id = repositories.id and p.retired_at is null)
             where id = $1"
        ),
        (repository, now),
    )?;
    Ok(true)
}

/// Gives a new repository the packs in use of another; their bytes are there once.
pub fn copy_all(tx: &mut Tx<'_>, from: i64, to: i64) -> Result<()> {
    tx.execute(
        sql!(
            "insert into repository_packs (repository_id, name, pack_key, index_key, pack_size,
                index_size, created_at)
             select cast($2 as bigint), name, pack_key, index_key, pack_size, index_size,
                created_at
             from repository_packs where repository_id = $1 and retired_at is null order by id"
        ),
        (from, to),
    )?;
    Ok(())
}

/// How many packs are in use.
pub fn count(tx: &mut Tx<'_>, repository: i64) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "select count(*) from repository_packs
             where repository_id = $1 and retired_at is null"
        ),
        (repository,),
    )?)
}

/// Removes the rows of some packs that were replaced before then; how many.
pub fn remove_retired(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    Ok(tx.execute(
        sql!(
            "delete from repository_packs where id in (
                select id from repository_packs where retired_at < $1 order by id limit $2)"
        ),
        (before, limit),
    )?)
}
