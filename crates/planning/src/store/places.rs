//! Labels and milestones that many projects or groups use, read for all of
//! them at once.

use store::Fragment;

/// The places.
#[derive(Debug, Clone)]
pub enum Places {
    /// Projects by id.
    Projects(Vec<i64>),
    /// Groups by id.
    Groups(Vec<i64>),
}

impl Places {
    /// Their ids.
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
