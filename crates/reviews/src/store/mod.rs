//! SQL of this room: `merge_requests` themselves. Who takes part is in [`people`], what
//! they were in [`versions`], what became of them in [`events`], lists in [`list`],
//! [`owned`] and [`filter`], what decides whether they can be merged in [`facts`] and
//! [`flags`], and what other rooms ask of them in [`elsewhere`].

pub mod blocks;
pub mod closing;
pub mod context;
pub mod elsewhere;
pub mod events;
pub mod facts;
pub mod filter;
pub mod flags;
pub mod labels;
pub mod list;
pub mod merging;
pub mod owned;
pub mod people;
pub mod pipelines;
pub mod searched;
pub mod settings;
pub mod texts;
pub mod upkeep;
pub mod versions;
pub mod viewed;

use crate::merging::MergeStatus;
use crate::model::MergeRequest;
use ::store::{Fragment, Json, Tx, sql};
use kernel::error::Result;
use kernel::ids::fold;
use kernel::search::index;
use repositories::formats::object_id::ObjectId;
use serde_json::json;

/// The tables of [`MergeRequest`].
pub const TABLES: &str =
    "merge_requests join projects on projects.id = merge_requests.target_project_id";

/// Begins a statement that reads merge requests, up to its `where`.
pub(crate) const SELECT: &str =
    ::store::concat!("select ", MergeRequest::COLUMNS, " from ", TABLES, " ");

/// Merge requests that one push is looked up for at most.
pub const MOST_OF_PUSH: i64 = 500;

/// Merge requests of a fork that are looked through for branches that are open to others.
const MOST_OPENED: i64 = 20;

/// The merge request of this number in a project, if it meets a condition on [`TABLES`],
/// which begins with ` and `.
pub fn by_iid(
    tx: &mut Tx<'_>, project_id: i64, iid: i64, condition: Fragment,
) -> Result<Option<MergeRequest>> {
    let mut query = Fragment::new(SELECT);
    query
        .push("where merge_requests.target_project_id = ", project_id)
        .push(" and merge_requests.iid = ", iid)
        .append(condition);
    Ok(tx.query(query)?.pop())
}

/// The merge request of this id, unjudged.
pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<MergeRequest>> {
    Ok(tx.optional(
        sql!(
            SELECT,
            "where merge_requests.id = $1 and projects.deletion_scheduled_at is null"
        ),
        (id,),
    )?)
}

/// Those of these ids that meet a condition on [`TABLES`], by id.
pub fn by_ids(tx: &mut Tx<'_>, ids: &[i64], condition: Fragment) -> Result<Vec<MergeRequest>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = Fragment::new(SELECT);
    query
        .raw("where")
        .in_list("merge_requests.id", ids)
        .raw(" and ")
        .append(condition)
        .raw(" order by merge_requests.id");
    Ok(tx.query(query)?)
}

/// Those of these ids that a user made.
pub fn made_by(tx: &mut Tx<'_>, user_id: i64, ids: &[i64]) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!("select id from merge_requests where author_id = $1 and id in_list($2)"),
        (user_id, ids),
    )?)
}

/// The branches of a merge request, each with its project.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'p> {
    pub source: (i64, &'p str),
    pub target: (i64, &'p str),
}

/// The open merge request of two branches, other than this one.
pub fn twin(tx: &mut Tx<'_>, pair: Pair<'_>, but: i64) -> Result<Option<MergeRequest>> {
    Ok(tx.optional(
        sql!(
            SELECT,
            "where merge_requests.source_project_id = $1 and merge_requests.source_branch = $2
                and merge_requests.target_project_id = $3 and merge_requests.target_branch = $4
                and merge_requests.state in ('opened', 'locked') and merge_requests.id <> $5
             limit 1"
        ),
        (pair.source.0, pair.source.1, pair.target.0, pair.target.1, but),
    )?)
}

/// Those that are to be merged from a branch.
pub fn pending_from(
    tx: &mut Tx<'_>, project_id: i64, branches: &[String],
) -> Result<Vec<MergeRequest>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "where merge_requests.source_project_id = $1
                and merge_requests.source_branch in_list($2)
                and merge_requests.state in ('opened', 'locked')
             order by merge_requests.id limit $3"
        ),
        (project_id, branches, MOST_OF_PUSH),
    )?)
}

/// Those that are to be merged into a branch, after this one.
pub fn pending_into(
    tx: &mut Tx<'_>, project_id: i64, branches: &[String], after: i64,
) -> Result<Vec<MergeRequest>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "where merge_requests.target_project_id = $1
                and merge_requests.target_branch in_list($2)
                and merge_requests.state in ('opened', 'locked') and merge_requests.id > $3
             order by merge_requests.id limit $4"
        ),
        (project_id, branches, after, MOST_OF_PUSH),
    )?)
}

/// Those that are to be merged from a project that is about to go.
pub fn pending_of_source(tx: &mut Tx<'_>, project_id: i64) -> Result<Vec<MergeRequest>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "where merge_requests.source_project_id = $1
                and merge_requests.target_project_id <> $1
                and merge_requests.state in ('opened', 'locked')
             order by merge_requests.id"
        ),
        (project_id,),
    )?)
}

