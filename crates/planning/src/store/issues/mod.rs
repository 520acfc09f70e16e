//! Issues: their rows. Lists are in [`list`] and [`filter`], their order by hand in
//! [`order`], links in [`links`], what became of them in [`events`].

pub mod events;
pub mod filter;
pub mod links;
pub mod list;
pub mod long_texts;
pub mod order;
pub mod timeline;

use crate::access::{Scope, visible};
use crate::model::Issue;
use crate::store::searched::ISSUES;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::ids::fold;
use kernel::search::index;
use spaces::access::{REPORTER, projects_of};
use std::collections::{HashMap, HashSet};
use store::{Fragment, Tx, sql};

/// The tables of [`Issue`].
pub const TABLES: &str = "issues join projects on projects.id = issues.project_id
    join namespaces on namespaces.id = projects.namespace_id";

/// Begins a statement that reads issues, up to its `where`.
const SELECT: &str = store::concat!("select ", Issue::COLUMNS, " from ", TABLES, " ");

/// The issue of this number in a project, unjudged.
pub fn find(tx: &mut Tx<'_>, project_id: i64, iid: i64) -> Result<Option<Issue>> {
    Ok(tx.optional(
        sql!(SELECT, "where issues.project_id = $1 and issues.iid = $2"),
        (project_id, iid),
    )?)
}

/// The issue of this id, unjudged.
pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Issue>> {
    Ok(tx.optional(
        sql!(SELECT, "where issues.id = $1 and projects.deletion_scheduled_at is null"),
        (id,),
    )?)
}

/// Issues that meet a condition on `issues` and `projects`, by id.
pub fn of_condition(tx: &mut Tx<'_>, condition: Fragment) -> Result<Vec<Issue>> {
    let mut query = Fragment::new(SELECT);
    query.raw("where ").append(condition).raw(" order by issues.id");
    Ok(tx.query(query)?)
}

pub fn visible_by_ids(tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<Vec<Issue>> {
    let mut condition = visible(tx, viewer, &Scope::Everywhere);
    condition.raw(" and").in_list("issues.id", ids);
    of_condition(tx, condition)
}

/// The issue of this number in each of these projects, if the viewer may see
/// it.
pub fn visible_by_iid(
    tx: &mut Tx<'_>, viewer: &Viewer, projects: &[i64], iid: i64,
) -> Result<Vec<Issue>> {
    let mut condition = visible(tx, viewer, &Scope::Everywhere);
    condition
        .raw(" and")
        .in_list("issues.project_id", projects)
        .push(" and issues.iid = ", iid);
    of_condition(tx, condition)
}

/// Adds an issue; its id, unless the number is in use.
pub fn insert(tx: &mut Tx<'_>, issue: &Issue) -> Result<Option<i64>> {
    let id: Option<i64> = tx.optional(
        sql!(
            "insert into issues (project_id, iid, title, title_folded, state, kind, severity,
                author_id, confidential, created_at, updated_at)
             values ($1, $2, '', '', 'opened', 'issue', 'unknown', $3, $4, $5, $5)
             on conflict (project_id, iid) do nothing returning id"
        ),
        (
            issue.project_id,
            issue.iid,
            issue.author_id,
            issue.confidential,
            issue.created_at,
        ),
    )?;
    if let Some(id) = id {
        let issue = Issue { id, ..issue.clone() };
        update(tx, &issue)?;
    }
    Ok(id)
}

/// Writes what is said of an issue; the rest has functions of its own.
pub fn update(tx: &mut Tx<'_>, issue: &Issue) -> Result<()> {
    tx.execute(sql!(Issue::UPDATE), issue.values())?;
    tx.execute(
        sql!("update issues set title_folded = $2, description_folded = $3 where id = $1"),
        (issue.id, fold(&issue.title), fold(issue.text())),
    )?;
    Ok(index(tx, &ISSUES, &[issue.id])?)
}

pub fn touch(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(sql!("update issues set updated_at = $2 where id = $1"), (id, now))?;
    Ok(())
}

pub fn moved(tx: &mut Tx<'_>, id: i64, to: i64) -> Result<()> {
    tx.execute(sql!("update issues set moved_to_id = $2 where id = $1"), (id, to))?;
    Ok(())
}

/// Notes which epic an issue became.
pub fn promoted(tx: &mut Tx<'_>, id: i64, to: i64) -> Result<()> {
    tx.execute(sql!("update issues set promoted_to_epic_id = $2 where id = $1"), (id, to))?;
    Ok(())
}

/// Removes an issue and what is its alone.
pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    super::subscriptions::forget(tx, super::subscriptions::Target::Issue, id)?;
    tx.execute(sql!("delete from issues where id = $1"), (id,))?;
    Ok(())
}

/// Adds an assignee; whether they were none before.
pub fn assign(tx: &mut Tx<'_>, id: i64, user_id: i64) -> Result<bool> {
    let statement = sql!(
        "insert into issue_assignees (issue_id, user_id) values ($1, $2)
         on conflict (issue_id, user_id) do nothing"
    );
    Ok(tx.execute(statement, (id, user_id))? > 0)
}

/// Removes an assignee; whether they were one.
pub fn unassign(tx: &mut Tx<'_>, id: i64, user_id: i64) -> Result<bool> {
    let statement = sql!("delete from issue_assignees where issue_id = $1 and user_id = $2");
    Ok(tx.execute(statement, (id, user_id))? > 0)
}

/// Puts a label on an issue; whether it was not there before.
pub fn add_label(tx: &mut Tx<'_>, id: i64, label_id: i64) -> Result<bool> {
    let statement = sql!(
        "insert into issue_labels (issue_id, label_id) values ($1, $2)
         on conflict (issue_id, label_id) do nothing"
    );
    Ok(tx.execute(statement, (id, label_id))? > 0)
}

/// Takes a label off an issue; whether it was there.
pub fn remove_label(tx: &mut Tx<'_>, id: i64, label_id: i64) -> Result<bool> {
    let statement = sql!("delete from issue_labels where issue_id = $1 and label_id = $2");
    Ok(tx.execute(statement, (id, label_id))? > 0)
}

pub fn label_ids(tx: &mut Tx<'_>, id: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!("select label_id from issue_labels where issue_id = $1 order by label_id"),
        (id,),
    )?)
}

pub fn assignees_of(tx: &mut Tx<'_>, issues: &[i64]) -> Result<HashMap<i64, Vec<i64>>> {
    Ok(tx.grouped(
        sql!(
            "select issue_id, user_id from issue_assignees
             where issue_id in_list($1) order by issue_id, user_id"
        ),
        (issues,),
    )?)
}

pub fn assignees_of_one(tx: &mut Tx<'_>, issue: i64) -> Result<Vec<i64>> {
    let found = assignees_of(tx, &[issue])?.remove(&issue);
    Ok(found.unwrap_or_default())
}

/// Those of these projects where a user is a reporter.
pub fn reported(tx: &mut Tx<'_>, user_id: i64, projects: &[i64]) -> Result<HashSet<i64>> {
    let mut query = Fragment::new("select projects.id from projects where");
    query
        .in_list("projects.id", projects)
        .raw(" and ")
        .append(projects_of(tx, user_id, REPORTER));
    Ok(tx.query::<i64>(query)?.into_iter().collect())
}
