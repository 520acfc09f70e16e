//! What is beside merge requests of which a word or a number is enough, in one statement
//! for any number of them.

use super::facts::Branches;
use super::pipelines::Head;
use ::store::{FromRow, Tx, sql};
use kernel::error::Result;
use std::collections::HashMap;

/// What is beside a merge request.
#[derive(Debug, Clone, Copy, Default, FromRow)]
#[columns("merge_requests")]
pub struct Flags {
    id: i64,
    #[nested]
    pub branches: Branches,
    #[nested]
    pub head: Head,
    /// A thread that can be resolved is not.
    #[column(
        "exists (select 1 from notes where notes.noteable_type = 'MergeRequest'
            and notes.noteable_id = merge_requests.id
            and notes.in_thread and not notes.is_system and notes.resolved_at is null)"
    )]
    pub open_threads: bool,
    /// The wish of a reviewer for changes stands.
    #[column(
        "exists (select 1 from merge_request_reviewers r
            where r.merge_request_id = merge_requests.id and r.state = 'requested_changes')"
    )]
    pub requested_changes: bool,
    /// It waits for one that is not merged.
    #[column(
        "exists (select 1 from merge_request_blocks b
            join merge_requests blocking on blocking.id = b.blocking_id
            where b.blocked_id = merge_requests.id and blocking.state <> 'merged')"
    )]
    pub blocked: bool,
    /// There is a rule, of the project or its own, that asks for approvals.
    #[column(
        "(exists (select 1 from approval_rules a
            where a.project_id = merge_requests.target_project_id and a.approvals_required > 0)
        or exists (select 1 from approval_rules a
            where a.merge_request_id = merge_requests.id and a.approvals_required > 0))"
    )]
    pub asks_approvals: bool,
    #[column(
        "(select count(*) from award_emoji e where e.awardable_type = 'MergeRequest'
            and e.awardable_id = merge_requests.id and e.name = 'thumbsup')"
    )]
    pub upvotes: i64,
    #[column(
        "(select count(*) from award_emoji e where e.awardable_type = 'MergeRequest'
            and e.awardable_id = merge_requests.id and e.name = 'thumbsdown')"
    )]
    pub downvotes: i64,
}

/// What is beside each.
pub fn of(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, Flags>> {
    let found: Vec<Flags> = tx.all(
        sql!(
            "select ",
            Flags::COLUMNS,
            " from merge_requests where merge_requests.id in_list($1)"
        ),
        (ids,),
    )?;
    Ok(found.into_iter().map(|one| (one.id, one)).collect())
}
