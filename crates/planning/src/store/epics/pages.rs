//! Pages of epics for many owners at once, as GraphQL reads them.

use super::TABLES;
use super::list::{EpicFilter, narrow};
use crate::access::epics::visible;
use crate::access::{self, Scope};
use crate::model::epics::{Epic, MOST_LEVELS};
use crate::store::subscriptions::{self, Target};
use identity::viewer::Viewer;
use kernel::error::Result;
use std::collections::{HashMap, HashSet};
use store::{Fragment, Tx, sql};

/// The day an epic begins, and the day it ends; nothing where there is none.
const START: &str = "case when epics.start_is_fixed then epics.start_on_fixed
    else epics.start_on_inherited end";
const DUE: &str = "case when epics.due_is_fixed then epics.due_on_fixed
    else epics.due_on_inherited end";
/// The same to sort by, where those without a day come last: upwards, and downwards.
pub const START_UP: &str = store::concat!("coalesce(", START, ", '9999-99-99')");
pub const START_DOWN: &str = store::concat!("coalesce(", START, ", '')");
pub const DUE_UP: &str = store::concat!("coalesce(", DUE, ", '9999-99-99')");
pub const DUE_DOWN: &str = store::concat!("coalesce(", DUE, ", '')");

/// Whose epics they are.
#[derive(Debug, Clone)]
pub enum EpicOwners {
    /// Groups, with those above and below them where that is set.
    Groups { ids: Vec<i64>, above: bool, below: bool },
    /// Epics, of which these are right below.
    Parents(Vec<i64>),
}

impl EpicOwners {
    pub fn ids(&self) -> Vec<i64> {
        match self {
            EpicOwners::Groups { ids, .. } | EpicOwners::Parents(ids) => ids.clone(),
        }
    }

    /// The column of the owner, and the tables and conditions.
    fn tables(&self) -> (&'static str, Fragment) {
        let mut from = Fragment::new(store::concat!(" from ", TABLES));
        let owner = match self {
            EpicOwners::Groups { above, below, .. } => {
                from.raw(" join namespaces top on (namespaces.id = top.id");
                if *below {
                    from.raw(
                        " or (namespaces.lineage > top.lineage
                            and namespaces.lineage < top.lineage || ':')",
                    );
                }
                if *above {
                    from.raw(
                        " or (top.lineage > namespaces.lineage
                            and top.lineage < namespaces.lineage || ':')",
                    );
                }
                from.raw(")");
                "top.id"
            }
            EpicOwners::Parents(_) => "epics.parent_id",
        };
        from.raw(" where").in_list(owner, self.ids());
        (owner, from)
    }
}

/// `select …` of the epics of each owner that the viewer may see, with the owner as
/// `owner_id`, for a list that holds more than epics.
pub fn of_owners(
    tx: &Tx<'_>, viewer: &Viewer, owners: &EpicOwners, filter: &EpicFilter, columns: &str,
) -> Fragment {
    let (owner, mut from) = owners.tables();
    from.raw(" and ").append(visible(tx, viewer));
    narrow(&mut from, filter);
    let mut query = Fragment::new(&format!("select {columns}, {owner} as owner_id"));
    query.append(from);
    query
}

/// The epic of this number in each of these groups, if the viewer may see it.
pub fn visible_by_iid(
    tx: &mut Tx<'_>, viewer: &Viewer, groups: &[i64], iid: i64,
) -> Result<Vec<Epic>> {
    let mut condition = visible(tx, viewer);
    condition
        .raw(" and")
        .in_list("epics.group_id", groups)
        .push(" and epics.iid = ", iid);
    super::of_condition(tx, condition)
}

/// Those of these epics that have epics below them, and those that have issues, which
/// the viewer may see.
pub fn with_some_below(
    tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64],
) -> Result<(HashSet<i64>, HashSet<i64>)> {
    let mut epics =
        Fragment::new(store::concat!("select distinct epics.parent_id from ", TABLES, " where"));
    epics.in_list("epics.parent_id", ids).raw(" and ").append(visible(tx, viewer));
    let mut issues = Fragment::new(
        "select distinct epic_issues.epic_id from epic_issues
         join issues on issues.id = epic_issues.issue_id
         join projects on projects.id = issues.project_id where",
    );
    issues.in_list("epic_issues.epic_id", ids).raw(" and ").append(access::visible(
        tx,
        viewer,
        &Scope::Everywhere,
    ));
    let epics: Vec<i64> = tx.query(epics)?;
    let issues: Vec<i64> = tx.query(issues)?;
    Ok((epics.into_iter().collect(), issues.into_iter().collect()))
}

/// The epics above each of these, by the epic asked about and with how far up they
/// are; whether the viewer sees them is not asked.
pub fn above(tx: &mut Tx<'_>, epics: &[i64]) -> Result<Vec<(i64, i64, i64)>> {
    Ok(tx.all(
        sql!(
            "with recursive line (epic_id, id, parent_id, level) as (
                select id, id, parent_id, 0 from epics where id in_list($1)
                union all
                select line.epic_id, e.id, e.parent_id, line.level + 1 from line
                    join epics e on e.id = line.parent_id where line.level <= $2
             )
             select epic_id, id, level from line where level > 0 order by epic_id, level"
        ),
        (epics, MOST_LEVELS),
    )?)
}

/// What a user asked for of each of these, or else whether they wrote it.
pub fn subscribed(tx: &mut Tx<'_>, user_id: i64, epics: &[&Epic]) -> Result<HashMap<i64, bool>> {
    let ids: Vec<i64> = epics.iter().map(|epic| epic.id).collect();
    let asked = subscriptions::of_user(tx, user_id, Target::Epic, &ids)?;
    let of = |epic: &&Epic| {
        let wrote = epic.author_id == Some(user_id);
        (epic.id, asked.get(&epic.id).copied().unwrap_or(wrote))
    };
    Ok(epics.iter().map(of).collect())
}
