//! Lists of issues: whose and in which order, the same for every interface.

use super::filter::{IssueFilter, narrow};
use super::order::POSITION;
use super::{SELECT, TABLES};
use crate::access::{Scope, visible};
use crate::model::Issue;
use crate::store::epics::issues::of_epic;
use crate::store::pages::{self, KeyType, List, Order, time_key};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use kernel::http::{Paged, Paging};
use kernel::ids::fold;
use kernel::time::date_of;
use serde_json::{Value, json};
use std::collections::HashMap;
use store::{Fragment, Tx};

kernel::choices! {
    pub enum OrderBy {
        CreatedAt = "created_at",
        UpdatedAt = "updated_at",
        DueDate = "due_date",
        Priority = "priority",
        LabelPriority = "label_priority",
        MilestoneDue = "milestone_due",
        Popularity = "popularity",
        RelativePosition = "relative_position",
        Title = "title",
        Weight = "weight",
    }
}

/// Whether a list runs from the greatest down.
#[derive(Debug, Clone, Copy)]
pub struct Sorting {
    pub by: OrderBy,
    pub descending: bool,
}

/// Condition: the issues in a scope that the viewer may see and that pass.
pub fn seen(tx: &Tx<'_>, viewer: &Viewer, scope: &Scope, filter: &IssueFilter) -> Fragment {
    let mut condition = visible(tx, viewer, scope);
    narrow(&mut condition, filter, date_of(tx.now()));
    if let Some(epic) = &filter.epic {
        condition.append(of_epic(tx, viewer, epic));
    }
    condition
}

/// One page of the issues in a scope that the viewer may see.
pub fn list(
    tx: &mut Tx<'_>, viewer: &Viewer, scope: &Scope, filter: &IssueFilter, sorting: Sorting,
    paging: Paging,
) -> Result<Paged<Issue>> {
    let list = listed(tx, viewer, scope, filter, sorting);
    pages::page(tx, list, paging, |issue| (key(sorting.by, issue), issue.id))
}

/// The issues of one page of it, where others count them.
pub fn rows(
    tx: &mut Tx<'_>, viewer: &Viewer, scope: &Scope, filter: &IssueFilter, sorting: Sorting,
    paging: &Paging,
) -> Result<Vec<Issue>> {
    let list = listed(tx, viewer, scope, filter, sorting);
    let mut rows: Vec<Issue> = tx.query(pages::query(list, paging)?)?;
    rows.truncate(paging.per_page.unsigned_abs() as usize);
    Ok(rows)
}

/// What [`list`] reads.
pub fn listed(
    tx: &Tx<'_>, viewer: &Viewer, scope: &Scope, filter: &IssueFilter, sorting: Sorting,
) -> List {
    let condition = seen(tx, viewer, scope, filter);
    List {
        select: Fragment::new(store::concat!("select ", Issue::COLUMNS)),
        from: Fragment::new(TABLES),
        condition,
        order: order(sorting),
    }
}

/// Whose issues pages of many owners show.
#[derive(Debug, Clone)]
pub enum Owners {
    Projects(Vec<i64>),
    /// Groups; with the groups below them if the flag is set.
    Groups(Vec<i64>, bool),
    Blocked(Vec<i64>),
    Epics(Vec<i64>),
}

impl Owners {
    pub fn ids(&self) -> Vec<i64> {
        match self {
            Owners::Projects(ids)
            | Owners::Groups(ids, _)
            | Owners::Blocked(ids)
            | Owners::Epics(ids) => ids.clone(),
        }
    }

    /// The column of the owner, and the tables and conditions.
    fn tables(&self) -> (&'static str, Fragment) {
        let mut from = Fragment::new(store::concat!(" from ", TABLES));
        let owner = match self {
            Owners::Projects(_) => "issues.project_id",
            Owners::Groups(_, false) => "projects.namespace_id",
            Owners::Groups(_, true) => {
                from.raw(
                    " join namespaces top on namespaces.lineage >= top.lineage
                        and namespaces.lineage < top.lineage || ':'",
                );
                "top.id"
            }
            Owners::Blocked(_) => {
                from.raw(
                    " join issue_links on issue_links.source_id = issues.id
                        and issue_links.link_type = 'blocks'",
                );
                "issue_links.target_id"
            }
            Owners::Epics(_) => {
                from.raw(" join epic_issues on epic_issues.issue_id = issues.id");
                "epic_issues.epic_id"
            }
        };
        from.raw(" where").in_list(owner, self.ids());
        (owner, from)
    }
}

/// `select …` of the issues of each owner that the viewer may see, with the owner as
/// `owner_id`, for a list that holds more than issues.
pub fn of_owners(
    tx: &Tx<'_>, viewer: &Viewer, owners: &Owners, filter: &IssueFilter, columns: &str,
) -> Fragment {
    let (owner, mut from) = owners.tables();
    from.raw(" and ").append(seen(tx, viewer, &Scope::Everywhere, filter));
    let mut query = Fragment::new(&format!("select {columns}, {owner} as owner_id"));
    query.append(from);
    query
}

