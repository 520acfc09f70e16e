//! Labels and milestones that projects or groups use, of one and of many at
//! once.

use crate::access::Parent;
use store::Fragment;

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
            Places::Projects(_) => (
                "projects p join namespaces n on n.id = p.namespace_id",
                "p.id",
                "",
            ),
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
