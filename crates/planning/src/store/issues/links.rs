//! Links between issues that block one another.

use super::of_condition;
use crate::access::{Scope, visible};
use crate::model::Issue;
use identity::viewer::Viewer;
use kernel::error::Result;
use std::collections::{HashMap, HashSet};
use store::{Fragment, Tx};

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
