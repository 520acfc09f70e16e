//! What this room plugs into the rooms below.

use crate::model::Issue;
use crate::store::references::Numbered;
use crate::store::{awards, internal_ids};
use identity::hooks::Destroying;
use identity::viewer::Viewer;
use kernel::error::Result;
use spaces::hooks::Contents;
use std::collections::HashMap;
use store::{Tx, sql};

/// Work in the transaction that closes an issue; it gets the issue as it was
/// and who closes it.
pub type IssueClosed = fn(&mut Tx<'_>, &Issue, Option<i64>) -> Result<()>;

/// The alerts of projects of these folded paths and of these numbers that the
/// viewer may see.
pub type NamedAlerts = fn(&mut Tx<'_>, &Viewer, &[String], &[i64]) -> Result<Vec<Numbered>>;

/// Functions of the rooms above; they must be among the store's plugs.
#[derive(Default)]
pub struct Hooks {
    pub issue_closed: Vec<IssueClosed>,
    pub named_alerts: Option<NamedAlerts>,
}

pub(crate) fn issue_closed(tx: &mut Tx<'_>, issue: &Issue, actor: Option<i64>) -> Result<()> {
    let hooks: &Hooks = tx.plugged()?;
    hooks
        .issue_closed
        .iter()
        .try_for_each(|hook| hook(tx, issue, actor))
}

pub(crate) fn named_alerts(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    paths: &[String],
    iids: &[i64],
) -> Result<Vec<Numbered>> {
    match tx.plugged::<Hooks>()?.named_alerts {
        Some(named) => named(tx, viewer, paths, iids),
        None => Ok(Vec::new()),
    }
}

/// What a deleted project holds of issues.
pub const CONTENTS: Contents = Contents {
    count: issues_in,
    remove: remove_issues,
};

fn issues_in(tx: &mut Tx<'_>, project_id: i64) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from issues where project_id = $1"),
        (project_id,),
    )?)
}

/// Issues with what refers to them by kind and id.
fn remove_issues(tx: &mut Tx<'_>, project_id: i64, limit: i64) -> Result<i64> {
    let ids: Vec<i64> = tx.all(
        sql!("select id from issues where project_id = $1 order by id limit $2"),
        (project_id, limit),
    )?;
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
    Ok(ids.len() as i64)
}

/// Follows the destruction of a project.
pub fn project_destroying(tx: &mut Tx<'_>, project_id: i64) -> Result<()> {
    internal_ids::forget_project(tx, project_id)
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
    ] {
        let moved = tx.execute(statement, (from, to, limit))?;
        if moved > 0 {
            return Ok(moved as i64);
        }
    }
    Ok(0)
}

/// Takes a leaving user's reactions out of the counts.
pub fn user_destroying(tx: &mut Tx<'_>, destroying: &Destroying) -> Result<()> {
    awards::forget_user(tx, destroying.user.id)
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

/// How many issues a user has written.
pub fn issues_of(tx: &mut Tx<'_>, user_id: i64) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from issues where author_id = $1"),
        (user_id,),
    )?)
}
