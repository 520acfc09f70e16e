//! `repositories`, `repository_refs`, `repository_packs`.

pub mod packs;
pub mod refs;
pub mod signing_keys;

use crate::formats::ref_name::RefName;
use crate::model::{Holder, Repository, RepositoryKind};
use crate::storages;
use ::store::{Tx, sql};
use kernel::error::{Found, Result};
use spaces::hooks::RepositorySizes;
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

/// Bytes of the repositories of some projects.
pub fn sizes(tx: &mut Tx<'_>, projects: &[i64]) -> Result<HashMap<i64, RepositorySizes>> {
    let rows: Vec<(i64, String, i64, bool)> = tx.all(
        sql!(
            "select repositories.project_id, repositories.kind, repositories.size,
                exists (select 1 from repository_refs
                    where repository_refs.repository_id = repositories.id
                        and repository_refs.name >= 'refs/heads/'
                        and repository_refs.name < 'refs/heads0')
             from repositories where repositories.project_id in_list($1)"
        ),
        (projects.to_vec(),),
    )?;
    let mut sizes: HashMap<i64, RepositorySizes> = HashMap::new();
    for (project_id, kind, bytes, has_branches) in rows {
        let sizes = sizes.entry(project_id).or_default();
        match RepositoryKind::from_text(&kind) {
            Some(RepositoryKind::Project) => sizes.code = has_branches.then_some(bytes),
            Some(RepositoryKind::Wiki) => sizes.wiki = bytes,
            Some(RepositoryKind::Snippet) => sizes.snippets += bytes,
            None => {}
        }
    }
    Ok(sizes)
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

/// The repository of a holder, which it has once something was written into it.
pub fn of(tx: &mut Tx<'_>, holder: Holder) -> Result<Option<Repository>> {
    if let Some(snippet) = holder.snippet_id() {
        return of_snippet(tx, snippet);
    }
    match (holder.project_id(), holder.group_id()) {
        (Some(project), _) => of_project(tx, project, holder.kind()),
        (None, group) => Ok(tx.optional(
            sql!(SELECT, "where group_id = $1 and kind = $2"),
            (group, holder.kind().as_str()),
        )?),
    }
}

/// The repository of a snippet, which it has from its first files on.
pub fn of_snippet(tx: &mut Tx<'_>, snippet_id: i64) -> Result<Option<Repository>> {
    Ok(tx.optional(sql!(SELECT, "where snippet_id = $1"), (snippet_id,))?)
}

/// The repositories of some snippets, those that there are.
pub fn of_snippets(tx: &mut Tx<'_>, snippets: Vec<i64>) -> Result<Vec<Repository>> {
    Ok(tx.all(sql!(SELECT, "where snippet_id in_list($1)"), (snippets,))?)
}

/// Makes the repository of a holder, unless it is there: beside what else is in its project,
/// or where new ones go.
///
/// # Errors
///
/// `Forbidden` while that is about to lie elsewhere.
pub fn make(tx: &mut Tx<'_>, holder: Holder, head: &RefName) -> Result<Repository> {
    let storage = match beside(tx, holder)? {
        Some(other) => {
            other.check_writable()?;
            other.storage
        }
        None => storages::choose(tx)?,
    };
    make_in(tx, holder, head, &storage)
}

/// The other repository of the same project: its code, or its wiki.
fn beside(tx: &mut Tx<'_>, holder: Holder) -> Result<Option<Repository>> {
    match holder {
        Holder::Code(id) => of_project(tx, id, RepositoryKind::Wiki),
        Holder::ProjectWiki(id) => of_project(tx, id, RepositoryKind::Project),
        _ => Ok(None),
    }
}

/// The same in this storage.
pub fn make_in(
    tx: &mut Tx<'_>, holder: Holder, head: &RefName, storage: &str,
) -> Result<Repository> {
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into repositories (kind, project_id, group_id, snippet_id, storage, head,
                generation, epoch, size, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, 0, 0, 0, $7, $7) on conflict do nothing"
        ),
        (
            holder.kind().as_str(),
            holder.project_id(),
            holder.group_id(),
            holder.snippet_id(),
            storage,
            head,
            now,
        ),
    )?;
    of(tx, holder)?.found("Repository")
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
