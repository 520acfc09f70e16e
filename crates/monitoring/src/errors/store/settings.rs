//! Settings and client keys of projects.

use crate::errors::model::{ClientKey, Setting};
use kernel::error::Result;
use store::{Tx, sql};

/// How a project tracks errors, if somebody ever said.
pub fn of_project(tx: &mut Tx<'_>, project_id: i64) -> Result<Option<Setting>> {
    Ok(tx.optional(
        sql!(
            "select project_id, active, integrated, api_url, sealed_token, external_name
             from error_tracking_settings where project_id = $1"
        ),
        (project_id,),
    )?)
}

pub fn put(tx: &mut Tx<'_>, setting: &Setting) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into error_tracking_settings (project_id, active, integrated, api_url,
                sealed_token, external_name, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $7)
             on conflict (project_id) do update
             set active = excluded.active, integrated = excluded.integrated,
                api_url = excluded.api_url, sealed_token = excluded.sealed_token,
                external_name = excluded.external_name, updated_at = excluded.updated_at"
        ),
        (
            setting.project_id,
            setting.active,
            setting.integrated,
            setting.api_url.as_deref(),
            setting.sealed_token.as_deref(),
            setting.external_name.as_deref(),
            now,
        ),
    )?;
    Ok(())
}

pub fn keys(tx: &mut Tx<'_>, project_id: i64, limit: i64, offset: i64) -> Result<Vec<ClientKey>> {
    Ok(tx.all(
        sql!(
            "select id, project_id, public_key, active from error_tracking_client_keys
             where project_id = $1 order by id limit $2 offset $3"
        ),
        (project_id, limit, offset),
    )?)
}

pub fn count_keys(tx: &mut Tx<'_>, project_id: i64) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from error_tracking_client_keys where project_id = $1"),
        (project_id,),
    )?)
}

pub fn add_key(tx: &mut Tx<'_>, project_id: i64, public_key: &str) -> Result<ClientKey> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "insert into error_tracking_client_keys (project_id, public_key, active, created_at)
             values ($1, $2, true, $3) returning id, project_id, public_key, active"
        ),
        (project_id, public_key, now),
    )?)
}

pub fn remove_key(tx: &mut Tx<'_>, project_id: i64, id: i64) -> Result<Option<ClientKey>> {
    Ok(tx.optional(
        sql!(
            "delete from error_tracking_client_keys where project_id = $1 and id = $2
             returning id, project_id, public_key, active"
        ),
        (project_id, id),
    )?)
}

/// The project that a key opens: both active, the project open to changes, and
/// errors received here.
pub fn opened(tx: &mut Tx<'_>, key: &str) -> Result<Option<i64>> {
    Ok(tx.optional(
        sql!(
            "select k.project_id from error_tracking_client_keys k
             join error_tracking_settings s on s.project_id = k.project_id
             join projects p on p.id = k.project_id
             where k.public_key = $1 and k.active and s.active and s.integrated
                and not p.archived and p.deletion_scheduled_at is null"
        ),
        (key,),
    )?)
}

/// Whether a project receives errors here and is open to changes.
pub fn receives(tx: &mut Tx<'_>, project_id: i64) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!(
            "select s.project_id from error_tracking_settings s
             join projects p on p.id = s.project_id
             where s.project_id = $1 and s.active and s.integrated
                and not p.archived and p.deletion_scheduled_at is null"
        ),
        (project_id,),
    )?;
    Ok(found.is_some())
}
