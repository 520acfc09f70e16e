//! Client keys of projects.

use crate::errors::model::ClientKey;
use crate::rows::rows_below;
use kernel::error::Result;
use store::{Tx, sql};

rows_below!(ClientKey, "error_tracking_client_keys", "project_id", order "id");

pub fn add(tx: &mut Tx<'_>, project_id: i64, public_key: &str) -> Result<ClientKey> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "insert into error_tracking_client_keys (project_id, public_key, active, created_at)
             values ($1, $2, true, $3) returning *"
        ),
        (project_id, public_key, now),
    )?)
}

pub fn remove(tx: &mut Tx<'_>, project_id: i64, id: i64) -> Result<Option<ClientKey>> {
    Ok(tx.optional(
        sql!(
            "delete from error_tracking_client_keys where project_id = $1 and id = $2
             returning *"
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