/// A page for each owner, of issues that the viewer may see.
pub fn pages_of(
    tx: &mut Tx<'_>, viewer: &Viewer, owners: &Owners, filter: &IssueFilter, window: &Window,
) -> Result<Vec<Owned<Issue>>> {
    let (owner, mut from) = owners.tables();
    from.raw(" and ").append(seen(tx, viewer, &Scope::Everywhere, filter));
    Ok(tx.query(window.narrow_each(Issue::COLUMNS, owner, from))?)
}

/// The issues of each owner that [`pages_of`] pages through, counted to at most
/// `limit` and one more.
pub fn counts_of(
    tx: &mut Tx<'_>, viewer: &Viewer, owners: &Owners, filter: &IssueFilter, limit: Option<i64>,
) -> Result<HashMap<i64, i64>> {
    let (owner, mut from) = owners.tables();
    from.raw(" and ").append(seen(tx, viewer, &Scope::Everywhere, filter));
    let mut query = Fragment::new(&format!(
        "select owner, count(*) from (select {owner} as owner,
            row_number() over (partition by {owner}) as place"
    ));
    query.append(from).raw(") as counted");
    if let Some(limit) = limit {
        query.push(" where place <= ", limit.saturating_add(1));
    }
    query.raw(" group by owner");
    Ok(tx.query::<(i64, i64)>(query)?.into_iter().collect())
}

/// A page of all issues that the viewer may see.
pub fn page_of_all(
    tx: &mut Tx<'_>, viewer: &Viewer, filter: &IssueFilter, window: &Window,
) -> Result<Vec<Issue>> {
    let mut query = Fragment::new(SELECT);
    query.raw("where ").append(seen(tx, viewer, &Scope::Everywhere, filter));
    window.narrow(&mut query);
    Ok(tx.query(query)?)
}

/// All issues that the viewer may see, counted to at most `limit` and one more.
pub fn count_all(
    tx: &mut Tx<'_>, viewer: &Viewer, filter: &IssueFilter, limit: Option<i64>,
) -> Result<i64> {
    let mut query = Fragment::new("select count(*) from (select 1 from ");
    query
        .raw(TABLES)
        .raw(" where ")
        .append(seen(tx, viewer, &Scope::Everywhere, filter));
    if let Some(limit) = limit {
        query.push(" limit ", limit.saturating_add(1));
    }
    query.raw(") as counted");
    Ok(tx.query::<i64>(query)?.into_iter().next().unwrap_or(0))
}

/// How many of a scope pass, counted no further than lists tell.
pub fn count(tx: &mut Tx<'_>, viewer: &Viewer, scope: &Scope, filter: &IssueFilter) -> Result<i64> {
    let condition = seen(tx, viewer, scope, filter);
    pages::count(tx, &Fragment::new(TABLES), &condition)
}

/// The expression of an order and the type of its key, where it has one.
pub fn expression(by: OrderBy) -> (&'static str, Option<KeyType>) {
    match by {
        OrderBy::CreatedAt => ("issues.created_at", Some(KeyType::Time)),
        OrderBy::UpdatedAt => ("issues.updated_at", Some(KeyType::Time)),
        OrderBy::Title => ("issues.title_folded", Some(KeyType::Text)),
        OrderBy::RelativePosition => (POSITION, Some(KeyType::Int)),
        OrderBy::Popularity => ("issues.upvotes", Some(KeyType::Int)),
        OrderBy::DueDate => ("issues.due_on", None),
        OrderBy::Weight => ("issues.weight", None),
        OrderBy::MilestoneDue => (
            "(select milestones.due_on from milestones where milestones.id = issues.milestone_id)",
            None,
        ),
        OrderBy::Priority | OrderBy::LabelPriority => (
            "(select min(label_priorities.priority) from issue_labels
                join label_priorities on label_priorities.label_id = issue_labels.label_id
                    and label_priorities.project_id = issues.project_id
                where issue_labels.issue_id = issues.id)",
            None,
        ),
    }
}

fn order(sorting: Sorting) -> Order {
    let (by, key) = expression(sorting.by);
    Order {
        by: by.into(),
        key,
        id: "issues.id",
        descending: sorting.descending,
    }
}

fn key(by: OrderBy, issue: &Issue) -> Value {
    match by {
        OrderBy::CreatedAt => time_key(issue.created_at),
        OrderBy::UpdatedAt => time_key(issue.updated_at),
        OrderBy::Title => json!(fold(&issue.title)),
        OrderBy::Popularity => json!(issue.upvotes),
        OrderBy::RelativePosition => json!(issue.relative_position),
        _ => json!(issue.id),
    }
}
