//! `merge_request_context_commits`.

use ::store::{Fragment, FromRow, Tx, sql};
use kernel::error::Result;
use kernel::http::{Paged, Paging};
use planning::store::pages::{self, KeyType, List, Order};
use repositories::formats::object_id::ObjectId;
use serde_json::json;

/// A commit that a merge request shows beside its own.
#[derive(Debug, Clone, Copy, FromRow)]
#[columns("merge_request_context_commits")]
pub struct ContextCommit {
    pub id: i64,
    pub commit_id: ObjectId,
}

/// Adds commits to those of a merge request.
pub fn insert(tx: &mut Tx<'_>, request_id: i64, commits: &[ObjectId]) -> Result<()> {
    let now = tx.now();
    for id in commits {
        tx.execute(
            sql!(
                "insert into merge_request_context_commits
                    (merge_request_id, commit_id, created_at) values ($1, $2, $3)"
            ),
            (request_id, *id, now),
        )?;
    }
    Ok(())
}

/// Removes commits from those of a merge request.
pub fn delete(tx: &mut Tx<'_>, request_id: i64, commits: &[ObjectId]) -> Result<()> {
    tx.execute(
        sql!(
            "delete from merge_request_context_commits
             where merge_request_id = $1 and commit_id in_list($2)"
        ),
        (request_id, texts(commits)),
    )?;
    Ok(())
}

/// Those of some commits that a merge request has already.
pub fn among(tx: &mut Tx<'_>, request_id: i64, commits: &[ObjectId]) -> Result<Vec<ObjectId>> {
    let found: Vec<(ObjectId,)> = tx.all(
        sql!(
            "select commit_id from merge_request_context_commits
             where merge_request_id = $1 and commit_id in_list($2) order by id"
        ),
        (request_id, texts(commits)),
    )?;
    Ok(found.into_iter().map(|(id,)| id).collect())
}

fn texts(commits: &[ObjectId]) -> Vec<String> {
    commits.iter().map(ObjectId::to_string).collect()
}

pub fn count(tx: &mut Tx<'_>, request_id: i64) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from merge_request_context_commits where merge_request_id = $1"),
        (request_id,),
    )?)
}

/// One page of those of a merge request, the last that was added first.
pub fn list(tx: &mut Tx<'_>, request_id: i64, paging: Paging) -> Result<Paged<ContextCommit>> {
    let mut condition = Fragment::new("merge_request_context_commits.merge_request_id = ");
    condition.bind(request_id);
    let list = List {
        select: Fragment::new(::store::concat!("select ", ContextCommit::COLUMNS)),
        from: Fragment::new("merge_request_context_commits"),
        condition,
        order: Order {
            by: "merge_request_context_commits.id".into(),
            key: Some(KeyType::Int),
            id: "merge_request_context_commits.id",
            descending: true,
        },
    };
    pages::page(tx, list, paging, |one: &ContextCommit| (json!(one.id), one.id))
}
