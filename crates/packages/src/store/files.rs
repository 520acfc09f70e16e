//! Files of packages and the blobs they name.

use crate::model::{Package, PackageFile};
use identity::{give, handing};
use jiff::Timestamp;
use kernel::blobs::Stored;
use kernel::error::Result;
use std::collections::HashMap;
use store::{Fragment, Tx, sql};

const SELECT: &str = store::concat!("select ", PackageFile::COLUMNS, " from package_files f ");

/// One file of this package that is not destroyed.
pub fn file_in(tx: &mut Tx<'_>, package_id: i64, id: i64) -> Result<Option<PackageFile>> {
    Ok(tx.optional(
        sql!(SELECT, "where f.id = $1 and f.package_id = $2 and f.status = 'default'"),
        (id, package_id),
    )?)
}

/// Project and package of a file, unless one of them is destroyed.
pub fn place_of(tx: &mut Tx<'_>, id: i64) -> Result<Option<(i64, i64)>> {
    Ok(tx.optional(
        sql!(
            "select p.project_id, p.id from package_files f join packages p on p.id = f.package_id
             where f.id = $1 and f.status = 'default' and p.live = 1"
        ),
        (id,),
    )?)
}

/// Those of these files that are in this project, each with its package.
pub fn packages_of(tx: &mut Tx<'_>, project_id: i64, ids: &[i64]) -> Result<Vec<(i64, i64)>> {
    Ok(tx.all(
        sql!(
            "select f.id, p.id from package_files f join packages p on p.id = f.package_id
             where p.project_id = $1 and f.id in_list($2) and f.status = 'default' and p.live = 1
             order by f.id"
        ),
        (project_id, ids),
    )?)
}

pub fn newest(tx: &mut Tx<'_>, package_id: i64, file_name: &str) -> Result<Option<PackageFile>> {
    Ok(tx.optional(
        sql!(
            SELECT,
            "where f.package_id = $1 and f.file_name = $2 and f.status = 'default'
             order by f.id desc limit 1"
        ),
        (package_id, file_name),
    )?)
}

/// One page of a package's files; `order` is a column of ours.
pub fn list(
    tx: &mut Tx<'_>, package_id: i64, order: &str, direction: &str, limit: i64, offset: i64,
) -> Result<Vec<PackageFile>> {
    let mut query = Fragment::new(SELECT);
    query
        .push("where f.package_id = ", package_id)
        .raw(" and f.status = 'default' order by f.")
        .raw(order)
        .raw(direction)
        .raw(", f.id")
        .raw(direction)
        .push(" limit ", limit)
        .push(" offset ", offset);
    Ok(tx.query(query)?)
}

/// How many files a package has, counted up to one more than pages show.
pub fn count(tx: &mut Tx<'_>, package_id: i64) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "select count(*) from (select 1 from package_files
             where package_id = $1 and status = 'default' limit 10001) counted"
        ),
        (package_id,),
    )?)
}

/// Adds a file whose bytes are stored; the blob gets its row if it has none.
pub fn insert(
    tx: &mut Tx<'_>, package: &Package, file_name: &str, stored: &Stored, metadata: Option<&str>,
) -> Result<PackageFile> {
    let now = tx.now();
    let size = kernel::blob_rows::insert(tx, stored)?;
    Ok(tx.one(
        sql!(
            "insert into package_files (package_id, file_name, size, md5, sha1, sha256, sha512,
                blob_key, metadata, status, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'default', $10, $10)
             returning id, package_id, file_name, size, md5, sha1, sha256, blob_key,
                created_at, updated_at"
        ),
        (
            package.id,
            file_name,
            size,
            stored.md5.as_str(),
            stored.sha1.as_str(),
            stored.sha256.as_str(),
            stored.sha512.as_str(),
            stored.key.as_str(),
            metadata,
            now,
        ),
    )?)
}

pub fn set_channel(tx: &mut Tx<'_>, file_id: i64, channel: &str) -> Result<()> {
    tx.execute(sql!("update package_files set channel = $2 where id = $1"), (file_id, channel))?;
    Ok(())
}

/// Keeps a part of a file that clients fetch without the file.
pub fn add_extract(tx: &mut Tx<'_>, file_id: i64, content: &[u8]) -> Result<()> {
    tx.execute(
        sql!("insert into package_file_extracts (file_id, content) values ($1, $2)"),
        (file_id, content),
    )?;
    Ok(())
}

/// The part of a file that is kept beside it.
pub fn extract(tx: &mut Tx<'_>, file_id: i64) -> Result<Option<Vec<u8>>> {
    let found: Option<(Vec<u8>,)> = tx.optional(
        sql!("select content from package_file_extracts where file_id = $1"),
        (file_id,),
    )?;
    Ok(found.map(|(content,)| content))
}

/// The names of a package's files, each once.
pub fn names(tx: &mut Tx<'_>, package_id: i64) -> Result<Vec<String>> {
    Ok(tx.all(
        sql!(
            "select distinct file_name from package_files
             where package_id = $1 and status = 'default' order by file_name limit 10000"
        ),
        (package_id,),
    )?)
}

/// Takes one file out of everyone's sight.
pub fn mark_destroyed(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update package_files set status = 'pending_destruction', updated_at = $2
             where id = $1"
        ),
        (id, now),
    )?;
    Ok(())
}

