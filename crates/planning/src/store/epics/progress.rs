//! How far epics are: what of all that stands below them is closed, as far as the
//! viewer sees it. What stands below a hidden epic is not counted either.

use crate::access::{Scope, epics, visible};
use crate::model::epics::MOST_LEVELS;
use identity::viewer::Viewer;
use kernel::error::Result;
use std::collections::HashMap;
use store::{Fragment, FromRow, Tx};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    pub epics: Tally,
    pub issues: Tally,
    /// Of the issues, as far as they have one.
    pub weight: Tally,
    /// Epics, and issues, that stand right below it.
    pub direct: (u64, u64),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub closed: u64,
    pub all: u64,
}

impl Tally {
    fn new(closed: i64, all: i64) -> Tally {
        Tally { closed: closed.unsigned_abs(), all: all.unsigned_abs() }
    }
}

#[derive(FromRow)]
struct EpicsBelow {
    root: i64,
    closed: i64,
    everything: i64,
    direct: i64,
}

#[derive(FromRow)]
struct IssuesBelow {
    root: i64,
    closed: i64,
    everything: i64,
    direct: i64,
    weight_closed: i64,
    weight: i64,
}

/// `with recursive below …`: these epics with all that stand below them.
fn below(tx: &Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Fragment {
    let mut query = Fragment::new(
        "with recursive below (root, id, state, level) as (
            select epics.id, epics.id, epics.state, 0 from epics where",
    );
    query
        .in_list("epics.id", ids)
        .push(
            " union all
            select below.root, epics.id, epics.state, below.level + 1 from below
                join epics on epics.parent_id = below.id
                join namespaces on namespaces.id = epics.group_id
                where below.level < ",
            MOST_LEVELS,
        )
        .raw(" and ")
        .append(epics::visible(tx, viewer))
        .raw(") ");
    query
}

/// How far each of these epics is, by two statements.
pub fn of(tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<HashMap<i64, Progress>> {
    let mut query = below(tx, viewer, ids);
    query.raw(
        "select root, count(*) filter (where state = 'closed') as closed,
            count(*) as everything, count(*) filter (where level = 1) as direct
         from below where level > 0 group by root",
    );
    let mut found: HashMap<i64, Progress> = HashMap::new();
    for one in tx.query::<EpicsBelow>(query)? {
        let progress = found.entry(one.root).or_default();
        progress.epics = Tally::new(one.closed, one.everything);
        progress.direct.0 = one.direct.unsigned_abs();
    }
    for one in of_issues(tx, viewer, ids)? {
        let progress = found.entry(one.root).or_default();
        progress.issues = Tally::new(one.closed, one.everything);
        progress.weight = Tally::new(one.weight_closed, one.weight);
        progress.direct.1 = one.direct.unsigned_abs();
    }
    Ok(found)
}

fn of_issues(tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<Vec<IssuesBelow>> {
    let mut query = below(tx, viewer, ids);
    query
        .raw(
            "select below.root, count(*) filter (where issues.state = 'closed') as closed,
                count(*) as everything, count(*) filter (where below.level = 0) as direct,
                cast(coalesce(sum(issues.weight) filter (where issues.state = 'closed'), 0)
                    as bigint) as weight_closed,
                cast(coalesce(sum(issues.weight), 0) as bigint) as weight
             from below join epic_issues on epic_issues.epic_id = below.id
             join issues on issues.id = epic_issues.issue_id
             join projects on projects.id = issues.project_id where ",
        )
        .append(visible(tx, viewer, &Scope::Everywhere))
        .raw(" group by below.root");
    Ok(tx.query(query)?)
}
