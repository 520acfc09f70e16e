//! `dependency_uploads`.

use crate::dependencies::model::Upload;
use ::store::{Tx, concat, sql};
use jiff::Timestamp;
use kernel::blobs::Stored;
use kernel::error::Result;

const SELECT: &str = concat!("select ", Upload::COLUMNS, " from dependency_uploads ");

/// Adds one whose bytes are kept.
pub fn insert(
    tx: &mut Tx<'_>, project_id: i64, user_id: Option<i64>, token: &str, stored: &Stored,
) -> Result<i64> {
    kernel::blob_rows::insert(tx, stored)?;
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "insert into dependency_uploads (project_id, user_id, token, sha256, blob_key,
                created_at)
             values ($1, $2, $3, $4, $5, $6) returning id"
        ),
        (project_id, user_id, token, &stored.sha256, &stored.key, now),
    )?)
}

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Upload>> {
    Ok(tx.optional(sql!(SELECT, "where dependency_uploads.id = $1"), (id,))?)
}

/// The one of a token of a project.
pub fn by_token(tx: &mut Tx<'_>, project_id: i64, token: &str) -> Result<Option<Upload>> {
    Ok(tx.optional(
        sql!(
            SELECT,
            "where dependency_uploads.token = $1 and dependency_uploads.project_id = $2"
        ),
        (token, project_id),
    )?)
}

/// The one of these bytes that waits to be read, or that the current list is of.
pub fn same(tx: &mut Tx<'_>, project_id: i64, sha256: &str) -> Result<Option<Upload>> {
    Ok(tx.optional(
        sql!(
            SELECT,
            "where dependency_uploads.project_id = $1 and dependency_uploads.sha256 = $2
               and (dependency_uploads.finished_at is null or dependency_uploads.id =
                    (select l.upload_id from dependency_lists l
                     where l.project_id = $1 and l.is_current))
             order by dependency_uploads.id desc limit 1"
        ),
        (project_id, sha256),
    )?)
}

/// How many of a project wait to be read.
pub fn waiting(tx: &mut Tx<'_>, project_id: i64) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "select count(*) from dependency_uploads
             where project_id = $1 and finished_at is null"
        ),
        (project_id,),
    )?)
}

/// It has been read, or was not taken for this reason; its bytes may go.
pub fn finish(tx: &mut Tx<'_>, id: i64, reason: Option<&str>) -> Result<()> {
    let now = tx.now();
    let reason = reason.map(|text| text.replace('\0', ""));
    tx.execute(
        sql!(
            "update dependency_uploads set blob_key = $2, reason = $3, finished_at = $4
             where id = $1"
        ),
        (id, None::<String>, reason, now),
    )?;
    spaces::hooks::blobs_unnamed(tx)
}

/// Takes some away that were read before then and that no list is of; how many.
pub fn take_away(tx: &mut Tx<'_>, before: Timestamp, most: i64) -> Result<u64> {
    Ok(tx.execute(
        sql!(
            "delete from dependency_uploads where id in (select u.id from dependency_uploads u
                where u.created_at < $1 and u.finished_at is not null
                  and not exists (select 1 from dependency_lists l where l.upload_id = u.id)
                order by u.created_at limit $2)"
        ),
        (before, most),
    )?)
}
