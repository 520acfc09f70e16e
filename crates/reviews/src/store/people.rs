//! Who is assigned, and who reviews.

use crate::model::{ReviewState, Reviewer};
use ::store::{FromRow, Tx, grouped, sql};
use kernel::error::Result;
use kernel::time::Timestamp;
use std::collections::HashMap;

/// Adds an assignee; whether they were none before.
pub fn assign(tx: &mut Tx<'_>, id: i64, user_id: i64) -> Result<bool> {
    let statement = sql!(
        "insert into merge_request_assignees (merge_request_id, user_id) values ($1, $2)
         on conflict (merge_request_id, user_id) do nothing"
    );
    Ok(tx.execute(statement, (id, user_id))? > 0)
}

/// Removes an assignee; whether they were one.
pub fn unassign(tx: &mut Tx<'_>, id: i64, user_id: i64) -> Result<bool> {
    let statement =
        sql!("delete from merge_request_assignees where merge_request_id = $1 and user_id = $2");
    Ok(tx.execute(statement, (id, user_id))? > 0)
}

/// Adds a reviewer; whether they were none before.
pub fn ask_review(tx: &mut Tx<'_>, id: i64, user_id: i64) -> Result<bool> {
    let now = tx.now();
    let statement = sql!(
        "insert into merge_request_reviewers (merge_request_id, user_id, state, created_at)
         values ($1, $2, 'unreviewed', $3)
         on conflict (merge_request_id, user_id) do nothing"
    );
    Ok(tx.execute(statement, (id, user_id, now))? > 0)
}

/// Removes a reviewer; whether they were one.
pub fn excuse(tx: &mut Tx<'_>, id: i64, user_id: i64) -> Result<bool> {
    let statement =
        sql!("delete from merge_request_reviewers where merge_request_id = $1 and user_id = $2");
    Ok(tx.execute(statement, (id, user_id))? > 0)
}

/// Notes what a reviewer said; whether they are one.
pub fn set_review_state(
    tx: &mut Tx<'_>, id: i64, user_id: i64, state: ReviewState,
) -> Result<bool> {
    let count = tx.execute(
        sql!(
            "update merge_request_reviewers set state = $3
             where merge_request_id = $1 and user_id = $2"
        ),
        (id, user_id, state),
    )?;
    Ok(count > 0)
}

/// Forgets that a reviewer wants changes; whether they did.
pub fn take_changes_back(tx: &mut Tx<'_>, id: i64, user_id: i64) -> Result<bool> {
    let count = tx.execute(
        sql!(
            "update merge_request_reviewers set state = 'unreviewed'
             where merge_request_id = $1 and user_id = $2 and state = 'requested_changes'"
        ),
        (id, user_id),
    )?;
    Ok(count > 0)
}

/// Who takes part in some merge requests, by these.
#[derive(Debug, Default)]
pub struct Parts {
    pub assignees: HashMap<i64, Vec<i64>>,
    pub reviewers: HashMap<i64, Vec<Reviewer>>,
}

/// A reviewer, or an assignee, who says nothing.
#[derive(FromRow)]
struct Part {
    merge_request_id: i64,
    user_id: i64,
    state: Option<ReviewState>,
    created_at: Option<Timestamp>,
}

/// The assignees and the reviewers of each, in one statement.
pub fn parts_of(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Parts> {
    let found: Vec<Part> = tx.all(
        sql!(
            "select merge_request_id, user_id, state, created_at from merge_request_reviewers
             where merge_request_id in_list($1)
             union all
             select merge_request_id, user_id, null, null from merge_request_assignees
             where merge_request_id in_list($1)
             order by merge_request_id, user_id"
        ),
        (ids,),
    )?;
    let mut parts = Parts::default();
    for Part { merge_request_id, user_id, state, created_at } in found {
        match state.zip(created_at) {
            Some((state, created_at)) => {
                let reviewer = Reviewer { merge_request_id, user_id, state, created_at };
                parts.reviewers.entry(merge_request_id).or_default().push(reviewer);
            }
            None => parts.assignees.entry(merge_request_id).or_default().push(user_id),
        }
    }
    Ok(parts)
}

/// The assignees of each.
pub fn assignees_of(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, Vec<i64>>> {
    Ok(tx.grouped(
        sql!(
            "select merge_request_id, user_id from merge_request_assignees
             where merge_request_id in_list($1) order by merge_request_id, user_id"
        ),
        (ids,),
    )?)
}

pub fn assignees_of_one(tx: &mut Tx<'_>, id: i64) -> Result<Vec<i64>> {
    let found = assignees_of(tx, &[id])?.remove(&id);
    Ok(found.unwrap_or_default())
}

/// The reviewers of each.
pub fn reviewers_of(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, Vec<Reviewer>>> {
    let rows: Vec<Reviewer> = tx.all(
        sql!(
            "select ",
            Reviewer::COLUMNS,
            " from merge_request_reviewers
             where merge_request_id in_list($1) order by merge_request_id, user_id"
        ),
        (ids,),
    )?;
    Ok(grouped(rows.into_iter().map(|reviewer| (reviewer.merge_request_id, reviewer))))
}

pub fn reviewers_of_one(tx: &mut Tx<'_>, id: i64) -> Result<Vec<Reviewer>> {
    let found = reviewers_of(tx, &[id])?.remove(&id);
    Ok(found.unwrap_or_default())
}
