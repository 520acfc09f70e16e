//! What stands right below several groups: the first of each.

use crate::model::{Namespace, Project};
use kernel::error::Result;
use store::{Fragment, Tx};

/// The first groups right below each of these, of those that meet a condition.
pub fn groups_below(
    tx: &mut Tx<'_>,
    parents: &[i64],
    condition: Fragment,
    most: i64,
) -> Result<Vec<Namespace>> {
    let mut ranked = Fragment::new(
        "namespaces.id in (select ranked.id from (select namespaces.id as id, row_number() over
            (partition by namespaces.parent_id order by namespaces.name_folded, namespaces.id)
            as place from namespaces where",
    );
    ranked
        .in_list("namespaces.parent_id", parents)
        .raw(" and ")
        .append(condition)
        .push(") as ranked where ranked.place <= ", most)
        .raw(")");
    super::namespaces(tx, &ranked, "namespaces.name_folded, namespaces.id", i64::MAX, 0)
}

/// The first projects right in each of these groups, of those that meet a
/// condition.
pub fn projects_below(
    tx: &mut Tx<'_>,
    parents: &[i64],
    condition: Fragment,
    most: i64,
) -> Result<Vec<Project>> {
    let mut ranked = Fragment::new(
        "projects.id in (select ranked.id from (select projects.id as id, row_number() over
            (partition by projects.namespace_id order by projects.name_folded, projects.id)
            as place from projects where",
    );
    ranked
        .in_list("projects.namespace_id", parents)
        .raw(" and ")
        .append(condition)
        .push(") as ranked where ranked.place <= ", most)
        .raw(")");
    super::projects(tx, &ranked, "projects.name_folded, projects.id", i64::MAX, 0)
}
