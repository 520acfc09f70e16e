//! Lists of issues: whose and in which order, the same for every interface.

use super::filter::{IssueFilter, narrow};
use super::order::POSITION;
use super::{SELECT, TABLES};
use crate::access::{Scope, visible};
use crate::model::Issue;
use crate::store::epics::issues::of_epic;
use crate::store::listing::{self, Listing};
use crate::store::pages::{KeyType, time_key};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::{Owned, Window};
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

pub type Sorting = listing::Sorting<OrderBy>;

impl Listing for Issue {
    type Scope = Scope;
    type Filter = IssueFilter;
    type By = OrderBy;
    const SELECT: &'static str = store::concat!("select ", Issue::COLUMNS);
    const TABLES: &'static str = TABLES;
    const ID: &'static str = "issues.id";

    fn seen(tx: &Tx<'_>, viewer: &Viewer, scope: &Scope, filter: &IssueFilter) -> Fragment {
        let mut condition = visible(tx, viewer, scope);
        narrow(&mut condition, filter, date_of(tx.now()));
        if let Some(epic) = &filter.epic {
            condition.append(of_epic(tx, viewer, epic));
        }
        condition
    }

    fn expression(by: OrderBy) -> (&'static str, Option<KeyType>) {
        match by {
            OrderBy::CreatedAt => ("issues.created_at", Some(KeyType::Time)),
            OrderBy::UpdatedAt => ("issues.updated_at", Some(KeyType::Time)),
            OrderBy::Title => ("issues.title_folded", Some(KeyType::Text)),
            OrderBy::RelativePosition => (POSITION, Some(KeyType::Int)),
            OrderBy::Popularity => ("issues.upvotes", Some(KeyType::Int)),
            OrderBy::DueDate => ("issues.due_on", None),
            OrderBy::Weight => ("issues.weight", None),
            OrderBy::MilestoneDue => (DUE_ON, None),
            OrderBy::Priority | OrderBy::LabelPriority => (PRIORITY, None),
        }
    }

    fn key(&self, by: OrderBy) -> (Value, i64) {
        let key = match by {
            OrderBy::CreatedAt => time_key(self.created_at),
            OrderBy::UpdatedAt => time_key(self.updated_at),
            OrderBy::Title => json!(fold(&self.title)),
            OrderBy::Popularity => json!(self.upvotes),
            OrderBy::RelativePosition => json!(self.relative_position),
            _ => json!(self.id),
        };
        (key, self.id)
    }
}

/// The last day of the milestone, or null.
const DUE_ON: &str = "(select milestones.due_on from milestones
    where milestones.id = issues.milestone_id)";

/// The first priority of a label, or null.
const PRIORITY: &str = "(select min(label_priorities.priority) from issue_labels
    join label_priorities on label_priorities.label_id = issue_labels.label_id
        and label_priorities.project_id = issues.project_id
    where issue_labels.issue_id = issues.id)";

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

    /// The column of the owner, and what of it the viewer may see.
    fn seen(&self, tx: &Tx<'_>, viewer: &Viewer, filter: &IssueFilter) -> (&'static str, Fragment) {
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
        from.raw(" where").in_list(owner, self.ids()).raw(" and ");
        from.append(Issue::seen(tx, viewer, &Scope::Everywhere, filter));
        (owner, from)
    }
}

/// `select …` of the issues of each owner that the viewer may see, with the owner as
/// `owner_id`, for a list that holds more than issues.
pub fn of_owners(
    tx: &Tx<'_>, viewer: &Viewer, owners: &Owners, filter: &IssueFilter, columns: &str,
) -> Fragment {
    let (owner, from) = owners.seen(tx, viewer, filter);
    let mut query = Fragment::new(&format!("select {columns}, {owner} as owner_id"));
    query.append(from);
    query
}

/// A page for each owner, of issues that the viewer may see.
pub fn pages_of(
    tx: &mut Tx<'_>, viewer: &Viewer, owners: &Owners, filter: &IssueFilter, window: &Window,
) -> Result<Vec<Owned<Issue>>> {
    let (owner, from) = owners.seen(tx, viewer, filter);
    Ok(tx.query(window.narrow_each(Issue::COLUMNS, owner, from))?)
}

/// The issues of each owner that [`pages_of`] pages through, counted to at most
/// `limit` and one more.
pub fn counts_of(
    tx: &mut Tx<'_>, viewer: &Viewer, owners: &Owners, filter: &IssueFilter, limit: Option<i64>,
) -> Result<HashMap<i64, i64>> {
    let (owner, from) = owners.seen(tx, viewer, filter);
    listing::counts_of(tx, owner, from, limit)
}

/// A page of all issues that the viewer may see.
pub fn page_of_all(
    tx: &mut Tx<'_>, viewer: &Viewer, filter: &IssueFilter, window: &Window,
) -> Result<Vec<Issue>> {
    let mut query = Fragment::new(SELECT);
    query.raw("where ").append(Issue::seen(tx, viewer, &Scope::Everywhere, filter));
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
        .append(Issue::seen(tx, viewer, &Scope::Everywhere, filter));
    if let Some(limit) = limit {
        query.push(" limit ", limit.saturating_add(1));
    }
    query.raw(") as counted");
    Ok(tx.query::<i64>(query)?.into_iter().next().unwrap_or(0))
}
