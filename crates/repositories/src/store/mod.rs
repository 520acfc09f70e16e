//! `repositories`, `repository_refs`, `repository_packs`.

pub mod packs;
pub mod refs;

use crate::formats::ref_name::RefName;
use crate::model::{Repository, RepositoryKind};
use crate::storages;
use ::store::{Tx, sql};
use kernel::error::Result;
use std::collections::HashMap;

const SELECT: &str = ::store::concat!("select ", Repository::COLUMNS, " from repositories ");

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Repository>> {
    Ok(tx.optional(sql!(SELECT, "where id = $1"), (id,))?)
}

/// The repository of a project, which it has once something was written into it.
pub fn of_project(
    tx: &mut Tx<'_>, project_id: i64, kind: RepositoryKind,
) -> Result<Option<Repository>> {
    Ok(tx.optional(
        sql!(SELECT, "where project_id = $1 and kind = $2"),
        (project_id, kind.as_str()),
    )?)
}

/// The repositories of some projects, those that there are.
pub fn of_projects(
    tx: &mut Tx<'_>, projects: Vec<i64>, kind: RepositoryKind,
) -> Result<Vec<Repository>> {
    Ok(tx.all(
        sql!(SELECT, "where project_id in_list($1) and kind = $2"),
        (projects, kind.as_str()),
    )?)
}

/// How many there are.
pub fn count(tx: &mut Tx<'_>) -> Result<i64> {
    Ok(tx.one(sql!("select count(*) from repositories"), ())?)
}

/// The next ones by id, at most so many.
pub fn ids_after(tx: &mut Tx<'_>, after: i64, limit: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!("select id from repositories where id > $1 order by id limit $2"),
        (after, limit),
    )?)
}

/// Bytes of the repositories of some projects, those that have branches.
pub fn sizes(tx: &mut Tx<'_>, projects: &[i64]) -> Result<HashMap<i64, i64>> {
    let rows: Vec<(i64, i64)> = tx.all(
        sql!(
            "select repositories.project_id, repositories.size from repositories
             where repositories.project_id in_list($1) and repositories.kind = 'project'
                and exists (select 1 from repository_refs
                    where repository_refs.repository_id = repositories.id
                        and repository_refs.name >= 'refs/heads/'
                        and repository_refs.name < 'refs/heads0')"
        ),
        (projects.to_vec(),),
    )?;
    Ok(rows.into_iter().collect())
}

/// Lets HEAD stand for another branch.
pub fn set_head(tx: &mut Tx<'_>, id: i64, head: &RefName) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update repositories set head = $2, generation = generation + 1, updated_at = $3
             where id = $1"
        ),
        (id, head, now),
    )?;
    Ok(())
}

/// Makes the repository of a project, unless it is there.
pub fn make_for_project(
    tx: &mut Tx<'_>, project_id: i64, kind: RepositoryKind, head: &RefName,
) -> Result<Repository> {
    let (now, storage) = (tx.now(), storages::choose(tx)?);
    tx.execute(
        sql!(
            "insert into repositories (kind, project_id, storage, head, generation, epoch, size,
                created_at, updated_at)
             values ($1, $2, $3, $4, 0, 0, 0, $5, $5) on conflict (project_id, kind) do nothing"
        ),
        (kind.as_str(), project_id, storage.as_str(), head, now),
    )?;
    Ok(tx.one(sql!(SELECT, "where project_id = $1 and kind = $2"), (project_id, kind.as_str()))?)
}

/// Notes a change of refs and packs, which brings so many bytes.
pub fn changed(tx: &mut Tx<'_>, id: i64, head: &RefName, more: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update repositories set head = $2, generation = generation + 1, size = size + $3,
                pushed_at = $4, updated_at = $4 where id = $1"
        ),
        (id, head, more, now),
    )?;
    Ok(())
}

/// Notes that objects were removed.
pub fn objects_removed(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("update repositories set epoch = epoch + 1 where id = $1"), (id,))?;
    Ok(())
}
