//! `dependency_exports`.

use super::model::{Export, ExportType, Parent, ParentKind, Status};
use ::store::{Fragment, Tx, concat, sql};
use jiff::Timestamp;
use kernel::blobs::Stored;
use kernel::error::Result;
use kernel::http::Paging;

const SELECT: &str = concat!("select ", Export::COLUMNS, " from dependency_exports where ");

/// An export that is to be written.
#[derive(Debug, Clone, Copy)]
pub struct NewExport {
    pub user_id: i64,
    pub parent: Parent,
    pub export_type: ExportType,
    pub send_email: bool,
    pub expires_at: Timestamp,
}

pub fn insert(tx: &mut Tx<'_>, new: NewExport) -> Result<Export> {
    let of = |kind| (new.parent.kind == kind).then_some(new.parent.id);
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "insert into dependency_exports (user_id, project_id, group_id, pipeline_id,
                export_type, status, send_email, tries, created_at, expires_at)
             values ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9) returning ",
            Export::COLUMNS
        ),
        (
            new.user_id,
            of(ParentKind::Project),
            of(ParentKind::Group),
            of(ParentKind::Pipeline),
            new.export_type,
            Status::Created,
            new.send_email,
            now,
            new.expires_at,
        ),
    )?)
}

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Export>> {
    Ok(tx.optional(sql!(SELECT, "dependency_exports.id = $1"), (id,))?)
}

/// Exports of a user that have not ended.
pub fn count_running(tx: &mut Tx<'_>, user_id: i64) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "select count(*) from dependency_exports
             where user_id = $1 and status in ('created', 'running')"
        ),
        (user_id,),
    )?)
}

/// A page of those that a user made of a project with its pipelines, or of a group, the
/// newest first, and how many there are.
pub fn of_user(
    tx: &mut Tx<'_>, user_id: i64, parent: Parent, paging: &Paging,
) -> Result<(Vec<Export>, i64)> {
    let mut of = Fragment::new("dependency_exports.user_id = ");
    of.bind(user_id).push(" and dependency_exports.expires_at > ", tx.now());
    match parent.kind {
        ParentKind::Group => of.push(" and dependency_exports.group_id = ", parent.id),
        ParentKind::Pipeline => of.push(" and dependency_exports.pipeline_id = ", parent.id),
        ParentKind::Project => of
            .push(" and (dependency_exports.project_id = ", parent.id)
            .raw(" or dependency_exports.pipeline_id in (select p.id from ci_pipelines p")
            .push(" where p.project_id = ", parent.id)
            .raw("))"),
    };
    let total = spaces::store::count(tx, "dependency_exports", &of)?;
    let mut list = Fragment::new(SELECT);
    list.append(of).raw(" order by dependency_exports.id desc");
    list.push(" limit ", paging.fetch()).push(" offset ", paging.offset());
    Ok((tx.query(list)?, total))
}

/// It is written from now on.
pub fn begin(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!("update dependency_exports set status = 'running', started_at = $2 where id = $1"),
        (id, now),
    )
}

/// It could not be written, and is left to another attempt.
pub fn put_back(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.run(
        sql!(
            "update dependency_exports set status = 'created', tries = tries + 1
             where id = $1 and status in ('created', 'running')"
        ),
        (id,),
    )
}

/// Its file is there.
pub fn finish(
    tx: &mut Tx<'_>, id: i64, file: (&str, &Stored), expires_at: Timestamp,
) -> Result<()> {
    let (name, stored) = file;
    let size = kernel::blob_rows::insert(tx, stored)?;
    let now = tx.now();
    tx.run(
        sql!(
            "update dependency_exports set status = 'finished', finished_at = $2,
                expires_at = $3, file_name = $4, size = $5, sha256 = $6, blob_key = $7
             where id = $1"
        ),
        (id, now, expires_at, name, size, &stored.sha256, &stored.key),
    )
}

/// Nothing comes of it.
pub fn fail(tx: &mut Tx<'_>, id: i64, problem: &str, expires_at: Timestamp) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "update dependency_exports set status = 'failed', finished_at = $2, problem = $3,
                expires_at = $4
             where id = $1"
        ),
        (id, now, problem, expires_at),
    )
}

/// Some of those that began before a time and have not ended.
pub fn unfinished_since(tx: &mut Tx<'_>, before: Timestamp, most: i64) -> Result<Vec<Export>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "dependency_exports.status in ('created', 'running')
               and dependency_exports.created_at <= $1
             order by dependency_exports.created_at limit $2"
        ),
        (before, most),
    )?)
}

/// Takes some of those away whose time is over; how many.
pub fn delete_expired(tx: &mut Tx<'_>, most: i64) -> Result<u64> {
    let now = tx.now();
    Ok(tx.execute(
        sql!(
            "delete from dependency_exports where id in (select e.id from dependency_exports e
                where e.expires_at <= $1 order by e.expires_at limit $2)"
        ),
        (now, most),
    )?)
}
