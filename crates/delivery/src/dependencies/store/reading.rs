//! Reading the current lists of projects row after row.

use crate::dependencies::model::{Dependency, List};
use ::store::{Tx, concat, sql};
use kernel::error::Result;

const LIST: &str = concat!("select ", List::COLUMNS, " from dependency_lists where ");
const SELECT: &str = concat!("select ", Dependency::COLUMNS, " from dependencies ");

/// The current list of a project.
pub fn current(tx: &mut Tx<'_>, project_id: i64) -> Result<Option<List>> {
    Ok(tx.optional(
        sql!(LIST, "dependency_lists.project_id = $1 and dependency_lists.is_current"),
        (project_id,),
    )?)
}

/// The current lists of some projects.
pub fn current_of(tx: &mut Tx<'_>, projects: &[i64]) -> Result<Vec<List>> {
    Ok(tx.all(
        sql!(LIST, "dependency_lists.project_id in_list($1) and dependency_lists.is_current"),
        (projects,),
    )?)
}

/// Dependencies of the current list of a project, by their ids, after one of them.
pub fn page_after(
    tx: &mut Tx<'_>, project_id: i64, after_id: i64, limit: i64,
) -> Result<Vec<Dependency>> {
    let Some(list) = current(tx, project_id)? else {
        return Ok(Vec::new());
    };
    page_of_list(tx, list.id, after_id, limit)
}

/// The same of one list: what reads in several transactions keeps to it, and finds it
/// empty once a newer one has taken its place.
pub fn page_of_list(
    tx: &mut Tx<'_>, list_id: i64, after_id: i64, limit: i64,
) -> Result<Vec<Dependency>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "where dependencies.list_id = $1 and dependencies.id > $2
             order by dependencies.id limit $3"
        ),
        (list_id, after_id, limit),
    )?)
}

/// How many dependencies the current list of a project has.
pub fn count(tx: &mut Tx<'_>, project_id: i64) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "select count(*) from dependencies where list_id =
                (select id from dependency_lists where project_id = $1 and is_current)"
        ),
        (project_id,),
    )?)
}
