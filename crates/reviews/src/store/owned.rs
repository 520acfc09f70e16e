//! Merge requests of many owners at once: of projects, groups and people.

use super::filter::{Filter, REQUESTS};
use super::list::{DUE_ON, POPULARITY, PRIORITY};
use super::{SELECT, TABLES};
use crate::access::{Scope, visible};
use crate::model::{MergeRequest, ReviewState};
use ::store::{Fragment, FromRow, Tx};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use kernel::ids::fold;
use kernel::time::{Timestamp, date_of};
use planning::store::issues::filter::Stage;
use planning::store::listing::{Listing, counts_of as counts_of_owners};
use std::collections::HashMap;

/// Whose merge requests pages of many owners show.
#[derive(Debug, Clone)]
pub enum Owners {
    /// Those that are to be merged there.
    Projects(Vec<i64>),
    /// Groups; with the groups below them if the flag is set.
    Groups(Vec<i64>, bool),
    Authors(Vec<i64>),
    Assignees(Vec<i64>),
    Reviewers(Vec<i64>),
}

impl Owners {
    pub fn ids(&self) -> &[i64] {
        match self {
            Owners::Projects(ids)
            | Owners::Groups(ids, _)
            | Owners::Authors(ids)
            | Owners::Assignees(ids)
            | Owners::Reviewers(ids) => ids,
        }
    }

    /// The column of the owner, and the tables and conditions.
    fn tables(&self) -> (&'static str, Fragment) {
        let mut from = Fragment::new(::store::concat!(" from ", TABLES));
        let owner = match self {
            Owners::Projects(_) => "merge_requests.target_project_id",
            Owners::Authors(_) => "merge_requests.author_id",
            Owners::Groups(_, false) => "projects.namespace_id",
            Owners::Groups(_, true) => {
                from.raw(
                    " join namespaces on namespaces.id = projects.namespace_id
                      join namespaces top on namespaces.lineage >= top.lineage
                        and namespaces.lineage < top.lineage || ':'",
                );
                "top.id"
            }
            Owners::Assignees(_) => {
                from.raw(
                    " join merge_request_assignees
                        on merge_request_assignees.merge_request_id = merge_requests.id",
                );
                "merge_request_assignees.user_id"
            }
            Owners::Reviewers(_) => {
                from.raw(
                    " join merge_request_reviewers
                        on merge_request_reviewers.merge_request_id = merge_requests.id",
                );
                "merge_request_reviewers.user_id"
            }
        };
        from.raw(" where").in_list(owner, self.ids());
        (owner, from)
    }
}

/// What lists of many owners are narrowed to beside what every list is.
#[derive(Debug, Clone, Default)]
pub struct Beside {
    pub closed_after: Option<Timestamp>,
    pub closed_before: Option<Timestamp>,
    /// From one of these branches.
    pub sources: Vec<String>,
    /// Into one of these branches.
    pub targets: Vec<String>,
    pub not_sources: Vec<String>,
    pub not_targets: Vec<String>,
    /// Approved by all these users.
    pub approved_by: Vec<String>,
    /// A reviewer said one of these last.
    pub review_states: Vec<ReviewState>,
    /// Of such a milestone.
    pub stage: Option<Stage>,
    /// Into this project.
    pub project_id: Option<i64>,
    /// Into projects of this group or below it.
    pub group_id: Option<i64>,
}

impl Beside {
    fn narrow(&self, tx: &Tx<'_>, sql: &mut Fragment) {
        REQUESTS.between(sql, "closed_at", (self.closed_after, self.closed_before));
        for (not, column, branches) in [
            ("", "merge_requests.source_branch", &self.sources),
            ("", "merge_requests.target_branch", &self.targets),
            (" not", "merge_requests.source_branch", &self.not_sources),
            (" not", "merge_requests.target_branch", &self.not_targets),
        ] {
            if !branches.is_empty() {
                sql.raw(" and").raw(not).raw(" (").in_list(column, branches).raw(")");
            }
        }
        self.narrow_people(sql);
        self.narrow_places(tx, sql);
    }

    fn narrow_people(&self, sql: &mut Fragment) {
        for name in &self.approved_by {
            sql.push(
                " and exists (select 1 from merge_request_approvals a
                    join users on users.id = a.user_id
                    where a.merge_request_id = merge_requests.id and users.username_folded = ",
                fold(name),
            )
            .raw(")");
        }
        if !self.review_states.is_empty() {
            let states = self.review_states.iter().map(|state| state.as_str().to_owned());
            sql.raw(
                " and exists (select 1 from merge_request_reviewers said
                    where said.merge_request_id = merge_requests.id and",
            )
            .in_list("said.state", states.collect::<Vec<String>>())
            .raw(")");
        }
    }

