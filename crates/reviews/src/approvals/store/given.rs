//! Approvals that people gave, and who committed what is approved.

use ::store::{Fragment, FromRow, Tx, grouped, sql};
use jiff::Timestamp;
use kernel::error::Result;
use std::collections::HashMap;

/// An approval.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
#[columns("merge_request_approvals")]
pub struct Approval {
    pub merge_request_id: i64,
    pub user_id: i64,
    pub created_at: Timestamp,
}

/// The approvals of some merge requests, by these, the first ones first.
pub fn of(tx: &mut Tx<'_>, requests: &[i64]) -> Result<HashMap<i64, Vec<Approval>>> {
    let rows: Vec<Approval> = tx.all(
        sql!(
            "select ",
            Approval::COLUMNS,
            " from merge_request_approvals where merge_request_id in_list($1) order by id"
        ),
        (requests,),
    )?;
    Ok(grouped(rows.into_iter().map(|row| (row.merge_request_id, row))))
}

/// Notes an approval; false where they have approved before.
pub fn insert(tx: &mut Tx<'_>, request: i64, user: i64) -> Result<bool> {
    let now = tx.now();
    let made = tx.execute(
        sql!(
            "insert into merge_request_approvals (merge_request_id, user_id, created_at)
             values ($1, $2, $3) on conflict (merge_request_id, user_id) do nothing"
        ),
        (request, user, now),
    )?;
    Ok(made > 0)
}

/// Takes an approval back; false where there is none.
pub fn delete(tx: &mut Tx<'_>, request: i64, user: i64) -> Result<bool> {
    let gone = tx.execute(
        sql!("delete from merge_request_approvals where merge_request_id = $1 and user_id = $2"),
        (request, user),
    )?;
    Ok(gone > 0)
}

/// Takes the approvals of some users back, and those of all where none are named; whose
/// they were.
pub fn take_back(tx: &mut Tx<'_>, request: i64, users: Option<&[i64]>) -> Result<Vec<i64>> {
    let mut gone = Fragment::new("delete from merge_request_approvals where merge_request_id = ");
    gone.bind(request);
    if let Some(users) = users {
        gone.raw(" and").in_list("user_id", users.to_vec());
    }
    gone.raw(" returning user_id");
    Ok(tx.query(gone)?)
}

/// The committers of some merge requests, by these.
pub fn committers_of(tx: &mut Tx<'_>, requests: &[i64]) -> Result<HashMap<i64, Vec<i64>>> {
    Ok(tx.grouped(
        sql!(
            "select merge_request_id, user_id from merge_request_committers
             where merge_request_id in_list($1) order by merge_request_id, user_id"
        ),
        (requests,),
    )?)
}

/// Notes who committed what a merge request brings, in place of who was noted before.
pub fn set_committers(tx: &mut Tx<'_>, request: i64, users: &[i64]) -> Result<()> {
    tx.execute(
        sql!("delete from merge_request_committers where merge_request_id = $1"),
        (request,),
    )?;
    if users.is_empty() {
        return Ok(());
    }
    let mut add = Fragment::new(
        "insert into merge_request_committers (merge_request_id, user_id)
         select cast(",
    );
    add.bind(request).raw(" as bigint), id from users where");
    add.in_list("id", users.to_vec());
    tx.change_by(add)?;
    Ok(())
}

/// Lets reviewers show that their approval does not stand any more.
pub fn unapprove_reviewers(tx: &mut Tx<'_>, request: i64, users: &[i64]) -> Result<()> {
    tx.run(
        sql!(
            "update merge_request_reviewers set state = 'unapproved'
             where merge_request_id = $1 and state = 'approved' and user_id in_list($2)"
        ),
        (request, users),
    )
}
