//! Duplicate settings of namespaces.

use crate::settings::PackageSettings;
use kernel::error::{Error, Result};
use std::collections::HashMap;
use store::{Json, Tx, sql};

/// The settings of those of these namespaces that have some.
pub fn of_namespaces(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<HashMap<i64, PackageSettings>> {
    let found: Vec<(i64, Json<PackageSettings>)> = tx.all(
        sql!(
            "select id, package_settings from namespaces
             where id in_list($1) and package_settings is not null"
        ),
        (ids,),
    )?;
    let settings = found.into_iter().map(|(id, Json(settings))| (id, settings));
    Ok(settings.collect())
}

/// The ids of a namespace and all above it, divided by slashes.
pub fn lineage(tx: &mut Tx<'_>, namespace_id: i64) -> Result<String> {
    let found: Option<String> =
        tx.optional(sql!("select lineage from namespaces where id = $1"), (namespace_id,))?;
    Ok(found.unwrap_or_default())
}

/// The settings of the lowest of these namespaces, one above the other, that
/// has some.
pub fn nearest(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<Option<PackageSettings>> {
    let found: Option<(Json<PackageSettings>,)> = tx.optional(
        sql!(
            "select package_settings from namespaces
             where id in_list($1) and package_settings is not null
             order by depth desc, id limit 1"
        ),
        (ids,),
    )?;
    Ok(found.map(|(Json(settings),)| settings))
}

pub fn save(tx: &mut Tx<'_>, namespace_id: i64, settings: &PackageSettings) -> Result<()> {
    let now = tx.now();
    let value = serde_json::to_value(settings).map_err(Error::internal)?;
    tx.execute(
        sql!("update namespaces set package_settings = $2, updated_at = $3 where id = $1"),
        (namespace_id, Json(value), now),
    )?;
    Ok(())
}
