//! Issues that go with the merge of a merge request.

use ::store::{Fragment, Tx, sql};
use kernel::error::Result;
use std::collections::HashMap;

/// Most issues that one merge request closes.
pub const MOST: usize = 100;

/// Writes which issues a text closes: that of the merge request, or those of its commits.
pub fn set(tx: &mut Tx<'_>, id: i64, issues: &[i64], by_commits: bool) -> Result<()> {
    tx.execute(
        sql!(
            "delete from merge_request_closing_issues
             where merge_request_id = $1 and by_commits = $2"
        ),
        (id, by_commits),
    )?;
    let issues = issues.get(..MOST).unwrap_or(issues);
    if issues.is_empty() {
        return Ok(());
    }
    let mut query = Fragment::new(
        "insert into merge_request_closing_issues (merge_request_id, issue_id, by_commits) values ",
    );
    for (at, issue) in issues.iter().enumerate() {
        let comma = if at == 0 { "(" } else { ", (" };
        query.raw(comma).bind(id).push(", ", *issue).push(", ", by_commits).raw(")");
    }
    query.raw(" on conflict do nothing");
    tx.change_by(query)?;
    Ok(())
}

/// The issues that each of these merge requests closes, whoever sees them.
pub fn of_requests(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, Vec<i64>>> {
    Ok(tx.grouped(
        sql!(
            "select distinct merge_request_id, issue_id from merge_request_closing_issues
             where merge_request_id in_list($1) order by merge_request_id, issue_id"
        ),
        (ids,),
    )?)
}

/// The issues that a merge request closes, whoever sees them.
pub fn of_request(tx: &mut Tx<'_>, id: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select distinct issue_id from merge_request_closing_issues
             where merge_request_id = $1 order by issue_id"
        ),
        (id,),
    )?)
}
