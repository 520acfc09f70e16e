//! Which groups a list holds, and in which order.

use super::super::Caller;
use crate::access::{self, GUEST, OWNER, Purpose};
use crate::entities::{self, GroupEntity};
use crate::model::{Namespace, Sort, Visibility};
use crate::store as lists;
use crate::store::filters::search_groups;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::http::{Flat, Paged, Paging, Start};
use kernel::ids::{Reference, fold};
use serde_json::json;
use store::{Fragment, Tx};

kernel::choices! {
    /// Orders of groups.
    pub enum GroupOrder { Name = "name", Path = "path", Id = "id", Similarity = "similarity" }
}

kernel::params! {
    /// Filters of every list of groups.
    pub struct GroupFilter {
        /// Not these groups.
        pub skip_groups: Option<Vec<i64>>,
        /// All groups the caller may see, not only their own.
        pub all_available: Option<bool>,
        /// In name or path.
        pub search: Option<String>,
        /// What to sort by.
        pub order_by: Option<GroupOrder>,
        /// Direction.
        pub sort: Option<Sort>,
        /// Only groups the caller owns.
        pub owned: Option<bool>,
        /// Only groups where the caller has at least this role.
        pub min_access_level: Option<i64>,
    }
}

kernel::params! {
    /// Further filters of every list of groups.
    pub struct GroupDetails {
        /// With bytes in use, where the caller owns the group.
        pub statistics: Option<bool>,
        /// Only of this visibility.
        pub visibility: Option<Visibility>,
    }
}

kernel::params! {
    /// Filters of a list of groups.
    pub struct ListGroups {
        pub filter: Flat<GroupFilter>,
        /// Only groups without a parent.
        pub top_level_only: Option<bool>,
        pub details: Flat<GroupDetails>,
    }
}

kernel::params! {
    /// A group and filters of the groups below it.
    pub struct ListBelow {
        /// Id or path of the group.
        pub id: Reference,
        pub filter: Flat<GroupFilter>,
        pub details: Flat<GroupDetails>,
    }
}

/// The groups below one, or right below it.
pub(super) async fn below(
    by: Caller, params: ListBelow, paging: Paging, children_only: bool,
) -> Result<Paged<GroupEntity>> {
    let mut list = ListGroups {
        filter: params.filter,
        top_level_only: None,
        details: params.details,
    };
    // Inside a visible group everything visible is listed.
    list.filter.0.all_available = Some(true);
    by.read(move |tx, by| {
        let top = access::group(tx, &by.viewer, &params.id, Purpose::Read)?;
        let mut place = Fragment::default();
        match children_only {
            true => place.push("namespaces.parent_id = ", top.id),
            false => place
                .push("namespaces.lineage > ", &top.lineage)
                .push(" and namespaces.lineage < ", top.lineage_end()),
        };
        page(tx, by, &list, paging, place)
    })
    .await
}

/// One page of the groups of a place.
pub(super) fn page(
    tx: &mut Tx<'_>, by: &Caller, list: &ListGroups, paging: Paging, place: Fragment,
) -> Result<Paged<GroupEntity>> {
    let filter = &list.filter;
    let mut condition = condition(tx, &by.viewer, list, place);
    let order = filter.order_by.unwrap_or(GroupOrder::Name);
    let direction = filter.sort.unwrap_or(Sort::Asc);
    if paging.is_keyset() && (order != GroupOrder::Name || direction != Sort::Asc) {
        return Err(keyset_unavailable());
    }
    let total = match paging.is_keyset() {
        true => None,
        false => Some(lists::count(tx, "namespaces", &condition)?),
    };
    if let Start::After(Some(keys)) = &paging.start {
        after_name(&mut condition, keys)?;
    }
    let column = match order {
        GroupOrder::Name | GroupOrder::Similarity => "namespaces.name_folded",
        GroupOrder::Path => "namespaces.full_path_folded",
        GroupOrder::Id => "namespaces.id",
    };
    let order = format!("{column} {direction}, namespaces.id {direction}");
    let rows = lists::namespaces(tx, &condition, &order, paging.fetch(), paging.offset())?;
    let mut statistics = match list.details.statistics {
        Some(true) => entities::group_statistics(tx, &by.viewer, &rows)?,
        _ => Default::default(),
    };
    let paged = match total {
        Some(_) => Paged::numbered(rows, paging, total),
        None => Paged::keyed(rows, paging, |row: &Namespace| {
            vec![json!(fold(&row.name)), json!(row.id)]
        }),
    };
    Ok(paged.map(|row| {
        let mut entity = entities::group(by, &row);
        entity.statistics = statistics.remove(&row.id);
        entity
    }))
}

fn after_name(condition: &mut Fragment, keys: &[serde_json::Value]) -> Result<()> {
    let (Some(name), Some(id)) = (
        keys.first().and_then(|key| key.as_str()),
        keys.get(1).and_then(|key| key.as_i64()),
    ) else {
        return Err(unknown_cursor());
    };
    condition
        .push(" and (namespaces.name_folded > ", name)
        .push(" or (namespaces.name_folded = ", name)
        .push(" and namespaces.id > ", id)
        .raw("))");
    Ok(())
}

/// A cursor of another list.
pub fn unknown_cursor() -> Error {
    Error::Parameters(vec!["cursor does not have a valid value".into()])
}

/// Orders in which pages cannot be found by key.
pub fn keyset_unavailable() -> Error {
    let text = "Keyset pagination is not yet available for this type of request";
    Error::Exact(405, json!({"error": text, "message": text}))
}

fn condition(tx: &Tx<'_>, viewer: &Viewer, list: &ListGroups, place: Fragment) -> Fragment {
    let filter = &list.filter;
    let mut condition = access::visible_groups(tx, viewer);
    condition.raw(" and (").append(place).raw(")");
    let user_id = viewer.user_id();
    let least = match filter.owned.unwrap_or(false) {
        true => Some(OWNER),
        false => filter.min_access_level,
    };
    match (user_id, least) {
        (Some(user_id), Some(level)) => {
            condition.raw(" and ").append(access::groups_of(tx, user_id, level));
        }
        (None, Some(_)) => {
            condition.raw(" and false");
        }
        (Some(user_id), None) if !filter.all_available.unwrap_or(viewer.is_admin()) => {
            condition.raw(" and ").append(access::groups_joined(tx, user_id, GUEST));
        }
        _ => {}
    }
    search_groups(&mut condition, filter.search.as_deref());
    if let Some(skipped) = &filter.skip_groups {
        condition.raw(" and namespaces.id not in_list(").bind(skipped).raw(")");
    }
    if list.top_level_only.unwrap_or(false) {
        condition.raw(" and namespaces.parent_id is null");
    }
    if let Some(visibility) = list.details.visibility {
        condition.push(" and namespaces.visibility = ", visibility.level());
    }
    condition
}
