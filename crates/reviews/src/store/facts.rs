//! What decides whether merge requests can be merged, read for many at once.

use crate::model::MergeRequest;
use crate::noteable::MERGE_REQUEST;
use ::store::{Fragment, FromRow, Tx, sql};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::Owned;
use planning::store::notes::readable_anywhere;
use std::collections::{HashMap, HashSet};

/// Which branches of a merge request are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, FromRow)]
#[columns("merge_requests")]
pub struct Branches {
    #[column(
        "exists (select 1 from repositories
            join repository_refs on repository_refs.repository_id = repositories.id
            where repositories.project_id = merge_requests.source_project_id
                and repositories.kind = 'project'
                and repository_refs.name = 'refs/heads/' || merge_requests.source_branch)"
    )]
    pub source: bool,
    #[column(
        "exists (select 1 from repositories
            join repository_refs on repository_refs.repository_id = repositories.id
            where repositories.project_id = merge_requests.target_project_id
                and repositories.kind = 'project'
                and repository_refs.name = 'refs/heads/' || merge_requests.target_branch)"
    )]
    pub target: bool,
}

/// The branches of each.
pub fn branches_of(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, Branches>> {
    let found: Vec<Owned<Branches>> = tx.all(
        sql!(
            "select merge_requests.id as owner, ",
            Branches::COLUMNS,
            " from merge_requests where merge_requests.id in_list($1)"
        ),
        (ids,),
    )?;
    Ok(found.into_iter().map(|one| (one.owner, one.row)).collect())
}

/// Those with a thread that can be resolved and is not.
pub fn with_open_threads(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashSet<i64>> {
    let found: Vec<i64> = tx.all(
        sql!(
            "select distinct notes.noteable_id from notes
             where notes.noteable_type = $2 and notes.noteable_id in_list($1)
                and notes.in_thread and not notes.is_system and notes.resolved_at is null"
        ),
        (ids, MERGE_REQUEST),
    )?;
    Ok(found.into_iter().collect())
}

/// How many threads of each are not resolved, of those that everybody sees; none where all
/// are.
pub fn open_threads_of(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, i64>> {
    Ok(tx.pairs(
        sql!(
            "select notes.noteable_id, count(distinct notes.discussion_id) from notes
             where notes.noteable_type = $2 and notes.noteable_id in_list($1)
                and notes.in_thread and not notes.is_system and not notes.internal
                and notes.resolved_at is null
             group by notes.noteable_id"
        ),
        (ids, MERGE_REQUEST),
    )?)
}

/// How many threads that can be resolved each of these has that the viewer sees, and how
/// many of them are not.
pub fn threads_of(
    tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64],
) -> Result<HashMap<i64, (i64, i64)>> {
    let mut query = Fragment::new(
        "select notes.noteable_id, count(distinct notes.discussion_id),
            count(distinct notes.discussion_id) filter (where notes.resolved_at is null)
         from notes left join projects on projects.id = notes.project_id
         where notes.noteable_type = ",
    );
    query
        .bind(MERGE_REQUEST)
        .raw(" and")
        .in_list("notes.noteable_id", ids)
        .raw(" and notes.in_thread and not notes.is_system and ")
        .append(readable_anywhere(tx, viewer))
        .raw(" group by notes.noteable_id");
    let rows: Vec<(i64, i64, i64)> = tx.query(query)?;
    Ok(rows.into_iter().map(|(id, all, open)| (id, (all, open))).collect())
}

/// Thumbs up and down of each.
pub fn thumbs_of(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, (i64, i64)>> {
    let rows: Vec<(i64, i64, i64)> = tx.all(
        sql!(
            "select awardable_id, count(*) filter (where name = 'thumbsup'),
                count(*) filter (where name = 'thumbsdown')
             from award_emoji
             where awardable_type = $2 and awardable_id in_list($1)
             group by awardable_id"
        ),
        (ids, MERGE_REQUEST),
    )?;
    Ok(rows.into_iter().map(|(id, up, down)| (id, (up, down))).collect())
}

/// Those that were deployed to production, and when first: a deployment of the commit that
/// the merge brought, or of the head.
pub fn deployed_at(
    tx: &mut Tx<'_>, request: &MergeRequest,
) -> Result<Option<kernel::time::Timestamp>> {
    let commits = [
        request.merge_commit_id,
        request.squash_commit_id,
        request.rebased_commit_id,
        request.head_id,
    ];
    let commits: Vec<String> = commits.into_iter().flatten().map(|id| id.to_string()).collect();
    if request.merged_at.is_none() || commits.is_empty() {
        return Ok(None);
    }
    let found: Option<Option<kernel::time::Timestamp>> = tx
        .optional::<(Option<kernel::time::Timestamp>,)>(
            sql!(
                "select deployments.finished_at from deployments
                 join environments on environments.id = deployments.environment_id
                 where deployments.project_id = $1 and deployments.sha in_list($2)
                    and deployments.status = 'success' and environments.tier = 'production'
                 order by deployments.finished_at limit 1"
            ),
            (request.target_project_id, commits),
        )?
        .map(|(at,)| at);
    Ok(found.flatten())
}

/// Whether somebody has had no merge request merged in a project but this one.
pub fn is_first_contribution(tx: &mut Tx<'_>, request: &MergeRequest) -> Result<bool> {
    let Some(author_id) = request.author_id else {
        return Ok(false);
    };
    let merged: Option<i64> = tx.optional(
        sql!(
            "select id from merge_requests
             where author_id = $1 and target_project_id = $2 and state = 'merged' and id <> $3
             limit 1"
        ),
        (author_id, request.target_project_id, request.id),
    )?;
    Ok(merged.is_none())
}
