//! What `tenon check` compares.

use kernel::error::Result;
use store::{Tx, sql};

pub fn count_blobs(tx: &mut Tx<'_>) -> Result<i64> {
    Ok(tx.one(sql!("select count(*) from blobs"), ())?)
}

/// Keys and sizes of some blobs after this key, in order.
pub fn blobs(tx: &mut Tx<'_>, after: &str, limit: i64) -> Result<Vec<(String, i64)>> {
    Ok(tx.all(
        sql!("select key, size from blobs where key > $1 order by key limit $2"),
        (after, limit),
    )?)
}

/// Whether a blob has a row.
pub fn has_row(tx: &mut Tx<'_>, key: &str) -> Result<bool> {
    let size: Option<i64> = tx.optional(sql!("select size from blobs where key = $1"), (key,))?;
    Ok(size.is_some())
}

/// Some files whose size or digests are not those of their blob.
pub fn differing_files(tx: &mut Tx<'_>) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select f.id from package_files f join blobs b on b.key = f.blob_key
             where f.size <> b.size or f.sha256 <> b.sha256 or f.sha512 <> b.sha512
                or f.sha1 <> b.sha1 or f.md5 <> b.md5
             order by f.id limit 1000"
        ),
        (),
    )?)
}

/// Of each project what its counter says and how many listed packages it has.
pub fn counters(tx: &mut Tx<'_>) -> Result<Vec<(i64, i64, i64)>> {
    Ok(tx.all(
        sql!(
            "select projects.id, coalesce(c.displayable, 0), coalesce(listed.number, 0)
             from projects
             left join package_counts c on c.project_id = projects.id
             left join (select project_id, count(*) as number from packages
                where live = 1 and status in ('default', 'deprecated', 'error')
                    and version is not null
                group by project_id) listed on listed.project_id = projects.id
             order by projects.id"
        ),
        (),
    )?)
}
