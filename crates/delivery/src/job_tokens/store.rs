//! `ci_job_token_entries`.

use ::store::{FromRow, Tx, sql};
use kernel::error::Result;
use spaces::SpaceId;

/// Whether a project lists another one or a group above that.
pub fn lists(tx: &mut Tx<'_>, project_id: i64, other: i64, groups: Vec<i64>) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!(
            "select id from ci_job_token_entries
             where project_id = $1 and (target_project_id = $2 or target_group_id in_list($3))
             limit 1"
        ),
        (project_id, other, groups),
    )?;
    Ok(found.is_some())
}

pub fn count(tx: &mut Tx<'_>, project_id: i64) -> Result<i64> {
    let count = sql!("select count(*) from ci_job_token_entries where project_id = $1");
    Ok(tx.one(count, (project_id,))?)
}

/// The ids of the projects that one lists.
pub fn projects(tx: &mut Tx<'_>, project_id: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select target_project_id from ci_job_token_entries
             where project_id = $1 and target_project_id is not null order by id"
        ),
        (project_id,),
    )?)
}

/// A group that is listed.
#[derive(Debug, Clone, FromRow)]
#[columns("namespaces")]
pub struct ListedGroup {
    pub id: i64,
    pub name: String,
    pub full_path: String,
}

/// The groups that one lists.
pub fn groups(tx: &mut Tx<'_>, project_id: i64) -> Result<Vec<ListedGroup>> {
    Ok(tx.all(
        sql!(
            "select ",
            ListedGroup::COLUMNS,
            " from ci_job_token_entries
             join namespaces on namespaces.id = ci_job_token_entries.target_group_id
             where ci_job_token_entries.project_id = $1 order by ci_job_token_entries.id"
        ),
        (project_id,),
    )?)
}

/// Lists another; whether it was not listed yet.
pub fn insert(tx: &mut Tx<'_>, project_id: i64, target: SpaceId) -> Result<bool> {
    let (now, (project, group)) = (tx.now(), target.columns());
    let count = tx.execute(
        sql!(
            "insert into ci_job_token_entries (project_id, target_project_id, target_group_id,
                created_at)
             values ($1, $2, $3, $4) on conflict do nothing"
        ),
        (project_id, project, group, now),
    )?;
    Ok(count > 0)
}

/// Lists one no more; whether it was listed.
pub fn delete(tx: &mut Tx<'_>, project_id: i64, target: SpaceId) -> Result<bool> {
    let count = match target {
        SpaceId::Project(id) => tx.execute(
            sql!(
                "delete from ci_job_token_entries
                 where project_id = $1 and target_project_id = $2"
            ),
            (project_id, id),
        )?,
        SpaceId::Group(id) => tx.execute(
            sql!("delete from ci_job_token_entries where project_id = $1 and target_group_id = $2"),
            (project_id, id),
        )?,
    };
    Ok(count > 0)
}
