//! What other rooms ask of all issues: to count, hand over and remove them.

use super::epics::dates;
use super::notes;
use identity::{give, handing};
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
    notes::forget(tx, notes::ISSUE, &ids)?;
    tx.execute(sql!("delete from issues where id in_list($1)"), (&ids,))?;
    dates::refresh(tx, epics)?;
    Ok(ids.len() as i64)
}

/// Who wrote and closed issues, and wrote notes.
pub fn hand_over(tx: &mut Tx<'_>, from: i64, to: Option<i64>, limit: i64) -> Result<i64> {
    let statements = [
        give!("issues", "author_id"),
        give!("issues", "closed_by_id"),
        give!("notes", "author_id"),
        give!("issue_events", "user_id"),
        give!("epics", "author_id"),
        give!("epics", "closed_by_id"),
        give!("epic_events", "user_id"),
    ];
    handing::hand_over(tx, &statements, (from, to), limit)
}

/// What else says of a user what they did and have to do, where it turned out that they are
/// another one. What that one has already stays with the first.
pub fn take_over(tx: &mut Tx<'_>, from: i64, to: Option<i64>, limit: i64) -> Result<i64> {
    let statements = [
        sql!(
            "update issue_assignees set user_id = $2 where user_id = $1 and issue_id in
                (select mine.issue_id from issue_assignees mine
                 where mine.user_id = $1 and not exists
                    (select 1 from issue_assignees theirs
                     where theirs.issue_id = mine.issue_id and theirs.user_id = $2)
                 limit $3)"
        ),
        sql!(
            "update award_emoji set user_id = $2 where id in
                (select mine.id from award_emoji mine
                 where mine.user_id = $1 and not exists
                    (select 1 from award_emoji theirs
                     where theirs.awardable_type = mine.awardable_type
                        and theirs.awardable_id = mine.awardable_id
                        and theirs.name = mine.name and theirs.user_id = $2)
                 limit $3)"
        ),
        give!("notes", "resolved_by_id"),
    ];
    handing::hand_over(tx, &statements, (from, to), limit)
}

/// Open issues by project, without confidential ones: the number shows to
/// everyone who sees the project.
pub fn open_issues(tx: &mut Tx<'_>, projects: &[i64]) -> Result<HashMap<i64, i64>> {
    Ok(tx.pairs(
        sql!(
            "select project_id, count(*) from issues
             where project_id in_list($1) and state = 'opened' and not confidential
             group by project_id"
        ),
        (projects,),
    )?)
}

pub fn issues_of(tx: &mut Tx<'_>, user_id: i64) -> Result<i64> {
    Ok(tx.one(sql!("select count(*) from issues where author_id = $1"), (user_id,))?)
}