pub fn record_downloads(tx: &mut Tx<'_>, id: i64, count: i64, last_at: Timestamp) -> Result<()> {
    tx.execute(
        sql!(
            "update package_files set download_count = download_count + $2,
                last_downloaded_at =
                case when last_downloaded_at > $3 then last_downloaded_at else $3 end
             where id = $1"
        ),
        (id, count, last_at),
    )?;
    Ok(())
}

/// Removes up to `limit` files of a destroyed package; the keys of their
/// blobs, in the order removed.
pub fn remove_some(tx: &mut Tx<'_>, package_id: i64, limit: i64) -> Result<Vec<String>> {
    Ok(tx.all(
        sql!(
            "delete from package_files where id in (select f.id from package_files f
                join packages p on p.id = f.package_id
                where f.package_id = $1 and p.status = 'pending_destruction'
                order by f.id limit $2)
             returning blob_key"
        ),
        (package_id, limit),
    )?)
}

/// Removes a destroyed file; the key of its blob.
pub fn remove_destroyed(tx: &mut Tx<'_>, id: i64) -> Result<Vec<String>> {
    Ok(tx.all(
        sql!(
            "delete from package_files where id = $1 and status = 'pending_destruction'
             returning blob_key"
        ),
        (id,),
    )?)
}

/// Packages of a project, destroyed ones too.
pub fn packages_in(tx: &mut Tx<'_>, project_id: i64) -> Result<i64> {
    Ok(tx.one(sql!("select count(*) from packages where project_id = $1"), (project_id,))?)
}

/// Removes at most `limit` rows of a project that is being deleted: files of
/// some packages, then these packages. How many; 0 when nothing is left.
pub fn remove_from_project(tx: &mut Tx<'_>, project_id: i64, limit: i64) -> Result<i64> {
    let packages: Vec<i64> = tx.all(
        sql!("select id from packages where project_id = $1 limit $2"),
        (project_id, limit),
    )?;
    let files = tx.execute(
        sql!(
            "delete from package_files where id in
                (select id from package_files where package_id in_list($1) limit $2)"
        ),
        (&packages, limit),
    )? as i64;
    if files == limit {
        return Ok(files);
    }
    tx.execute(sql!("delete from packages where id in_list($1)"), (&packages,))?;
    Ok(packages.len() as i64)
}

/// Bytes of the packages of each project that can be downloaded.
pub fn sizes(tx: &mut Tx<'_>, projects: &[i64]) -> Result<HashMap<i64, i64>> {
    Ok(tx.pairs(
        sql!(
            "select p.project_id, cast(sum(f.size) as bigint) from packages p
             join package_files f on f.package_id = p.id
             where p.project_id in_list($1) and p.live = 1 and f.status <> 'pending_destruction'
             group by p.project_id"
        ),
        (projects,),
    )?)
}

/// Gives at most `limit` packages another creator; how many.
pub fn hand_over(tx: &mut Tx<'_>, from: i64, to: Option<i64>, limit: i64) -> Result<i64> {
    handing::hand_over(tx, &[give!("packages", "creator_id")], (from, to), limit)
}

/// Removes a destroyed package that has no more files.
pub fn remove_package(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(
        sql!("delete from packages where id = $1 and status = 'pending_destruction'"),
        (id,),
    )?;
    Ok(())
}

/// Removes the rows of those blobs that nothing refers to any more; their
/// keys. Another room may refer to the same blob, which its foreign key says.
pub fn release(tx: &mut Tx<'_>, keys: &[String]) -> Result<Vec<String>> {
    let delete = sql!(
        "delete from blobs where key = $1
            and not exists (select 1 from package_files where blob_key = $1)
            and not exists (select 1 from uploads where blob_key = $1)"
    );
    kernel::blob_rows::release(tx, delete, keys)
}

/// Some keys after `after` of blobs that no row of any room names.
pub fn unreferenced(tx: &mut Tx<'_>, after: &str, limit: i64) -> Result<Vec<String>> {
    Ok(tx.all(
        sql!(
            "select key from blobs b where b.key > $1
                and not exists (select 1 from package_files f where f.blob_key = b.key)
                and not exists (select 1 from uploads u where u.blob_key = b.key)
                and not exists (select 1 from repository_packs r where r.pack_key = b.key)
                and not exists (select 1 from repository_packs r where r.index_key = b.key)
                and not exists (select 1 from repository_packs r where r.other_pack_key = b.key)
                and not exists (select 1 from repository_packs r where r.other_index_key = b.key)
                and not exists (select 1 from lfs_objects l where l.blob_key = b.key)
                and not exists (select 1 from ci_artifacts a where a.blob_key = b.key)
                and not exists (select 1 from dependency_exports e where e.blob_key = b.key)
                and not exists (select 1 from advisory_loads o where o.blob_key = b.key)
                and not exists (select 1 from dependency_uploads d where d.blob_key = b.key)
                and not exists (select 1 from project_exports x where x.blob_key = b.key)
                and not exists (select 1 from project_files p where p.blob_key = b.key)
                and not exists (select 1 from project_file_members m where m.blob_key = b.key)
             order by b.key limit $2"
        ),
        (after, limit),
    )?)
}