/// Those of a fork whose branches are open to who may merge them; of one branch, if one is
/// named.
pub fn collaborating(
    tx: &mut Tx<'_>, project_id: i64, branch: Option<&str>,
) -> Result<Vec<MergeRequest>> {
    let mut query = Fragment::new(SELECT);
    query
        .push("where merge_requests.source_project_id = ", project_id)
        .push(" and merge_requests.target_project_id <> ", project_id)
        .raw(
            " and merge_requests.allow_collaboration
              and merge_requests.state in ('opened', 'locked')",
        );
    if let Some(branch) = branch {
        query.push(" and merge_requests.source_branch = ", branch);
    }
    query.push(" order by merge_requests.id limit ", MOST_OPENED);
    Ok(tx.query(query)?)
}

/// A merge request that is to be.
#[derive(Debug, Clone)]
pub struct NewRequest<'n> {
    pub iid: i64,
    pub author_id: Option<i64>,
    pub pair: Pair<'n>,
}

/// Adds a merge request with nothing but its branches; its id, unless there is an open one
/// of the same.
pub fn insert(tx: &mut Tx<'_>, new: &NewRequest<'_>) -> Result<Option<i64>> {
    let now = tx.now();
    let (source, target) = (new.pair.source, new.pair.target);
    Ok(tx.optional(
        sql!(
            "insert into merge_requests (target_project_id, iid, source_project_id, source_branch,
                target_branch, title, title_folded, state, draft, author_id, squash,
                allow_collaboration, merge_params, merge_status, created_at, updated_at)
             values ($1, $2, $3, $4, $5, '', '', 'opened', false, $6, false, false, $7, $8, $9,
                $9)
             on conflict do nothing returning id"
        ),
        (
            target.0,
            new.iid,
            source.0,
            source.1,
            target.1,
            new.author_id,
            Json(json!({})),
            MergeStatus::Preparing,
            now,
        ),
    )?)
}

/// Writes what is said of a merge request; the rest has functions of its own.
pub fn update(tx: &mut Tx<'_>, request: &MergeRequest) -> Result<()> {
    tx.execute(sql!(MergeRequest::UPDATE), request.values())?;
    tx.execute(
        sql!("update merge_requests set title_folded = $2, description_folded = $3 where id = $1"),
        (request.id, fold(&request.title), fold(request.text())),
    )?;
    Ok(index(tx, &searched::REQUESTS, &[request.id])?)
}

pub fn touch(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(sql!("update merge_requests set updated_at = $2 where id = $1"), (id, now))?;
    Ok(())
}

/// Notes what is known of merging the files. It is no change of the merge request.
pub fn set_status(tx: &mut Tx<'_>, id: i64, status: MergeStatus) -> Result<()> {
    tx.execute(sql!("update merge_requests set merge_status = $2 where id = $1"), (id, status))?;
    Ok(())
}

/// The same of many.
pub fn set_statuses(tx: &mut Tx<'_>, ids: &[i64], status: MergeStatus) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    tx.execute(
        sql!("update merge_requests set merge_status = $2 where id in_list($1)"),
        (ids, status),
    )?;
    Ok(())
}

/// Notes what a check of these heads, of the target and of the source, found; whether they
/// are still where they were.
pub fn checked(
    tx: &mut Tx<'_>, id: i64, (target, source): (ObjectId, ObjectId), status: MergeStatus,
    needs_rebase: bool,
) -> Result<bool> {
    let count = tx.execute(
        sql!(
            "update merge_requests set merge_status = $4, needs_rebase = $5
             where id = $1 and head_id = $3
                and merge_status in ('checking', 'cannot_be_merged_rechecking')
                and exists (select 1 from repositories
                    join repository_refs on repository_refs.repository_id = repositories.id
                    where repositories.project_id = merge_requests.target_project_id
                        and repositories.kind = 'project'
                        and repository_refs.name = 'refs/heads/' || merge_requests.target_branch
                        and repository_refs.object_id = $2)"
        ),
        (id, target, source, status, needs_rebase),
    )?;
    Ok(count > 0)
}

/// Notes that the source branch is elsewhere: what was known of merging it is not any more.
pub fn source_moved(
    tx: &mut Tx<'_>, request: &MergeRequest, head: ObjectId, status: MergeStatus,
) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update merge_requests set head_id = $2, merge_status = $3, merge_error = null,
                updated_at = $4
             where id = $1"
        ),
        (request.id, head, status, now),
    )?;
    Ok(())
}

/// Notes what one came from that is not from here.
pub fn came_from(tx: &mut Tx<'_>, id: i64, source: &str) -> Result<()> {
    tx.execute(sql!("update merge_requests set imported_from = $2 where id = $1"), (id, source))?;
    Ok(())
}

/// Counts a note of people, or one less.
pub fn count_note(tx: &mut Tx<'_>, id: i64, internal: bool, by: i64) -> Result<()> {
    let statement = match internal {
        true => sql!(
            "update merge_requests set internal_notes_count = internal_notes_count + $2
             where id = $1"
        ),
        false => sql!("update merge_requests set notes_count = notes_count + $2 where id = $1"),
    };
    tx.execute(statement, (id, by))?;
    Ok(())
}

/// Removes a merge request and what is its alone.
pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from merge_requests where id = $1"), (id,))?;
    Ok(())
}
