//! `project_exports`.

use super::model::{Export, Exports, Status};
use ::store::{Tx, concat, sql};
use kernel::blobs::Stored;
use kernel::error::Result;
use kernel::time::Timestamp;

const SELECT: &str = concat!("select ", Export::COLUMNS, " from project_exports where ");

/// A file that is to be written.
#[derive(Debug, Clone)]
pub struct NewExport {
    pub project_id: i64,
    pub user_id: i64,
    pub description: Option<String>,
    pub sealed_target: Option<String>,
    pub expires_at: Timestamp,
}

/// Adds one, unless one of the project is being written.
pub fn insert(tx: &mut Tx<'_>, new: &NewExport) -> Result<Option<Export>> {
    let now = tx.now();
    Ok(tx.optional(
        sql!(
            "insert into project_exports (project_id, user_id, status, tries, description,
                sealed_target, objects, created_at, expires_at)
             values ($1, $2, 'queued', 0, $3, $4, 0, $5, $6)
             on conflict do nothing returning ",
            Export::COLUMNS
        ),
        (
            new.project_id,
            new.user_id,
            new.description.as_deref(),
            new.sealed_target.as_deref(),
            now,
            new.expires_at,
        ),
    )?)
}

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Export>> {
    Ok(tx.optional(sql!(SELECT, "project_exports.id = $1"), (id,))?)
}

/// What there is of a project.
pub fn of_project(tx: &mut Tx<'_>, project_id: i64) -> Result<Exports> {
    let now = tx.now();
    let finished = tx.optional(
        sql!(
            SELECT,
            "project_exports.project_id = $1 and project_exports.status = 'finished'
                and project_exports.expires_at > $2
             order by project_exports.id desc limit 1"
        ),
        (project_id, now),
    )?;
    let newest: Option<Export> = tx.optional(
        sql!(
            SELECT,
            "project_exports.project_id = $1 order by project_exports.id desc limit 1"
        ),
        (project_id,),
    )?;
    let latest = newest.filter(|export| export.status != Status::Finished);
    Ok(Exports { finished, latest })
}

/// It is written from now on.
pub fn begin(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.run(
        sql!("update project_exports set status = 'started', objects = 0 where id = $1"),
        (id,),
    )
}

/// Notes how many objects are written; whether the export is wanted still.
pub fn progress(tx: &mut Tx<'_>, id: i64, objects: i64) -> Result<bool> {
    let changed = tx.execute(
        sql!("update project_exports set objects = $2 where id = $1 and status = 'started'"),
        (id, objects),
    )?;
    Ok(changed > 0)
}

/// It could not be written, and is left to another attempt.
pub fn put_back(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.run(
        sql!("update project_exports set status = 'queued', tries = tries + 1 where id = $1"),
        (id,),
    )
}

/// Its file is there; those before it go.
pub fn finish(
    tx: &mut Tx<'_>, export: &Export, file: (&str, &Stored), expires_at: Timestamp,
) -> Result<()> {
    let (name, stored) = file;
    let size = kernel::blob_rows::insert(tx, stored)?;
    let now = tx.now();
    tx.execute(
        sql!("delete from project_exports where project_id = $1 and id < $2"),
        (export.project_id, export.id),
    )?;
    tx.run(
        sql!(
            "update project_exports set status = 'finished', finished_at = $2, expires_at = $3,
                file_name = $4, size = $5, sha256 = $6, blob_key = $7, problem = null
             where id = $1"
        ),
        (export.id, now, expires_at, name, size, &stored.sha256, &stored.key),
    )
}

/// Nothing comes of it.
pub fn fail(tx: &mut Tx<'_>, id: i64, problem: &str, expires_at: Timestamp) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "update project_exports set status = 'failed', finished_at = $2, problem = $3,
                sealed_target = null, expires_at = $4
             where id = $1"
        ),
        (id, now, problem, expires_at),
    )
}

/// It was sent, or could not be for this reason.
pub fn sent(tx: &mut Tx<'_>, id: i64, problem: Option<&str>) -> Result<()> {
    tx.run(
        sql!("update project_exports set sealed_target = null, problem = $2 where id = $1"),
        (id, problem),
    )
}

/// Some of those that began before a time and have not ended.
pub fn unfinished_since(tx: &mut Tx<'_>, before: Timestamp, most: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select id from project_exports
             where status in ('queued', 'started') and created_at <= $1 order by id limit $2"
        ),
        (before, most),
    )?)
}

/// Takes some of those away whose time is over; how many.
pub fn delete_expired(tx: &mut Tx<'_>, most: i64) -> Result<u64> {
    let now = tx.now();
    Ok(tx.execute(
        sql!(
            "delete from project_exports where id in (select e.id from project_exports e
                where e.expires_at <= $1 and e.status in ('finished', 'failed')
                order by e.expires_at limit $2)"
        ),
        (now, most),
    )?)
}
