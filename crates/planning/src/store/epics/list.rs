//! Lists of epics: whose and in which order.

use super::TABLES;
use crate::access::epics::visible;
use crate::model::IssueState;
use crate::model::epics::{EPIC, Epic};
use crate::store::issues::filter::{AnyOf, Has, Times};
use crate::store::listed::{Listed, all_but};
use crate::store::listing::{self, Listing};
use crate::store::pages::{KeyType, time_key};
use identity::viewer::Viewer;
use kernel::ids::fold;
use serde_json::{Value, json};
use spaces::model::Namespace;
use store::{Fragment, Tx};

kernel::choices! {
    pub enum OrderBy as "EpicOrder" {
        CreatedAt = "created_at",
        UpdatedAt = "updated_at",
        Title = "title",
    }
}

/// What epics are like; also what `not` leaves out.
#[derive(Debug, Clone, Default)]
pub struct EpicMarks {
    pub labels: Option<Has<Vec<String>>>,
    pub author_id: Option<i64>,
    pub author_username: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub struct EpicFilter {
    pub state: Option<IssueState>,
    pub search: Option<String>,
    pub is: EpicMarks,
    pub not: EpicMarks,
    pub times: Times,
    pub reaction: Option<(i64, Has<String>)>,
    pub not_reaction: Option<(i64, Has<String>)>,
    pub confidential: Option<bool>,
    pub iids: Option<Vec<i64>>,
    pub not_iids: Option<Vec<i64>>,
    pub ids: Option<Vec<i64>>,
    /// Right below one of these epics.
    pub parents: Option<Vec<i64>>,
    pub any_of: AnyOf,
    pub in_title: bool,
    pub in_description: bool,
    /// Things that epics do not have (assignees, milestones) were asked for.
    pub impossible: bool,
    /// Also those of the groups above.
    pub ancestors: bool,
    /// Also those of the groups below.
    pub descendants: bool,
}

/// Epics, as lists narrow them.
pub const EPICS: Listed = Listed { table: "epics", one: "epic", kind: EPIC };

pub type Sorting = listing::Sorting<OrderBy>;

impl Listing for Epic {
    type Scope = Namespace;
    type Filter = EpicFilter;
    type By = OrderBy;
    const SELECT: &'static str = store::concat!("select ", Epic::COLUMNS);
    const TABLES: &'static str = TABLES;
    const ID: &'static str = "epics.id";

    fn seen(tx: &Tx<'_>, viewer: &Viewer, group: &Namespace, filter: &EpicFilter) -> Fragment {
        let mut condition = visible(tx, viewer);
        condition.raw(" and ").append(of_group(group, filter));
        narrow(&mut condition, filter);
        condition
    }

    fn expression(by: OrderBy) -> (&'static str, Option<KeyType>) {
        match by {
            OrderBy::CreatedAt => ("epics.created_at", Some(KeyType::Time)),
            OrderBy::UpdatedAt => ("epics.updated_at", Some(KeyType::Time)),
            OrderBy::Title => ("epics.title_folded", Some(KeyType::Text)),
        }
    }

    fn key(&self, by: OrderBy) -> (Value, i64) {
        let key = match by {
            OrderBy::CreatedAt => time_key(self.created_at),
            OrderBy::UpdatedAt => time_key(self.updated_at),
            OrderBy::Title => json!(fold(&self.title)),
        };
        (key, self.id)
    }
}

/// Condition: the epics of a group, perhaps with those of groups above and below.
fn of_group(group: &Namespace, filter: &EpicFilter) -> Fragment {
    let own = match filter.ancestors {
        true => group.ids(),
        false => vec![group.id],
    };
    let mut condition = Fragment::new("(");
    condition.in_list("epics.group_id", own);
    if filter.descendants {
        condition
            .push(" or (namespaces.lineage >= ", &group.lineage)
            .push(" and namespaces.lineage < ", group.lineage_end())
            .raw(")");
    }
    condition.raw(")");
    condition
}

pub(super) fn narrow(sql: &mut Fragment, filter: &EpicFilter) {
    if let Some(state) = filter.state {
        sql.push(" and epics.state = ", state);
    }
    if let Some(confidential) = filter.confidential {
        sql.push(" and epics.confidential = ", confidential);
    }
    EPICS.times(sql, &filter.times);
    EPICS.search(sql, filter.search.as_deref(), (filter.in_title, filter.in_description));
    for (column, wanted) in [("epics.id", &filter.ids), ("epics.parent_id", &filter.parents)] {
        if let Some(wanted) = wanted {
            sql.raw(" and").in_list(column, wanted);
        }
    }
    if let Some(iids) = &filter.iids {
        sql.raw(" and").in_list("epics.iid", iids);
    }
    if let Some(iids) = &filter.not_iids {
        sql.raw(" and not").in_list("epics.iid", iids);
    }
    if let Some((user_id, reaction)) = &filter.reaction {
        sql.raw(" and ").append(EPICS.reacted(*user_id, reaction));
    }
    if let Some((user_id, reaction)) = &filter.not_reaction {
        sql.raw(" and not (").append(EPICS.reacted(*user_id, reaction)).raw(")");
    }
    if filter.impossible {
        sql.raw(" and 1 = 0");
    }
    EPICS.any_of(sql, &filter.any_of);
    if !filter.any_of.assignee_usernames.is_empty() {
        sql.raw(" and 1 = 0");
    }
    all_but(sql, marks(&filter.is), marks(&filter.not));
}

fn marks(marks: &EpicMarks) -> Vec<Fragment> {
    let mut tests = marks.labels.as_ref().map(|titles| EPICS.labels(titles)).unwrap_or_default();
    tests.extend(EPICS.author(marks.author_id, marks.author_username.as_deref()));
    tests
}
