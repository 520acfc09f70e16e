//! Links between issues.

use super::of_condition;
use crate::access::{Scope, visible};
pub use crate::model::Link;
use crate::model::{Issue, LinkType};
use identity::viewer::Viewer;
use kernel::error::Result;
use std::collections::{HashMap, HashSet};
use store::{Fragment, Tx, sql};

/// Most links that one issue has.
pub const MOST: i64 = 500;

/// Links of an issue, in the order they were made.
pub fn of_issue(tx: &mut Tx<'_>, issue_id: i64) -> Result<Vec<Link>> {
    Ok(tx.all(
        sql!(
            "select id, source_id, target_id, link_type, created_at, updated_at from issue_links
             where source_id = $1
             union
             select id, source_id, target_id, link_type, created_at, updated_at from issue_links
             where target_id = $1
             order by 1"
        ),
        (issue_id,),
    )?)
}

pub fn find(tx: &mut Tx<'_>, issue_id: i64, id: i64) -> Result<Option<Link>> {
    Ok(tx.optional(
        sql!(
            "select id, source_id, target_id, link_type, created_at, updated_at from issue_links
             where id = $2 and (source_id = $1 or target_id = $1)"
        ),
        (issue_id, id),
    )?)
}

/// Links two issues, unless they are linked already.
pub fn insert(
    tx: &mut Tx<'_>,
    source_id: i64,
    target_id: i64,
    link_type: LinkType,
) -> Result<Option<Link>> {
    let now = tx.now();
    Ok(tx.optional(
        sql!(
            "insert into issue_links (source_id, target_id, lower_id, higher_id, link_type,
                created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $6)
             on conflict (lower_id, higher_id) do nothing
             returning id, source_id, target_id, link_type, created_at, updated_at"
        ),
        (
            source_id,
            target_id,
            source_id.min(target_id),
            source_id.max(target_id),
            link_type,
            now,
        ),
    )?)
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from issue_links where id = $1"), (id,))?;
    Ok(())
}

/// Whether one issue blocks another, be it over others between them.
pub fn reaches(tx: &mut Tx<'_>, from: i64, to: i64) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!(
            "with recursive blocked (id) as (
                select target_id from issue_links where source_id = $1 and link_type = 'blocks'
                union
                select l.target_id from blocked join issue_links l on l.source_id = blocked.id
                where l.link_type = 'blocks'
             )
             select id from blocked where id = $2"
        ),
        (from, to),
    )?;
    Ok(found.is_some())
}

/// How many open issues that the viewer sees each of these blocks.
pub fn blocking(tx: &mut Tx<'_>, viewer: &Viewer, issues: &[i64]) -> Result<HashMap<i64, i64>> {
    let mut query = Fragment::new(
        "select issue_links.source_id, count(*) from issue_links
         join issues on issues.id = issue_links.target_id
         join projects on projects.id = issues.project_id where",
    );
    query
        .in_list("issue_links.source_id", issues)
        .raw(" and issue_links.link_type = 'blocks' and issues.state = 'opened' and ")
        .append(visible(tx, viewer, &Scope::Everywhere))
        .raw(" group by issue_links.source_id");
    let rows: Vec<(i64, i64)> = tx.query(query)?;
    Ok(rows.into_iter().collect())
}

/// Open issues that the viewer sees and that block one.
pub fn blockers(tx: &mut Tx<'_>, viewer: &Viewer, issue_id: i64) -> Result<Vec<Issue>> {
    let mut condition = Fragment::new(
        "issues.id in (select source_id from issue_links
            where link_type = 'blocks' and target_id = ",
    );
    condition
        .bind(issue_id)
        .raw(") and issues.state = 'opened' and ")
        .append(visible(tx, viewer, &Scope::Everywhere));
    of_condition(tx, condition)
}

/// Those of these issues that an open issue which the viewer sees blocks.
pub fn blocked(tx: &mut Tx<'_>, viewer: &Viewer, issues: &[i64]) -> Result<HashSet<i64>> {
    let mut query = Fragment::new(
        "select distinct issue_links.target_id from issue_links
         join issues on issues.id = issue_links.source_id
         join projects on projects.id = issues.project_id
         where issue_links.link_type = 'blocks' and issues.state = 'opened' and",
    );
    query.in_list("issue_links.target_id", issues).raw(" and ").append(visible(
        tx,
        viewer,
        &Scope::Everywhere,
    ));
    Ok(tx.query::<i64>(query)?.into_iter().collect())
}
