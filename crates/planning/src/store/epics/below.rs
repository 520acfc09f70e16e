//! What stands right below several epics, so much of each: a level of a tree by one
//! statement, and what stands beside one of it.

use super::TABLES;
use crate::access::{Scope, epics, visible};
use crate::model::epics::{Epic, ListedIssue};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::Owned;
use store::{Fragment, Tx};

const ISSUES: &str = "epic_issues join issues on issues.id = epic_issues.issue_id
    join projects on projects.id = issues.project_id
    join namespaces on namespaces.id = projects.namespace_id";

/// How much of a level is read.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Of each epic above.
    pub each: i64,
    /// In all.
    pub all: i64,
}

/// The first epics right below each of these that the viewer sees.
pub fn epics(
    tx: &mut Tx<'_>, viewer: &Viewer, parents: &[i64], bounds: Bounds,
) -> Result<Vec<Owned<Epic>>> {
    let mut first = Fragment::new(&format!(
        "select epics.id as below_id, row_number() over (partition by epics.parent_id
            order by epics.relative_position, epics.id) as place from {TABLES} where"
    ));
    first
        .in_list("epics.parent_id", parents)
        .raw(" and ")
        .append(epics::visible(tx, viewer));
    let mut query = Fragment::new(store::concat!(
        "select ",
        Epic::COLUMNS,
        ", epics.parent_id as owner from ",
        super::TABLES,
        " join ("
    ));
    query
        .append(first)
        .push(") as first on first.below_id = epics.id where first.place <= ", bounds.each);
    query.push(" order by first.place, epics.parent_id limit ", bounds.all);
    Ok(tx.query(query)?)
}

/// The first issues of each of these epics that the viewer sees.
pub fn issues(
    tx: &mut Tx<'_>, viewer: &Viewer, parents: &[i64], bounds: Bounds,
) -> Result<Vec<Owned<ListedIssue>>> {
    let mut first = Fragment::new(&format!(
        "select epic_issues.id as below_id, row_number() over (partition by epic_issues.epic_id
            order by epic_issues.relative_position, epic_issues.id) as place
         from {ISSUES} where"
    ));
    first.in_list("epic_issues.epic_id", parents).raw(" and ").append(visible(
        tx,
        viewer,
        &Scope::Everywhere,
    ));
    let mut query = Fragment::new(store::concat!(
        "select ",
        ListedIssue::COLUMNS,
        ", epic_issues.epic_id as owner from "
    ));
    query.raw(ISSUES).raw(" join (").append(first).push(
        ") as first on first.below_id = epic_issues.id where first.place <= ",
        bounds.each,
    );
    query.push(" order by first.place, epic_issues.epic_id limit ", bounds.all);
    Ok(tx.query(query)?)
}

/// The epic next to one that the viewer sees, among those right below the same: what
/// comes before it, or after it.
pub fn epic_beside(
    tx: &mut Tx<'_>, viewer: &Viewer, one: &Epic, before: bool,
) -> Result<Option<i64>> {
    let mut query = Fragment::new(&format!("select epics.id from {TABLES} where "));
    query
        .append(epics::visible(tx, viewer))
        .push(" and epics.parent_id = ", one.parent_id);
    let key = (one.relative_position, one.id);
    next(tx, query, ("epics.relative_position", "epics.id"), key, before)
}

/// The place of the issue next to one, among those of an epic that the viewer sees.
pub fn issue_beside(
    tx: &mut Tx<'_>, viewer: &Viewer, epic_id: i64, key: (i64, i64), before: bool,
) -> Result<Option<i64>> {
    let mut query = Fragment::new(&format!("select epic_issues.id from {ISSUES} where "));
    query
        .append(visible(tx, viewer, &Scope::Everywhere))
        .push(" and epic_issues.epic_id = ", epic_id);
    next(tx, query, ("epic_issues.relative_position", "epic_issues.id"), key, before)
}

fn next(
    tx: &mut Tx<'_>, mut query: Fragment, (position, id): (&str, &str), key: (i64, i64),
    before: bool,
) -> Result<Option<i64>> {
    let (sign, order) = if before { ("<", "desc") } else { (">", "asc") };
    query
        .push(&format!(" and ({position}, {id}) {sign} ("), key.0)
        .push(", ", key.1)
        .raw(&format!(") order by {position} {order}, {id} {order} limit 1"));
    Ok(tx.query::<i64>(query)?.into_iter().next())
}
