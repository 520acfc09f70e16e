//! Labels and milestones that projects or groups use, of one and of many at
//! once.

use crate::access::Parent;
use identity::viewer::Viewer;
use kernel::error::Result;
use spaces::access::{Purpose, visible_groups, visible_projects};
use store::{Fragment, Tx};

/// Condition on a table of labels or milestones: those that one place has
/// itself, perhaps with those of the groups above it.
pub fn in_place(table: &str, parent: &Parent, with_groups_above: bool) -> Fragment {
    let mut condition = Fragment::new(&format!("({table}.project_id = "));
    condition.bind(parent.project_id().unwrap_or(-1));
    let groups = match (with_groups_above, parent.group_id()) {
        (true, _) => parent.groups(),
        (false, Some(own)) => vec![own],
        (false, None) => Vec::new(),
    };
    if !groups.is_empty() {
        let group = format!("{table}.group_id");
        condition.raw(" or").in_list(&group, groups);
    }
    condition.raw(")");
    condition
}

/// Condition on a table of labels or milestones: those of places where the
/// viewer sees them.
pub fn visible(tx: &Tx<'_>, viewer: &Viewer, table: &str) -> Fragment {
    let mut condition = Fragment::new(&format!(
        "(exists (select 1 from projects where projects.id = {table}.project_id and "
    ));
    condition
        .append(visible_projects(tx, viewer, Purpose::Read))
        .raw(&format!(
            ") or exists (select 1 from namespaces where namespaces.id = {table}.group_id and "
        ))
        .append(visible_groups(tx, viewer))
        .raw("))");
    condition
}

/// Ids of the labels or milestones of this title in projects below a group.
pub fn of_title_below(
    tx: &mut Tx<'_>, table: &str, lineage: &str, title: &str,
) -> Result<Vec<i64>> {
    let mut query = Fragment::new(&format!(
        "select {table}.id from {table} join projects on projects.id = {table}.project_id
         join namespaces n on n.id = projects.namespace_id where n.lineage >= "
    ));
    query
        .bind(lineage)
        .push(" and n.lineage < ", format!("{lineage}:"))
        .push(&format!(" and {table}.title = "), title);
    Ok(tx.query(query)?)
}

#[derive(Debug, Clone)]
pub enum Places {
    Projects(Vec<i64>),
    Groups(Vec<i64>),
}

impl Places {
    pub fn ids(&self) -> Vec<i64> {
        match self {
            Places::Projects(ids) | Places::Groups(ids) => ids.clone(),
        }
    }

    /// `(select place_id, used_id …)`: the rows of a table that each place
    /// has itself, and those of the groups `above` it.
    pub fn using(&self, table: &str, above: Option<&[i64]>) -> Fragment {
        let own = match self {
            Places::Projects(_) => "project_id",
            Places::Groups(_) => "group_id",
        };
        let mut used = Fragment::new(&format!(
            "(select t.{own} as place_id, t.id as used_id from {table} t where"
        ));
        used.in_list(&format!("t.{own}"), self.ids());
        let Some(above) = above else {
            used.raw(")");
            return used;
        };
        let (tables, place, itself) = match self {
            Places::Projects(_) => {
                ("projects p join namespaces n on n.id = p.namespace_id", "p.id", "")
            }
            Places::Groups(_) => ("namespaces n", "n.id", " and t.group_id <> n.id"),
        };
        used.raw(&format!(
            " union all select {place}, t.id from {tables}
                join {table} t on n.lineage like '%/' || cast(t.group_id as text) || '/%'{itself}
                where"
        ))
        .in_list(place, self.ids())
        .raw(" and")
        .in_list("t.group_id", above)
        .raw(")");
        used
    }
}
