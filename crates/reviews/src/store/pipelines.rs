//! Pipelines of merge requests: their own, and those of their source branches.

use crate::model::MergeRequest;
use crate::tasks::FollowSource;
use ::store::{Fragment, FromRow, Tx, sql};
use delivery::pipelines::model::Pipeline;
use delivery::pipelines::store::pipelines as rows;
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use kernel::http::{Paged, Paging};
use kernel::jobs::Job;
use planning::store::pages::{self, KeyType, List, Order};
use serde_json::json;
use std::collections::HashMap;

const TABLE: &str = "ci_pipelines";

/// The pipeline that tells how the head of a merge request is, if there is one: the newest
/// of its own, or else the newest of its source branch.
#[derive(Debug, Clone, Copy, Default, FromRow)]
#[columns("merge_requests")]
pub struct Head {
    #[column(
        "coalesce(
            (select max(own.id) from ci_pipelines own
                where own.merge_request_id = merge_requests.id
                    and own.source_sha = merge_requests.head_id
                    and own.parent_pipeline_id is null),
            (select max(p.id) from ci_pipelines p
                where p.project_id = merge_requests.source_project_id
                    and p.sha = merge_requests.head_id and p.ref = merge_requests.source_branch
                    and not p.tag and p.merge_request_id is null
                    and p.parent_pipeline_id is null))"
    )]
    pub pipeline_id: Option<i64>,
}

/// The pipelines of the heads of these, of those that have one.
pub fn of_heads(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, i64>> {
    let found: Vec<Owned<Head>> = tx.all(
        sql!(
            "select merge_requests.id as owner, ",
            Head::COLUMNS,
            " from merge_requests where merge_requests.id in_list($1)"
        ),
        (ids,),
    )?;
    let of = |one: Owned<Head>| Some((one.owner, one.row.pipeline_id?));
    Ok(found.into_iter().filter_map(of).collect())
}

/// Pipelines by the merge requests that they are of.
pub fn by_request(tx: &mut Tx<'_>, chosen: &[(i64, i64)]) -> Result<HashMap<i64, Pipeline>> {
    if chosen.is_empty() {
        return Ok(HashMap::new());
    }
    let found = rows::some(tx, chosen.iter().map(|(_, id)| *id).collect())?;
    let found: HashMap<i64, Pipeline> = found.into_iter().map(|one| (one.id, one)).collect();
    let of = |(request, id): &(i64, i64)| Some((*request, found.get(id)?.clone()));
    Ok(chosen.iter().filter_map(of).collect())
}

/// Whether one was begun for this head of a merge request.
pub fn is_begun(tx: &mut Tx<'_>, id: i64, head: &str) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!(
            "select id from ci_pipelines where merge_request_id = $1 and source_sha = $2
                and source = 'merge_request_event' limit 1"
        ),
        (id, head),
    )?;
    Ok(found.is_some())
}

/// Whether one is about to be made for this head of some merge request.
pub fn is_due(tx: &mut Tx<'_>, head: &str) -> Result<bool> {
    let due: Option<i64> = tx.optional(
        sql!(
            "select id from jobs where name = $1 and state in ('queued', 'running')
                and payload ->> 'head' = $2 limit 1"
        ),
        (FollowSource::NAME, head),
    )?;
    Ok(due.is_some())
}

/// Condition: those of a merge request in some projects, its own, and those of its branch
/// for the heads that it had.
fn condition(request: &MergeRequest, projects: &[i64]) -> Fragment {
    let mut condition = Fragment::new("ci_pipelines.parent_pipeline_id is null and");
    condition
        .in_list("ci_pipelines.project_id", projects)
        .push(" and (ci_pipelines.merge_request_id = ", request.id)
        .push(
            " or (ci_pipelines.merge_request_id is null and not ci_pipelines.tag
                and ci_pipelines.project_id = ",
            request.source_project_id,
        )
        .push(" and ci_pipelines.ref = ", request.source_branch.as_str())
        .push(
            " and ci_pipelines.sha in (select v.head_id from merge_request_versions v
                where v.merge_request_id = ",
            request.id,
        )
        .raw(")))");
    condition
}

/// A page of those of a merge request in some projects, the newest first.
pub fn of_request(
    tx: &mut Tx<'_>, request: &MergeRequest, projects: &[i64], paging: Paging,
) -> Result<Paged<Pipeline>> {
    let list = List {
        select: Fragment::new(::store::concat!("select ", Pipeline::COLUMNS)),
        from: Fragment::new(TABLE),
        condition: condition(request, projects),
        order: Order {
            by: "ci_pipelines.id".into(),
            key: Some(KeyType::Int),
            id: "ci_pipelines.id",
            descending: true,
        },
    };
    pages::page(tx, list, paging, |one: &Pipeline| (json!(one.id), one.id))
}

/// How many there are, counted no further than lists tell.
pub fn count(tx: &mut Tx<'_>, request: &MergeRequest, projects: &[i64]) -> Result<i64> {
    pages::count(tx, &Fragment::new(TABLE), &condition(request, projects))
}

/// Those of many merge requests in some projects; goes on in its `where`.
fn of_many(ids: &[i64], projects: &[i64]) -> Fragment {
    let mut from = Fragment::new(
        " from ci_pipelines
          join merge_requests on merge_requests.id = ci_pipelines.merge_request_id
            or (ci_pipelines.merge_request_id is null and not ci_pipelines.tag
                and ci_pipelines.project_id = merge_requests.source_project_id
                and ci_pipelines.ref = merge_requests.source_branch
                and exists (select 1 from merge_request_versions v
                    where v.merge_request_id = merge_requests.id
                        and v.head_id = ci_pipelines.sha))
          where",
    );
    from.in_list("merge_requests.id", ids)
        .raw(" and")
        .in_list("ci_pipelines.project_id", projects)
        .raw(" and ci_pipelines.parent_pipeline_id is null");
    from
}

/// A page for each of these merge requests of the ids of its pipelines in some projects.
pub fn pages_of(
    tx: &mut Tx<'_>, ids: &[i64], projects: &[i64], window: &Window,
) -> Result<Vec<Owned<i64>>> {
    let of = of_many(ids, projects);
    Ok(tx.query(window.narrow_each("ci_pipelines.id", "merge_requests.id", of))?)
}

/// How many pipelines each of these has there, counted to at most `limit` and one more.
pub fn counts_of(
    tx: &mut Tx<'_>, ids: &[i64], projects: &[i64], limit: Option<i64>,
) -> Result<HashMap<i64, i64>> {
    let mut query = Fragment::new("select merge_requests.id, count(*)");
    query.append(of_many(ids, projects)).raw(" group by merge_requests.id");
    let most = limit.map_or(i64::MAX, |limit| limit.saturating_add(1));
    let rows: Vec<(i64, i64)> = tx.query(query)?;
    Ok(rows.into_iter().map(|(id, count)| (id, count.min(most))).collect())
}
