//! What other rooms ask of all issues: to count, hand over and remove them.

use super::epics::dates;
use kernel::error::Result;
use std::collections::HashMap;
use store::{Tx, sql};

pub fn issues_in(tx: &mut Tx<'_>, project_id: i64) -> Result<i64> {
    Ok(tx.one(sql!("select count(*) from issues where project_id = $1"), (project_id,))?)
}

/// Issues with what refers to them by kind and id.
pub fn remove_issues(tx: &mut Tx<'_>, project_id: i64, limit: i64) -> Result<i64> {
    let ids: Vec<i64> = tx.all(
        sql!("select id from issues where project_id = $1 order by id limit $2"),
        (project_id, limit),
    )?;
    let epics = dates::of_issues(tx, &ids)?;
    for statement in [
        sql!(
            "delete from award_emoji where awardable_type = 'Note' and awardable_id in
                (select id from notes where noteable_type = 'Issue' and noteable_id in_list($1))"
        ),
        sql!("delete from notes where noteable_type = 'Issue' and noteable_id in_list($1)"),
        sql!("delete from award_emoji where awardable_type = 'Issue' and awardable_id in_list($1)"),
        sql!("delete from subscriptions where target_type = 'Issue' and target_id in_list($1)"),
        sql!("delete from todos where target_type = 'Issue' and target_id in_list($1)"),
        sql!("delete from issues where id in_list($1)"),
    ] {
        tx.execute(statement, (&ids,))?;
    }
    dates::refresh(tx, epics)?;
    Ok(ids.len() as i64)
}

/// Who wrote and closed issues, and wrote notes.
pub fn hand_over(tx: &mut Tx<'_>, from: i64, to: Option<i64>, limit: i64) -> Result<i64> {
    for statement in [
        sql!(
            "update issues set author_id = $2 where id in
                (select id from issues where author_id = $1 limit $3)"
        ),
        sql!(
            "update issues set closed_by_id = $2 where id in
                (select id from issues where closed_by_id = $1 limit $3)"
        ),
        sql!(
            "update notes set author_id = $2 where id in
                (select id from notes where author_id = $1 limit $3)"
        ),
        sql!(
            "update issue_events set user_id = $2 where id in
                (select id from issue_events where user_id = $1 limit $3)"
        ),
        sql!(
            "update epics set author_id = $2 where id in
                (select id from epics where author_id = $1 limit $3)"
        ),
        sql!(
            "update epics set closed_by_id = $2 where id in
                (select id from epics where closed_by_id = $1 limit $3)"
        ),
        sql!(
            "update epic_events set user_id = $2 where id in
                (select id from epic_events where user_id = $1 limit $3)"
        ),
    ] {
        let moved = tx.execute(statement, (from, to, limit))?;
        if moved > 0 {
            return Ok(moved as i64);
        }
    }
    Ok(0)
}

/// Open issues by project, without confidential ones: the number shows to
/// everyone who sees the project.
pub fn open_issues(tx: &mut Tx<'_>, projects: &[i64]) -> Result<HashMap<i64, i64>> {
    let rows: Vec<(i64, i64)> = tx.all(
        sql!(
            "select project_id, count(*) from issues
             where project_id in_list($1) and state = 'opened' and not confidential
             group by project_id"
        ),
        (projects,),
    )?;
    Ok(rows.into_iter().collect())
}

pub fn issues_of(tx: &mut Tx<'_>, user_id: i64) -> Result<i64> {
    Ok(tx.one(sql!("select count(*) from issues where author_id = $1"), (user_id,))?)
}
