//! Work items: issues and epics in one list, whichever they are.

use super::epics::list::EpicFilter;
use super::epics::pages::{self as epics, DUE_DOWN, DUE_UP, EpicOwners, START_DOWN, START_UP};
use super::epics::visible_by_ids as visible_epics;
use super::issues::filter::IssueFilter;
use super::issues::list::{self as issues, Owners};
use super::issues::visible_by_ids as visible_issues;
use crate::model::Issue;
use crate::model::epics::{Epic, WORK_ITEMS};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use std::collections::HashMap;
use store::{Fragment, FromRow, Tx};

/// Whose items a list shows, and which. Of either kind there are none without a filter.
#[derive(Debug, Clone, Default)]
pub struct Items {
    pub issues: Option<(Owners, IssueFilter)>,
    pub epics: Option<(EpicOwners, EpicFilter)>,
}

/// What lists of items are sorted by, of issues. Those without a day come last, so each
/// day stands there twice: for lists that go up and for those that go down.
const OF_ISSUES: &str = "issues.id as id, issues.created_at as created_at,
    issues.updated_at as updated_at, issues.title_folded as title_folded,
    '9999-99-99' as start_up, '' as start_down,
    coalesce(issues.due_on, '9999-99-99') as due_up, coalesce(issues.due_on, '') as due_down,
    1 as rank";

/// The same of epics, which come first where kinds are kept apart.
const OF_EPICS: &str = store::concat!(
    "epics.id + 1099511627776 as id, epics.created_at as created_at,
    epics.updated_at as updated_at, epics.title_folded as title_folded,
    ",
    START_UP,
    " as start_up, ",
    START_DOWN,
    " as start_down, ",
    DUE_UP,
    " as due_up, ",
    DUE_DOWN,
    " as due_down, 0 as rank, epics.relative_position as position"
);

#[derive(Debug, FromRow)]
struct Id {
    id: i64,
    position: i64,
}

/// An item with its place in what it is below.
#[derive(Debug, Clone)]
pub struct Placed {
    pub item: Item,
    pub position: i64,
}

/// An issue or an epic.
#[derive(Debug, Clone)]
pub enum Item {
    Issue(Box<Issue>),
    Epic(Box<Epic>),
}

impl Item {
    /// Its number among work items.
    pub fn id(&self) -> i64 {
        match self {
            Item::Issue(issue) => issue.id,
            Item::Epic(epic) => epic.id + WORK_ITEMS,
        }
    }
}

impl Items {
    /// ` from (…) as items`, with what the viewer sees; ends inside its `where`. Nothing
    /// where there is nothing to look for.
    fn seen(&self, tx: &Tx<'_>, viewer: &Viewer) -> Option<Fragment> {
        let of_issues = self.issues.as_ref().map(|(owners, filter)| {
            let place = match owners {
                Owners::Epics(_) => "epic_issues.relative_position",
                _ => "0",
            };
            let columns = format!("{OF_ISSUES}, {place} as position");
            issues::of_owners(tx, viewer, owners, filter, &columns)
        });
        let of_epics = self
            .epics
            .as_ref()
            .map(|(owners, filter)| epics::of_owners(tx, viewer, owners, filter, OF_EPICS));
        let mut from = Fragment::new(" from (");
        match (of_issues, of_epics) {
            (None, None) => return None,
            (Some(issues), Some(epics)) => from.append(issues).raw(" union all ").append(epics),
            (Some(one), None) | (None, Some(one)) => from.append(one),
        };
        from.raw(") as items where 1 = 1");
        Some(from)
    }
}

/// A page for each owner, of items that the viewer may see.
pub fn pages_of(
    tx: &mut Tx<'_>, viewer: &Viewer, items: &Items, window: &Window,
) -> Result<Vec<Owned<Placed>>> {
    let Some(from) = items.seen(tx, viewer) else {
        return Ok(Vec::new());
    };
    let query = window.narrow_each("items.id, items.position", "items.owner_id", from);
    let found: Vec<Owned<Id>> = tx.query(query)?;
    let ids: Vec<i64> = found.iter().map(|one| one.row.id).collect();
    let known = visible_by_ids(tx, viewer, &ids)?;
    let whole = |one: Owned<Id>| {
        let item = known.get(&one.row.id)?.clone();
        Some(one.map(|row| Placed { item, position: row.position }))
    };
    Ok(found.into_iter().filter_map(whole).collect())
}

/// The items of each owner, counted to at most `limit` and one more.
pub fn counts_of(
    tx: &mut Tx<'_>, viewer: &Viewer, items: &Items, limit: Option<i64>,
) -> Result<HashMap<i64, i64>> {
    let Some(from) = items.seen(tx, viewer) else {
        return Ok(HashMap::new());
    };
    let mut query = Fragment::new(
        "select owner, count(*) from (select items.owner_id as owner,
            row_number() over (partition by items.owner_id) as place",
    );
    query.append(from).raw(") as counted");
    if let Some(limit) = limit {
        query.push(" where place <= ", limit.saturating_add(1));
    }
    query.raw(" group by owner");
    Ok(tx.query::<(i64, i64)>(query)?.into_iter().collect())
}

/// Those of these ids that the viewer may see, by id.
pub fn visible_by_ids(tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<HashMap<i64, Item>> {
    let (own, others): (Vec<i64>, Vec<i64>) = ids.iter().partition(|id| **id <= WORK_ITEMS);
    let others: Vec<i64> = others.iter().map(|id| id - WORK_ITEMS).collect();
    let mut found = HashMap::new();
    if !own.is_empty() {
        for issue in visible_issues(tx, viewer, &own)? {
            found.insert(issue.id, Item::Issue(Box::new(issue)));
        }
    }
    if !others.is_empty() {
        for epic in visible_epics(tx, viewer, &others)? {
            found.insert(epic.id + WORK_ITEMS, Item::Epic(Box::new(epic)));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_epics_are_told_alike_everywhere() {
        assert!(OF_EPICS.starts_with(&format!("epics.id + {WORK_ITEMS} as id")));
    }
}
