//! `lfs_objects` and `lfs_locks`.

use ::store::{FromRow, Tx, sql};
use jiff::Timestamp;
use kernel::blobs::Stored;
use kernel::error::Result;
use kernel::http::files::SentBlob;
use std::collections::HashMap;

/// A large file of a project.
#[derive(Debug, Clone, FromRow)]
#[columns("lfs_objects")]
pub struct LfsObject {
    /// SHA-256 of its bytes.
    pub oid: String,
    /// Bytes.
    pub size: i64,
    pub blob_key: String,
}

impl LfsObject {
    /// Its bytes, as they are sent.
    pub fn sent(&self) -> SentBlob<'_> {
        SentBlob {
            key: &self.blob_key,
            size: self.size.unsigned_abs(),
            sha256: &self.oid,
        }
    }
}

/// Adds a large file whose bytes are stored; one that is there stays.
pub fn insert(tx: &mut Tx<'_>, project: i64, stored: &Stored) -> Result<()> {
    let (now, size) = (tx.now(), kernel::blob_rows::insert(tx, stored)?);
    tx.execute(
        sql!(
            "insert into lfs_objects (project_id, oid, size, blob_key, created_at)
             values ($1, $2, $3, $4, $5) on conflict (project_id, oid) do nothing"
        ),
        (project, stored.sha256.as_str(), size, stored.key.as_str(), now),
    )?;
    Ok(())
}

/// Gives a project the large files of another, whose bytes are there once.
pub fn copy_all(tx: &mut Tx<'_>, from: i64, to: i64) -> Result<()> {
    tx.execute(
        sql!(
            "insert into lfs_objects (project_id, oid, size, blob_key, created_at)
             select cast($2 as bigint), oid, size, blob_key, created_at from lfs_objects
             where project_id = $1 on conflict (project_id, oid) do nothing"
        ),
        (from, to),
    )?;
    Ok(())
}

/// A large file of a project.
pub fn find(tx: &mut Tx<'_>, project: i64, oid: &str) -> Result<Option<LfsObject>> {
    Ok(among(tx, project, &[oid.to_owned()])?.pop())
}

/// Those of these that the project has.
pub fn among(tx: &mut Tx<'_>, project: i64, oids: &[String]) -> Result<Vec<LfsObject>> {
    Ok(tx.all(
        sql!(
            "select ",
            LfsObject::COLUMNS,
            " from lfs_objects where project_id = $1 and oid in_list($2)"
        ),
        (project, oids),
    )?)
}

/// Those of a project behind this one, by their digests.
pub fn after(tx: &mut Tx<'_>, project: i64, after: &str, limit: i64) -> Result<Vec<LfsObject>> {
    Ok(tx.all(
        sql!(
            "select ",
            LfsObject::COLUMNS,
            " from lfs_objects where project_id = $1 and oid > $2 order by oid limit $3"
        ),
        (project, after, limit),
    )?)
}

/// Gives a project a large file whose bytes have a row; one that is there stays.
pub fn put_back(tx: &mut Tx<'_>, project: i64, object: &LfsObject) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "insert into lfs_objects (project_id, oid, size, blob_key, created_at)
             values ($1, $2, $3, $4, $5) on conflict (project_id, oid) do nothing"
        ),
        (project, object.oid.as_str(), object.size, object.blob_key.as_str(), now),
    )
}

/// Bytes of the large files of some projects, those that have any.
pub fn sizes(tx: &mut Tx<'_>, projects: &[i64]) -> Result<HashMap<i64, i64>> {
    Ok(tx.pairs(
        sql!(
            "select project_id, cast(sum(size) as bigint) from lfs_objects
             where project_id in_list($1) group by project_id"
        ),
        (projects.to_vec(),),
    )?)
}

/// Somebody's claim on a path of a project.
#[derive(Debug, Clone, FromRow)]
#[columns("lfs_locks")]
pub struct Lock {
    pub id: i64,
    pub path: String,
    pub user_id: i64,
    pub locked_at: Timestamp,
    #[column("users.name")]
    pub owner: String,
}

const LOCKS: &str = ::store::concat!(
    "select ",
    Lock::COLUMNS,
    " from lfs_locks join users on users.id = lfs_locks.user_id where lfs_locks.project_id = $1 "
);

/// Locks a path, unless it is locked: of several at once one wins.
pub fn lock(tx: &mut Tx<'_>, project: i64, path: &str, user: i64) -> Result<bool> {
    let now = tx.now();
    let made = tx.execute(
        sql!(
            "insert into lfs_locks (project_id, path, user_id, locked_at)
             values ($1, $2, $3, $4) on conflict (project_id, path) do nothing"
        ),
        (project, path, user, now),
    )?;
    Ok(made > 0)
}

pub fn lock_on(tx: &mut Tx<'_>, project: i64, path: &str) -> Result<Option<Lock>> {
    Ok(tx.optional(sql!(LOCKS, "and lfs_locks.path = $2"), (project, path))?)
}

pub fn lock_by_id(tx: &mut Tx<'_>, project: i64, id: i64) -> Result<Option<Lock>> {
    Ok(tx.optional(sql!(LOCKS, "and lfs_locks.id = $2"), (project, id))?)
}

/// Which locks are wanted.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub path: Option<String>,
    pub id: Option<i64>,
    /// Only those from this one on.
    pub from: i64,
    pub limit: i64,
}

/// The locks of a project, the oldest first.
pub fn locks(tx: &mut Tx<'_>, project: i64, wanted: &Wanted) -> Result<Vec<Lock>> {
    Ok(tx.all(
        sql!(
            LOCKS,
            "and lfs_locks.id >= $2
                and (cast($3 as text) is null or lfs_locks.path = $3)
                and (cast($4 as bigint) is null or lfs_locks.id = $4)
             order by lfs_locks.id limit $5"
        ),
        (project, wanted.from, wanted.path.as_deref(), wanted.id, wanted.limit),
    )?)
}

/// Takes a lock away; false if it is gone.
pub fn unlock(tx: &mut Tx<'_>, project: i64, id: i64) -> Result<bool> {
    let gone =
        tx.execute(sql!("delete from lfs_locks where project_id = $1 and id = $2"), (project, id))?;
    Ok(gone > 0)
}
