//! Merge requests that are merged at this moment, or once their checks pass.

use super::SELECT;
use crate::model::MergeRequest;
use ::store::{Tx, sql};
use kernel::error::Result;
use kernel::time::Timestamp;

/// Those that are looked at once.
const MOST: i64 = 500;

/// Those into some branches that a merge was made of: it is about to land, or nobody seemed
/// to make it any more.
pub fn begun_into(
    tx: &mut Tx<'_>, project_id: i64, branches: &[String],
) -> Result<Vec<MergeRequest>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "where merge_requests.target_project_id = $1
                and merge_requests.target_branch in_list($2)
                and merge_requests.state in ('opened', 'locked')
                and merge_requests.merge_params ->> 'merging' is not null
             order by merge_requests.id"
        ),
        (project_id, branches),
    )?)
}

/// Those that were locked before a time.
pub fn locked_before(tx: &mut Tx<'_>, at: Timestamp) -> Result<Vec<MergeRequest>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "where merge_requests.state = 'locked' and merge_requests.locked_at < $1
             order by merge_requests.locked_at limit $2"
        ),
        (at, MOST),
    )?)
}

/// Those whose rebase began before a time and did not end.
pub fn rebasing_before(tx: &mut Tx<'_>, at: Timestamp) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select id from merge_requests where rebase_started_at < $1
             order by rebase_started_at limit $2"
        ),
        (at, MOST),
    )?)
}

/// Open ones of a head that comes from a project, and this one.
pub fn of_head(
    tx: &mut Tx<'_>, (project_id, head): (i64, &str), request: Option<i64>,
) -> Result<Vec<MergeRequest>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "where ((merge_requests.source_project_id = $1 and merge_requests.head_id = $2)
                    or merge_requests.id = $3)
                and merge_requests.state = 'opened'
             order by merge_requests.id limit $4"
        ),
        (project_id, head, request, MOST),
    )?)
}

/// Open ones after this that are merged once their checks pass.
pub fn ordered(tx: &mut Tx<'_>, after: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select id from merge_requests
             where auto_merge and state = 'opened' and id > $1 order by id limit $2"
        ),
        (after, MOST),
    )?)
}

/// Those that are merged once their checks pass, of a commit of a project, and this one.
pub fn ordered_of(
    tx: &mut Tx<'_>, project_id: i64, sha: &str, request: Option<i64>,
) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select id from merge_requests
             where ((source_project_id = $1 and head_id = $2) or id = $4)
                and auto_merge and state = 'opened'
             order by id limit $3"
        ),
        (project_id, sha, MOST, request),
    )?)
}
