//! The projects of a board where the viewer works.

use crate::access::Scope;
use identity::viewer::Viewer;
use kernel::error::Result;
use spaces::access::{Purpose, REPORTER, projects_of, visible_projects};
use std::collections::HashSet;
use store::{Fragment, Tx};

/// Condition on `projects`: not archived, and the viewer is a reporter there.
fn worked_on(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    let mut condition = Fragment::new("not projects.archived and ");
    match viewer.user_id() {
        _ if viewer.is_admin() => condition.raw("1 = 1"),
        Some(user) => condition.append(projects_of(tx, user, REPORTER)),
        None => condition.raw("1 = 0"),
    };
    condition
}

/// Those of these projects whose cards the viewer moves.
pub fn movable(tx: &mut Tx<'_>, viewer: &Viewer, projects: &[i64]) -> Result<HashSet<i64>> {
    let mut query = Fragment::new("select projects.id from projects where");
    query
        .in_list("projects.id", projects)
        .raw(" and ")
        .append(worked_on(tx, viewer));
    Ok(tx.query::<i64>(query)?.into_iter().collect())
}

/// Projects of a group's board that get new issues from it: ids and paths, by path.
pub fn open_to(
    tx: &mut Tx<'_>, viewer: &Viewer, scope: &Scope, most: i64,
) -> Result<Vec<(i64, String)>> {
    let Scope::Group(group) = scope else {
        return Ok(Vec::new());
    };
    let mut query = Fragment::new(
        "select projects.id, projects.full_path from projects
         join namespaces on namespaces.id = projects.namespace_id where namespaces.lineage >= ",
    );
    query
        .bind(&group.lineage)
        .push(" and namespaces.lineage < ", group.lineage_end())
        .raw(" and coalesce(projects.features ->> 'issues', '') <> 'disabled' and ")
        .append(visible_projects(tx, viewer, Purpose::Read))
        .raw(" and ")
        .append(worked_on(tx, viewer))
        .push(" order by projects.full_path limit ", most);
    Ok(tx.query(query)?)
}
