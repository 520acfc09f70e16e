//! `uploads`: one row for each file of a project or group.

use super::Which;
use super::model::Upload;
use crate::activity::Where;
use crate::model::SourceKind;
use ::store::{Fragment, Tx, sql};
use kernel::error::Result;
use kernel::http::Paging;
use kernel::time::Timestamp;

type Source = (SourceKind, i64);

/// Condition: the uploads of a project or group.
fn of((kind, id): Source) -> Fragment {
    let column = match kind {
        SourceKind::Project => "project_id = ",
        SourceKind::Group => "group_id = ",
    };
    let mut condition = Fragment::new("");
    condition.push(column, id);
    condition
}

pub fn insert(
    tx: &mut Tx<'_>, (kind, id): Source, secret: &str, name: &str, (size, blob_key): (i64, &str),
    by: Option<i64>,
) -> Result<Upload> {
    let now = tx.now();
    let (project, group) = match kind {
        SourceKind::Project => (Some(id), None),
        SourceKind::Group => (None, Some(id)),
    };
    Ok(tx.one(
        sql!(
            "insert into uploads (project_id, group_id, secret, name, size, blob_key,
                uploaded_by_id, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8) returning *"
        ),
        (project, group, secret, name, size, blob_key, by, now),
    )?)
}

pub fn find(tx: &mut Tx<'_>, source: Source, which: &Which) -> Result<Option<Upload>> {
    let mut query = Fragment::new("select * from uploads where ");
    query.append(of(source));
    match which {
        Which::Id(id) => query.push(" and id = ", *id),
        Which::Named(secret, name) => query
            .push(" and secret = ", secret.as_str())
            .push(" and name = ", name.as_str()),
    };
    Ok(tx.query(query)?.pop())
}

/// One page, newest first, and how many there are.
pub fn page(tx: &mut Tx<'_>, source: Source, paging: &Paging) -> Result<(Vec<Upload>, i64)> {
    let total = crate::store::count(tx, "uploads", &of(source))?;
    let mut list = Fragment::new("select * from uploads where ");
    list.append(of(source))
        .push(" order by id desc limit ", paging.fetch())
        .push(" offset ", paging.offset());
    Ok((tx.query(list)?, total))
}

/// Bytes of those of each of these projects; projects without any are left out.
pub fn sizes(tx: &mut Tx<'_>, projects: &[i64]) -> Result<Vec<(i64, i64)>> {
    Ok(tx.all(
        sql!(
            "select project_id, cast(sum(size) as bigint) from uploads
             where project_id in_list($1) group by project_id"
        ),
        (projects,),
    )?)
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from uploads where id = $1"), (id,))?;
    Ok(())
}

pub fn count_in_project(tx: &mut Tx<'_>, project: i64) -> Result<i64> {
    Ok(tx.one(sql!("select count(*) from uploads where project_id = $1"), (project,))?)
}

/// Deletes some of a project; how many.
pub fn delete_some(tx: &mut Tx<'_>, project: i64, limit: i64) -> Result<i64> {
    let removed = tx.execute(
        sql!(
            "delete from uploads where id in
                (select id from uploads where project_id = $1 order by id limit $2)"
        ),
        (project, limit),
    )?;
    i64::try_from(removed).map_err(kernel::error::Error::internal)
}

/// Gives a project or group those of another one that have these secrets.
pub fn copy(tx: &mut Tx<'_>, from: Where, to: Where, secrets: &[String]) -> Result<()> {
    tx.execute(
        sql!(
            "insert into uploads (project_id, group_id, secret, name, size, blob_key,
                uploaded_by_id, created_at)
             select $3, $4, secret, name, size, blob_key, uploaded_by_id, created_at from uploads
             where (project_id = $1 or group_id = $2) and secret in_list($5)
             on conflict do nothing"
        ),
        (
            from.project_id(),
            from.group_id(),
            to.project_id(),
            to.group_id(),
            secrets.to_vec(),
        ),
    )?;
    Ok(())
}

/// Those of a project after this one, by id.
pub fn after(tx: &mut Tx<'_>, project: i64, after: i64, limit: i64) -> Result<Vec<Upload>> {
    Ok(tx.all(
        sql!("select * from uploads where project_id = $1 and id > $2 order by id limit $3"),
        (project, after, limit),
    )?)
}

/// The blobs of those of a project behind this key, with their sizes, each once.
pub fn blobs_after(
    tx: &mut Tx<'_>, project: i64, after: &str, limit: i64,
) -> Result<Vec<(String, i64)>> {
    Ok(tx.all(
        sql!(
            "select blob_key, max(size) from uploads where project_id = $1 and blob_key > $2
             group by blob_key order by blob_key limit $3"
        ),
        (project, after, limit),
    )?)
}

/// Gives a project a file of another server under the address that it had there, as of then;
/// one that is there stays.
pub fn put_back(
    tx: &mut Tx<'_>, project: i64, (secret, name): (&str, &str), (size, blob_key): (i64, &str),
    (by, at): (Option<i64>, Timestamp),
) -> Result<()> {
    tx.run(
        sql!(
            "insert into uploads (project_id, secret, name, size, blob_key, uploaded_by_id,
                created_at)
             values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing"
        ),
        (project, secret, name, size, blob_key, by, at),
    )
}
