//! What stands right below several groups: the first of each.

use crate::model::{Namespace, Project};
use kernel::error::Result;
use store::{Fragment, Tx};

/// The first groups right below each of these, of those that meet a condition.
pub fn groups_below(
    tx: &mut Tx<'_>, parents: &[i64], condition: Fragment, most: i64,
) -> Result<Vec<Namespace>> {
    let first = first_below("namespaces", "parent_id", parents, condition, most);
    super::namespaces(tx, &first, "namespaces.name_folded, namespaces.id", i64::MAX, 0)
}

/// The first projects right in each of these groups, of those that meet a
/// condition.
pub fn projects_below(
    tx: &mut Tx<'_>, parents: &[i64], condition: Fragment, most: i64,
) -> Result<Vec<Project>> {
    let first = first_below("projects", "namespace_id", parents, condition, most);
    super::projects(tx, &first, "projects.name_folded, projects.id", i64::MAX, 0)
}

/// Condition on a table: its first rows by name, so many below each parent.
fn first_below(
    table: &str, parent: &str, parents: &[i64], condition: Fragment, most: i64,
) -> Fragment {
    let mut first = Fragment::new(&format!(
        "{table}.id in (select ranked.id from (select {table}.id as id, row_number() over
            (partition by {table}.{parent} order by {table}.name_folded, {table}.id)
            as place from {table} where"
    ));
    first
        .in_list(&format!("{table}.{parent}"), parents)
        .raw(" and ")
        .append(condition)
        .push(") as ranked where ranked.place <= ", most)
        .raw(")");
    first
}
