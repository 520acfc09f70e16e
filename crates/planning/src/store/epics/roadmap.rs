//! Epics in time: those that lie in a span of days, with those below them and what is
//! done of each.

use super::TABLES;
use super::list::EpicFilter;
use crate::access::epics::visible_ids;
use crate::access::{Scope, visible};
use crate::model::epics::{Epic, MOST_LEVELS};
use crate::store::listing::Listing;
use crate::store::pages;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::Paging;
use kernel::time::Date;
use spaces::model::Namespace;
use std::collections::HashMap;
use store::{Fragment, Tx};

const START: &str =
    "(case when epics.start_is_fixed then epics.start_on_fixed else epics.start_on_inherited end)";
const DUE: &str =
    "(case when epics.due_is_fixed then epics.due_on_fixed else epics.due_on_inherited end)";

/// Which epics are drawn, for whom.
pub struct Asked<'a> {
    pub viewer: &'a Viewer,
    pub group: &'a Namespace,
    pub filter: &'a EpicFilter,
    /// The first and the last day.
    pub days: (Date, Date),
    /// By when they end, not by when they start.
    pub by_end: bool,
}

/// What is done of the issues of an epic and of those below it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    pub closed: i64,
    pub issues: i64,
    pub closed_weight: i64,
    pub weight: i64,
}

impl Asked<'_> {
    fn passing(&self, tx: &Tx<'_>) -> Fragment {
        Epic::seen(tx, self.viewer, self.group, self.filter)
    }

    /// Condition: those that lie in the days at least in part.
    fn lying(&self, tx: &Tx<'_>) -> Fragment {
        let mut condition = self.passing(tx);
        condition
            .raw(&format!(" and ({START} is not null or {DUE} is not null)"))
            .push(&format!(" and ({START} is null or {START} <= "), self.days.1)
            .push(&format!(") and ({DUE} is null or {DUE} >= "), self.days.0)
            .raw(")");
        condition
    }

    fn order(&self) -> String {
        match self.by_end {
            false => format!("{START} asc nulls first, {DUE} asc nulls last, epics.id"),
            true => format!("{DUE} asc nulls last, {START} asc nulls first, epics.id"),
        }
    }

    /// One page of those that stand below none that is drawn, and how many there are.
    pub fn roots(&self, tx: &mut Tx<'_>, paging: &Paging) -> Result<(Vec<Epic>, i64)> {
        let mut condition = self.lying(tx);
        condition
            .raw(&format!(
                " and (epics.parent_id is null or epics.parent_id not in
                    (select epics.id from {TABLES} where "
            ))
            .append(self.lying(tx))
            .raw("))");
        let total = pages::count(tx, &Fragment::new(TABLES), &condition)?;
        let mut query = self.selected(condition);
        query.push(" limit ", paging.per_page).push(" offset ", paging.offset());
        Ok((tx.query(query)?, total))
    }

    fn selected(&self, condition: Fragment) -> Fragment {
        let mut query = Fragment::new(store::concat!("select ", Epic::COLUMNS, " from ", TABLES));
        query
            .raw(" where ")
            .append(condition)
            .raw(&format!(" order by {}", self.order()));
        query
    }

    /// Those that stand below these, level by level, at most so many; whether more do.
    pub fn below(&self, tx: &mut Tx<'_>, roots: &[Epic], most: usize) -> Result<(Vec<Epic>, bool)> {
        let mut found: Vec<Epic> = Vec::new();
        let mut parents: Vec<i64> = roots.iter().map(|epic| epic.id).collect();
        for _ in 1..MOST_LEVELS {
            if parents.is_empty() {
                break;
            }
            let mut condition = self.lying(tx);
            condition.raw(" and").in_list("epics.parent_id", &parents);
            let mut query = self.selected(condition);
            let room = most.saturating_sub(found.len());
            query.push(" limit ", i64::try_from(room + 1).unwrap_or(i64::MAX));
            let mut level: Vec<Epic> = tx.query(query)?;
            let is_more = level.len() > room;
            level.truncate(room);
            parents = level.iter().map(|epic| epic.id).collect();
            found.extend(level);
            if is_more {
                return Ok((found, true));
            }
        }
        Ok((found, false))
    }

    /// Some of those without any day, and how many there are.
    pub fn undated(&self, tx: &mut Tx<'_>, most: i64) -> Result<(Vec<Epic>, i64)> {
        let mut condition = self.passing(tx);
        condition.raw(&format!(" and {START} is null and {DUE} is null"));
        let total = pages::count(tx, &Fragment::new(TABLES), &condition)?;
        let mut query = Fragment::new(store::concat!("select ", Epic::COLUMNS, " from ", TABLES));
        query
            .raw(" where ")
            .append(condition)
            .push(" order by epics.id desc limit ", most);
        Ok((tx.query(query)?, total))
    }

    /// How many end before the days, and how many begin after them.
    pub fn outside(&self, tx: &mut Tx<'_>) -> Result<(i64, i64)> {
        let mut query = Fragment::new("select count(*) filter (where ");
        query
            .push(&format!("{DUE} < "), self.days.0)
            .push(&format!("), count(*) filter (where {START} > "), self.days.1)
            .raw(&format!(") from {TABLES} where "))
            .append(self.passing(tx));
        Ok(tx.query(query)?.into_iter().next().unwrap_or((0, 0)))
    }
}

/// What is done of each of these epics, of issues and epics that the viewer sees.
pub fn progress(tx: &mut Tx<'_>, viewer: &Viewer, epics: &[i64]) -> Result<HashMap<i64, Progress>> {
    let mut query = Fragment::new(
        "with recursive below (top, id, level) as (select epics.id, epics.id, 1 from epics where",
    );
    query
        .in_list("epics.id", epics)
        .push(
            " union all select below.top, e.id, below.level + 1 from below
                join epics e on e.parent_id = below.id where below.level <= ",
            MOST_LEVELS,
        )
        .raw(
            ") select below.top, count(*) filter (where issues.state = 'closed'), count(*),
                cast(coalesce(sum(issues.weight) filter (where issues.state = 'closed'), 0) as bigint),
                cast(coalesce(sum(issues.weight), 0) as bigint)
             from below join epic_issues on epic_issues.epic_id = below.id
             join issues on issues.id = epic_issues.issue_id
             join projects on projects.id = issues.project_id
             join namespaces on namespaces.id = projects.namespace_id
             where epic_issues.epic_id in",
        )
        .append(visible_ids(tx, viewer))
        .raw(" and ")
        .append(visible(tx, viewer, &Scope::Everywhere))
        .raw(" group by below.top");
    let found: Vec<(i64, i64, i64, i64, i64)> = tx.query(query)?;
    let progress = |(top, closed, issues, closed_weight, weight)| {
        (top, Progress { closed, issues, closed_weight, weight })
    };
    Ok(found.into_iter().map(progress).collect())
}