    fn narrow_places(&self, tx: &Tx<'_>, sql: &mut Fragment) {
        if let Some(stage) = self.stage {
            sql.raw(" and ").append(REQUESTS.at_stage(stage, date_of(tx.now())));
        }
        if let Some(id) = self.project_id {
            sql.push(" and merge_requests.target_project_id = ", id);
        }
        if let Some(id) = self.group_id {
            sql.push(
                " and projects.namespace_id in (select below.id from namespaces below
                    join namespaces top on below.lineage >= top.lineage
                        and below.lineage < top.lineage || ':'
                    where top.id = ",
                id,
            )
            .raw(")");
        }
    }
}

/// What a list shows.
#[derive(Debug, Clone)]
pub struct Wanted {
    pub owners: Owners,
    pub filter: Filter,
    pub beside: Beside,
}

impl Wanted {
    /// The column of the owner, and what is listed; ends in its `where`.
    fn seen(&self, tx: &Tx<'_>, viewer: &Viewer) -> (&'static str, Fragment) {
        let (owner, mut from) = self.owners.tables();
        from.raw(" and ");
        from.append(MergeRequest::seen(tx, viewer, &Scope::Everywhere, &self.filter));
        self.beside.narrow(tx, &mut from);
        (owner, from)
    }
}

/// A whole number that a list may be sorted by, as an expression. What has none is
/// last, whichever way the list runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rank {
    /// The same for all: the list is sorted by something else.
    Same,
    /// Thumbs up.
    Popularity,
    /// The last day of the milestone.
    MilestoneDue,
    /// The first priority of a label.
    Priority,
}

/// The last day of the milestone as one number, or null.
const DUE: &str = ::store::concat!("cast(replace(", DUE_ON, ", '-', '') as bigint)");

impl Rank {
    pub const fn expression(self, ascends: bool) -> &'static str {
        match (self, ascends) {
            (Rank::Same, _) => "cast(0 as bigint)",
            (Rank::Popularity, _) => POPULARITY,
            (Rank::MilestoneDue, true) => ::store::concat!("coalesce(", DUE, ", 9999999999)"),
            (Rank::MilestoneDue, false) => ::store::concat!("coalesce(", DUE, ", -1)"),
            (Rank::Priority, true) => ::store::concat!("coalesce(", PRIORITY, ", 9999999999)"),
            (Rank::Priority, false) => ::store::concat!("coalesce(", PRIORITY, ", -1)"),
        }
    }
}

/// A merge request, and its [`Rank`].
#[derive(Debug, Clone, FromRow)]
pub struct Ranked {
    #[nested]
    pub request: MergeRequest,
    pub sort_rank: i64,
}

/// A page for each owner, of merge requests that the viewer may see, each with its `rank`.
pub fn pages_of(
    tx: &mut Tx<'_>, viewer: &Viewer, wanted: &Wanted, rank: &str, window: &Window,
) -> Result<Vec<Owned<Ranked>>> {
    let (owner, from) = wanted.seen(tx, viewer);
    let columns = format!("{}, {rank} as sort_rank", MergeRequest::COLUMNS);
    Ok(tx.query(window.narrow_each(&columns, owner, from))?)
}

/// The merge requests of each owner that [`pages_of`] pages through, counted to at most
/// `limit` and one more.
pub fn counts_of(
    tx: &mut Tx<'_>, viewer: &Viewer, wanted: &Wanted, limit: Option<i64>,
) -> Result<HashMap<i64, i64>> {
    let (owner, from) = wanted.seen(tx, viewer);
    counts_of_owners(tx, owner, from, limit)
}

/// How many microseconds went by until the merged ones of [`pages_of`] were merged, added up
/// for each owner that has any.
pub fn times_to_merge(
    tx: &mut Tx<'_>, viewer: &Viewer, wanted: &Wanted,
) -> Result<HashMap<i64, i64>> {
    let (owner, from) = wanted.seen(tx, viewer);
    let mut query = Fragment::new(&format!(
        "select {owner}, cast(sum(micros(merge_requests.merged_at)
            - micros(merge_requests.created_at)) as bigint)"
    ));
    query
        .append(from)
        .raw(&format!(" and merge_requests.merged_at is not null group by {owner}"));
    Ok(tx.query::<(i64, i64)>(query)?.into_iter().collect())
}

/// The merge request of this number in each of these projects, if the viewer may see it.
pub fn numbered(
    tx: &mut Tx<'_>, viewer: &Viewer, projects: &[i64], iid: i64,
) -> Result<Vec<MergeRequest>> {
    let mut query = Fragment::new(SELECT);
    query
        .raw("where")
        .in_list("merge_requests.target_project_id", projects)
        .push(" and merge_requests.iid = ", iid)
        .raw(" and ")
        .append(visible(tx, viewer, &Scope::Everywhere));
    Ok(tx.query(query)?)
}
