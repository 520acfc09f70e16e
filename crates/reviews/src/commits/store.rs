//! `discussed_commits` and `commit_threads`.

use super::model::{CommitLine, CommitThread, DiscussedCommit, NewCommit};
use crate::positions::Position;
use crate::threads::model::written;
use ::store::{Fragment, Tx, sql};
use kernel::error::Result;
use planning::store::notes::{self, COMMIT};
use std::collections::HashMap;

/// The tables of [`DiscussedCommit`].
pub const TABLES: &str =
    "discussed_commits join projects on projects.id = discussed_commits.project_id";

const SELECT: &str = ::store::concat!("select ", DiscussedCommit::COLUMNS, " from ", TABLES, " ");

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<DiscussedCommit>> {
    Ok(tx.optional(sql!(SELECT, "where discussed_commits.id = $1"), (id,))?)
}

/// The commit of this whole name in a project.
pub fn by_sha(tx: &mut Tx<'_>, project_id: i64, sha: &str) -> Result<Option<DiscussedCommit>> {
    Ok(tx.optional(
        sql!(SELECT, "where discussed_commits.project_id = $1 and discussed_commits.sha = $2"),
        (project_id, sha),
    )?)
}

/// Those of these ids that meet a condition on [`TABLES`].
pub fn by_ids(
    tx: &mut Tx<'_>, ids: &[i64], condition: Fragment,
) -> Result<HashMap<i64, DiscussedCommit>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let mut query = Fragment::new(SELECT);
    query
        .raw("where")
        .in_list("discussed_commits.id", ids)
        .raw(" and ")
        .append(condition);
    let found: Vec<DiscussedCommit> = tx.query(query)?;
    Ok(found.into_iter().map(|commit| (commit.id, commit)).collect())
}

/// Has something be said of a commit; whether its row is new, or has more now.
pub fn insert(tx: &mut Tx<'_>, project_id: i64, new: &NewCommit) -> Result<bool> {
    let now = tx.now();
    let count = tx.execute(
        sql!(
            "insert into discussed_commits (project_id, sha, title, author_email, facts,
                created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $6)
             on conflict (project_id, sha) do update
                set title = excluded.title, author_email = excluded.author_email,
                    facts = excluded.facts
                where discussed_commits.facts is null"
        ),
        (
            project_id,
            new.sha.as_str(),
            new.title.as_str(),
            new.author_email.as_str(),
            &new.facts,
            now,
        ),
    )?;
    Ok(count > 0)
}

/// Notes that something was said of it.
pub fn touch(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.run(sql!("update discussed_commits set updated_at = $2 where id = $1"), (id, now))
}

/// Says where a thread about a commit stands.
pub fn insert_thread(
    tx: &mut Tx<'_>, commit_id: i64, discussion_id: &str, position: &Position,
) -> Result<()> {
    let CommitLine { path, line, line_type } = CommitLine::from(position);
    tx.run(
        sql!(
            "insert into commit_threads (discussed_commit_id, discussion_id, position, path, line,
                line_type)
             values ($1, $2, $3, $4, $5, $6)"
        ),
        (commit_id, discussion_id, written(position), path, line, line_type),
    )
}

/// Those of these discussions that stand in code.
pub fn threads(tx: &mut Tx<'_>, discussions: &[String]) -> Result<Vec<CommitThread>> {
    if discussions.is_empty() {
        return Ok(Vec::new());
    }
    Ok(tx.all(
        sql!(
            "select ",
            CommitThread::COLUMNS,
            " from commit_threads
             join discussed_commits on discussed_commits.id = commit_threads.discussed_commit_id
             where commit_threads.discussion_id in_list($1)"
        ),
        (discussions,),
    )?)
}

/// Forgets where a thread stands whose last note is about to go.
pub fn forget_after(tx: &mut Tx<'_>, discussion_id: &str, note_id: i64) -> Result<()> {
    tx.run(
        sql!(
            "delete from commit_threads where discussion_id = $1 and not exists
                (select 1 from notes where notes.discussion_id = $1 and notes.id <> $2)"
        ),
        (discussion_id, note_id),
    )
}

pub fn count_in(tx: &mut Tx<'_>, project_id: i64) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from discussed_commits where project_id = $1"),
        (project_id,),
    )?)
}

/// Removes some of a project, at most so many, with what refers to them by kind and id.
pub fn remove_some(tx: &mut Tx<'_>, project_id: i64, limit: i64) -> Result<i64> {
    let ids: Vec<i64> = tx.all(
        sql!("select id from discussed_commits where project_id = $1 order by id limit $2"),
        (project_id, limit),
    )?;
    notes::forget(tx, COMMIT, &ids)?;
    tx.execute(sql!("delete from discussed_commits where id in_list($1)"), (&ids,))?;
    Ok(i64::try_from(ids.len()).unwrap_or(i64::MAX))
}
