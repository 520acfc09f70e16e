//! Settings of projects.

use crate::errors::model::Setting;
use kernel::error::Result;
use store::{Tx, sql};

/// How a project tracks errors, if somebody ever said.
pub fn of_project(tx: &mut Tx<'_>, project_id: i64) -> Result<Option<Setting>> {
    Ok(tx.optional(
        sql!(
            "select ",
            Setting::COLUMNS,
            " from error_tracking_settings s where s.project_id = $1"
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
