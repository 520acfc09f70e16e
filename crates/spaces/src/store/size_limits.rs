//! How many bytes projects may have.

use crate::model::ids_of;
use kernel::error::Result;
use store::{Tx, sql};

/// Bytes that the code of a project and its large files may have, as it says itself or
/// the nearest group above it; none where nobody says anything.
pub fn of_project(tx: &mut Tx<'_>, id: i64) -> Result<Option<i64>> {
    let found: Option<(Option<i64>, String)> = tx.optional(
        sql!(
            "select projects.repository_size_limit, namespaces.lineage
             from projects join namespaces on namespaces.id = projects.namespace_id
             where projects.id = $1"
        ),
        (id,),
    )?;
    match found {
        Some((None, lineage)) => of_nearest(tx, ids_of(&lineage)),
        found => Ok(found.and_then(|(own, _)| own)),
    }
}

fn of_nearest(tx: &mut Tx<'_>, groups: Vec<i64>) -> Result<Option<i64>> {
    Ok(tx.optional(
        sql!(
            "select repository_size_limit from namespaces
             where id in_list($1) and repository_size_limit is not null
             order by depth desc limit 1"
        ),
        (groups,),
    )?)
}

pub fn set_of_project(tx: &mut Tx<'_>, id: i64, bytes: Option<i64>) -> Result<()> {
    tx.execute(
        sql!("update projects set repository_size_limit = $2 where id = $1"),
        (id, bytes),
    )?;
    Ok(())
}

pub fn set_of_group(tx: &mut Tx<'_>, id: i64, bytes: Option<i64>) -> Result<()> {
    tx.execute(
        sql!("update namespaces set repository_size_limit = $2 where id = $1"),
        (id, bytes),
    )?;
    Ok(())
}
