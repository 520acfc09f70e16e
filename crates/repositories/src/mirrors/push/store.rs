//! `remote_mirrors`.

use super::model::RemoteMirror;
use crate::mirrors::model::UpdateStatus;
use ::store::{Json, Tx, sql};
use kernel::error::Result;

const SELECT: &str = ::store::concat!("select ", RemoteMirror::COLUMNS, " from remote_mirrors ");

/// The mirrors of a project, the oldest first.
pub fn of_project(tx: &mut Tx<'_>, project: i64) -> Result<Vec<RemoteMirror>> {
    Ok(tx.all(sql!(SELECT, "where project_id = $1 order by id"), (project,))?)
}

pub fn find(tx: &mut Tx<'_>, id: i64) -> Result<Option<RemoteMirror>> {
    Ok(tx.optional(sql!(SELECT, "where id = $1"), (id,))?)
}

/// Adds one, whatever its id and state say; its id.
pub fn insert(tx: &mut Tx<'_>, new: &RemoteMirror) -> Result<i64> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "insert into remote_mirrors (project_id, enabled, url, shown_url,
                sealed_credentials, auth_method, sealed_key, public_key, host_keys,
                only_protected_branches, mirror_branch_regex, keep_divergent_refs,
                update_status, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'none', $13, $13)
             returning id"
        ),
        (
            new.project_id,
            new.enabled,
            new.server.url.as_str(),
            new.server.shown_url.as_str(),
            new.server.sealed_credentials.as_deref(),
            new.server.auth_method.as_str(),
            new.server.sealed_key.as_deref(),
            new.server.public_key.as_deref(),
            new.server.host_keys.clone(),
            new.only_protected_branches,
            new.mirror_branch_regex.as_deref(),
            new.keep_divergent_refs,
            now,
        ),
    )?)
}

/// Writes what may be set of one.
pub fn update(tx: &mut Tx<'_>, after: &RemoteMirror) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update remote_mirrors set enabled = $2, url = $3, shown_url = $4,
                sealed_credentials = $5, auth_method = $6, sealed_key = $7, public_key = $8,
                host_keys = $9, only_protected_branches = $10, mirror_branch_regex = $11,
                keep_divergent_refs = $12, updated_at = $13
             where id = $1"
        ),
        (
            after.id,
            after.enabled,
            after.server.url.as_str(),
            after.server.shown_url.as_str(),
            after.server.sealed_credentials.as_deref(),
            after.server.auth_method.as_str(),
            after.server.sealed_key.as_deref(),
            after.server.public_key.as_deref(),
            after.server.host_keys.clone(),
            after.only_protected_branches,
            after.mirror_branch_regex.as_deref(),
            after.keep_divergent_refs,
            now,
        ),
    )?;
    Ok(())
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from remote_mirrors where id = $1"), (id,))?;
    Ok(())
}

/// Notes that one waits for its turn.
pub fn scheduled(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(
        sql!("update remote_mirrors set update_status = 'scheduled' where id = $1"),
        (id,),
    )?;
    Ok(())
}

/// Notes that one begins to follow.
pub fn started(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update remote_mirrors set update_status = 'started', last_update_started_at = $2
             where id = $1"
        ),
        (id, now),
    )?;
    Ok(())
}

/// Notes how it ended, for this reason if not well; one that waits for its turn again
/// goes on waiting.
pub fn ended(tx: &mut Tx<'_>, id: i64, error: Option<&str>) -> Result<()> {
    let now = tx.now();
    let status = match error {
        Some(_) => UpdateStatus::Failed,
        None => UpdateStatus::Finished,
    };
    tx.execute(
        sql!(
            "update remote_mirrors set last_update_at = $2, last_error = $3,
                update_status = case update_status when 'started' then $4
                    else update_status end,
                last_successful_update_at = case when cast($3 as text) is null then $2
                    else last_successful_update_at end
             where id = $1"
        ),
        (id, now, error, status.as_str()),
    )?;
    Ok(())
}

/// Notes what its server showed itself with, unless something was known before.
pub fn learned(tx: &mut Tx<'_>, id: i64, host_keys: Vec<String>) -> Result<()> {
    let Some(mut mirror) = find(tx, id)? else {
        return Ok(());
    };
    if mirror.server.host_keys.0.is_empty() {
        mirror.server.host_keys = Json(host_keys);
        update(tx, &mirror)?;
    }
    Ok(())
}
