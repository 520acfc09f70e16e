//! Lists of epics: whose and in which order.

use super::TABLES;
use crate::access::epics::visible;
use crate::model::epics::Epic;
use crate::model::{IssueState, MAX_NAMED};
use crate::store::contains;
use crate::store::issues::filter::{AnyOf, Has, Times};
use crate::store::pages::{self, KeyType, List, Order, time_key};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::{Paged, Paging};
use kernel::ids::fold;
use serde_json::json;
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

/// One page of the epics of a group that the viewer may see.
pub fn list(
    tx: &mut Tx<'_>, viewer: &Viewer, group: &Namespace, filter: &EpicFilter,
    (by, descending): (OrderBy, bool), paging: Paging,
) -> Result<Paged<Epic>> {
    let condition = passing(tx, viewer, group, filter);
    let (column, key) = match by {
        OrderBy::CreatedAt => ("epics.created_at", KeyType::Time),
        OrderBy::UpdatedAt => ("epics.updated_at", KeyType::Time),
        OrderBy::Title => ("epics.title_folded", KeyType::Text),
    };
    let list = List {
        select: Fragment::new(store::concat!("select ", Epic::COLUMNS)),
        from: Fragment::new(TABLES),
        condition,
        order: Order {
            by: column.into(),
            key: Some(key),
            id: "epics.id",
            descending,
        },
    };
    pages::page(tx, list, paging, |epic: &Epic| {
        let key = match by {
            OrderBy::CreatedAt => time_key(epic.created_at),
            OrderBy::UpdatedAt => time_key(epic.updated_at),
            OrderBy::Title => json!(fold(&epic.title)),
        };
        (key, epic.id)
    })
}

/// How many of the epics of a group that the viewer may see pass, counted no further
/// than lists tell.
pub fn count(
    tx: &mut Tx<'_>, viewer: &Viewer, group: &Namespace, filter: &EpicFilter,
) -> Result<i64> {
    let condition = passing(tx, viewer, group, filter);
    pages::count(tx, &Fragment::new(TABLES), &condition)
}

/// Condition: the epics of a group that the viewer may see and that pass.
pub fn passing(tx: &Tx<'_>, viewer: &Viewer, group: &Namespace, filter: &EpicFilter) -> Fragment {
    let mut condition = visible(tx, viewer);
    condition.raw(" and ").append(of_group(group, filter));
    narrow(&mut condition, filter);
    condition
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
    for (test, at) in [
        (" and epics.created_at >= ", filter.times.created_after),
        (" and epics.created_at <= ", filter.times.created_before),
        (" and epics.updated_at >= ", filter.times.updated_after),
        (" and epics.updated_at <= ", filter.times.updated_before),
        (" and epics.closed_at >= ", filter.times.closed_after),
        (" and epics.closed_at <= ", filter.times.closed_before),
    ] {
        if let Some(at) = at {
            sql.push(test, at);
        }
    }
    if let Some(search) = filter.search.as_deref().filter(|text| !text.is_empty()) {
        let columns: &[&str] = match (filter.in_title, filter.in_description) {
            (true, false) => &["epics.title_folded"],
            (false, true) => &["epics.description_folded"],
            _ => &["epics.title_folded", "epics.description_folded"],
        };
        contains(sql, columns, search);
    }
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
        sql.raw(" and ").append(reacted(*user_id, reaction));
    }
    if let Some((user_id, reaction)) = &filter.not_reaction {
        sql.raw(" and not (").append(reacted(*user_id, reaction)).raw(")");
    }
    if filter.impossible {
        sql.raw(" and 1 = 0");
    }
    any_of(sql, &filter.any_of);
    for test in marks(&filter.is) {
        sql.raw(" and ").append(test);
    }
    for test in marks(&filter.not) {
        sql.raw(" and (").append(test).raw(") is not true");
    }
}

fn any_of(sql: &mut Fragment, any: &AnyOf) {
    if !any.labels.is_empty() {
        sql.raw(
            " and exists (select 1 from epic_labels l join labels on labels.id = l.label_id
                where l.epic_id = epics.id and",
        )
        .in_list("labels.title", any.labels.clone())
        .raw(")");
    }
    if !any.author_usernames.is_empty() {
        let folded: Vec<String> = any.author_usernames.iter().map(|one| fold(one)).collect();
        sql.raw(" and epics.author_id in (select users.id from users where")
            .in_list("users.username_folded", folded)
            .raw(")");
    }
    if !any.assignee_usernames.is_empty() {
        sql.raw(" and 1 = 0");
    }
}

fn marks(marks: &EpicMarks) -> Vec<Fragment> {
    let mut tests = Vec::new();
    match &marks.labels {
        Some(Has::This(titles)) => {
            tests.extend(titles.iter().take(MAX_NAMED).map(|title| {
                let mut test = Fragment::new(
                    "exists (select 1 from epic_labels l join labels on labels.id = l.label_id
                        where l.epic_id = epics.id and labels.title = ",
                );
                test.bind(title).raw(")");
                test
            }));
        }
        Some(any) => {
            let not = if *any == Has::None { "not " } else { "" };
            tests.push(Fragment::new(&format!(
                "{not}exists (select 1 from epic_labels l where l.epic_id = epics.id)"
            )));
        }
        None => {}
    }
    if let Some(id) = marks.author_id {
        let mut test = Fragment::new("epics.author_id = ");
        test.bind(id);
        tests.push(test);
    }
    if let Some(name) = &marks.author_username {
        let mut test = Fragment::new(
            "epics.author_id in (select users.id from users where users.username_folded = ",
        );
        test.bind(fold(name)).raw(")");
        tests.push(test);
    }
    tests
}

fn reacted(user_id: i64, reaction: &Has<String>) -> Fragment {
    let not = if *reaction == Has::None { "not " } else { "" };
    let mut test = Fragment::new(&format!(
        "{not}exists (select 1 from award_emoji e where e.awardable_type = 'Epic'
            and e.awardable_id = epics.id and e.user_id = "
    ));
    test.bind(user_id);
    if let Has::This(name) = reaction {
        test.push(" and e.name = ", name);
    }
    test.raw(")");
    test
}
