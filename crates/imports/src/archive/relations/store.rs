//! `relation_imports`.

use super::model::{Relation, RelationImport, Status};
use ::store::{Tx, concat, sql};
use kernel::error::Result;

const SELECT: &str = concat!("select ", RelationImport::COLUMNS, " from relation_imports where ");

pub fn insert(
    tx: &mut Tx<'_>, project_id: i64, user_id: i64, relation: Relation,
) -> Result<RelationImport> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "insert into relation_imports (project_id, user_id, relation, status, created_at,
                updated_at)
             values ($1, $2, $3, 'created', $4, $4) returning ",
            RelationImport::COLUMNS
        ),
        (project_id, user_id, relation, now),
    )?)
}

/// The newest of a project.
pub fn of_project(tx: &mut Tx<'_>, project_id: i64, limit: i64) -> Result<Vec<RelationImport>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "relation_imports.project_id = $1 order by relation_imports.id desc limit $2"
        ),
        (project_id, limit),
    )?)
}

/// Those of a project of which it is not noted that they ended.
pub fn unended(tx: &mut Tx<'_>, project_id: i64) -> Result<Vec<RelationImport>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "relation_imports.project_id = $1
                and relation_imports.status in ('created', 'started')
             order by relation_imports.id"
        ),
        (project_id,),
    )?)
}

pub fn set_status(tx: &mut Tx<'_>, id: i64, status: Status) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!("update relation_imports set status = $2, updated_at = $3 where id = $1"),
        (id, status, now),
    )
}
