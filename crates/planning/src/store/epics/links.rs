//! Links between epics of a group.

use super::{TABLES, of_condition};
use crate::access::epics::{visible, visible_ids};
use crate::model::epics::{Epic, EpicLink};
use crate::store::issues::filter::Times;
use crate::store::linked_pairs::COLUMNS;
use crate::store::pages::{self, KeyType, List, Order};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::{Paged, Paging};
use serde_json::json;
use spaces::model::Namespace;
use std::collections::HashMap;
use store::{Fragment, Tx};

/// Condition on `epics` joined with `namespaces`: those of a group and the groups
/// below it that the viewer may see.
fn below(tx: &Tx<'_>, viewer: &Viewer, group: &Namespace) -> Fragment {
    let mut ids = Fragment::new(&format!(" (select epics.id from {TABLES} where "));
    ids.append(visible(tx, viewer))
        .push(" and namespaces.lineage >= ", &group.lineage)
        .push(" and namespaces.lineage < ", group.lineage_end())
        .raw(")");
    ids
}

/// One page of the links that an epic of a group, or of a group below it, has, of
/// which the viewer may see both ends.
pub fn of_group(
    tx: &mut Tx<'_>, viewer: &Viewer, group: &Namespace, (times, paging): (&Times, Paging),
) -> Result<Paged<EpicLink>> {
    let mut condition = Fragment::new("epic_links.source_id in");
    condition
        .append(visible_ids(tx, viewer))
        .raw(" and epic_links.target_id in")
        .append(visible_ids(tx, viewer))
        .raw(" and (epic_links.source_id in")
        .append(below(tx, viewer, group))
        .raw(" or epic_links.target_id in")
        .append(below(tx, viewer, group))
        .raw(")");
    for (test, at) in [
        (" and epic_links.created_at >= ", times.created_after),
        (" and epic_links.created_at <= ", times.created_before),
        (" and epic_links.updated_at >= ", times.updated_after),
        (" and epic_links.updated_at <= ", times.updated_before),
    ] {
        if let Some(at) = at {
            condition.push(test, at);
        }
    }
    let list = List {
        select: Fragment::new(store::concat!("select ", COLUMNS)),
        from: Fragment::new("epic_links"),
        condition,
        order: Order {
            by: "epic_links.id".into(),
            key: Some(KeyType::Int),
            id: "epic_links.id",
            descending: false,
        },
    };
    pages::page(tx, list, paging, |link: &EpicLink| (json!(link.id), link.id))
}

/// Both ends of some links, by id, unjudged.
pub fn ends(tx: &mut Tx<'_>, links: &[EpicLink]) -> Result<HashMap<i64, Epic>> {
    let ids: Vec<i64> = links.iter().flat_map(|link| [link.source_id, link.target_id]).collect();
    let mut condition = Fragment::default();
    condition.in_list("epics.id", ids);
    let epics = of_condition(tx, condition)?;
    Ok(epics.into_iter().map(|epic| (epic.id, epic)).collect())
}
