//! What other rooms ask of all merge requests: to count, hand over and remove them.

use crate::noteable::MERGE_REQUEST;
use ::store::{Tx, sql};
use identity::{give, handing};
use kernel::error::Result;
use planning::store::notes;

pub fn count_in(tx: &mut Tx<'_>, project_id: i64) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from merge_requests where target_project_id = $1"),
        (project_id,),
    )?)
}

/// Some of a project, with what refers to them by kind and id.
pub fn remove_some(tx: &mut Tx<'_>, project_id: i64, limit: i64) -> Result<i64> {
    let ids: Vec<i64> = tx.all(
        sql!("select id from merge_requests where target_project_id = $1 order by id limit $2"),
        (project_id, limit),
    )?;
    notes::forget(tx, MERGE_REQUEST, &ids)?;
    tx.execute(sql!("delete from merge_requests where id in_list($1)"), (&ids,))?;
    Ok(i64::try_from(ids.len()).unwrap_or(i64::MAX))
}

/// Who wrote, closed and merged them.
pub fn hand_over(tx: &mut Tx<'_>, from: i64, to: Option<i64>, limit: i64) -> Result<i64> {
    let statements = [
        give!("merge_requests", "author_id"),
        give!("merge_requests", "edited_by_id"),
        give!("merge_requests", "closed_by_id"),
        give!("merge_requests", "merge_user_id"),
        give!("merge_request_events", "user_id"),
    ];
    handing::hand_over(tx, &statements, (from, to), limit)
}

/// The same where it turned out that a user is another one: what they had to do and approved.
/// What that one has already stays with the first.
pub fn take_over(tx: &mut Tx<'_>, from: i64, to: Option<i64>, limit: i64) -> Result<i64> {
    let statements = [
        sql!(
            "update merge_request_assignees set user_id = $2
             where user_id = $1 and merge_request_id in
                (select mine.merge_request_id from merge_request_assignees mine
                 where mine.user_id = $1 and not exists
                    (select 1 from merge_request_assignees theirs
                     where theirs.merge_request_id = mine.merge_request_id
                        and theirs.user_id = $2)
                 limit $3)"
        ),
        sql!(
            "update merge_request_reviewers set user_id = $2
             where user_id = $1 and merge_request_id in
                (select mine.merge_request_id from merge_request_reviewers mine
                 where mine.user_id = $1 and not exists
                    (select 1 from merge_request_reviewers theirs
                     where theirs.merge_request_id = mine.merge_request_id
                        and theirs.user_id = $2)
                 limit $3)"
        ),
        sql!(
            "update merge_request_approvals set user_id = $2 where id in
                (select mine.id from merge_request_approvals mine
                 where mine.user_id = $1 and not exists
                    (select 1 from merge_request_approvals theirs
                     where theirs.merge_request_id = mine.merge_request_id
                        and theirs.user_id = $2)
                 limit $3)"
        ),
        sql!(
            "update approval_rule_approvers set user_id = $2 where user_id = $1 and rule_id in
                (select mine.rule_id from approval_rule_approvers mine
                 where mine.user_id = $1 and not exists
                    (select 1 from approval_rule_approvers theirs
                     where theirs.rule_id = mine.rule_id and theirs.user_id = $2)
                 limit $3)"
        ),
    ];
    handing::hand_over(tx, &statements, (from, to), limit)
}
