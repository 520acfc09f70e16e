//! Projects and namespaces by id or full path.

use crate::model::{Namespace, Project};
use kernel::error::Result;
use kernel::ids::{Reference, fold};
use store::{Tx, sql};

/// A project by id or full path, not judged. A path needs a slash.
pub fn find_project(tx: &mut Tx<'_>, reference: &Reference) -> Result<Option<Project>> {
    Ok(match reference {
        Reference::Id(id) => tx.optional(
            sql!(
                Project::SELECT,
                "where projects.id = $1 and projects.deletion_scheduled_at is null"
            ),
            (*id,),
        )?,
        Reference::Path(path) => tx.optional(
            sql!(
                Project::SELECT,
                "where projects.full_path_folded = $1 and projects.deletion_scheduled_at is null"
            ),
            (fold(path),),
        )?,
    })
}

/// The same, or else the project that once had this path: one statement, whatever is there.
pub fn find_project_or_moved(tx: &mut Tx<'_>, reference: &Reference) -> Result<Option<Project>> {
    let Reference::Path(path) = reference else {
        return find_project(tx, reference);
    };
    Ok(tx.optional(
        sql!(
            Project::SELECT,
            "where projects.deletion_scheduled_at is null and projects.id = coalesce(
                (select named.id from projects named where named.full_path_folded = $1
                    and named.deletion_scheduled_at is null),
                (select project_id from project_redirects where full_path_folded = $1))"
        ),
        (fold(path),),
    )?)
}

/// Those of these projects that are there, not judged.
pub fn find_projects(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<Project>> {
    Ok(tx.all(
        sql!(
            Project::SELECT,
            "where projects.id in_list($1) and projects.deletion_scheduled_at is null"
        ),
        (ids,),
    )?)
}

/// The project that once had this path.
pub fn moved_project(tx: &mut Tx<'_>, reference: &Reference) -> Result<Option<i64>> {
    let Reference::Path(path) = reference else {
        return Ok(None);
    };
    Ok(tx.optional(
        sql!("select project_id from project_redirects where full_path_folded = $1"),
        (fold(path),),
    )?)
}

/// A group or user namespace by id or full path, not judged.
pub fn find_namespace(tx: &mut Tx<'_>, reference: &Reference) -> Result<Option<Namespace>> {
    Ok(match reference {
        Reference::Id(id) => tx.optional(
            sql!("select * from namespaces where id = $1 and deletion_scheduled_at is null"),
            (*id,),
        )?,
        Reference::Path(path) => tx.optional(
            sql!(
                "select * from namespaces
                 where full_path_folded = $1 and deletion_scheduled_at is null"
            ),
            (fold(path),),
        )?,
    })
}
