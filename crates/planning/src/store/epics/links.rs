//! Links between epics.

use super::{TABLES, of_condition};
use crate::access::epics::{visible, visible_ids};
use crate::model::LinkType;
use crate::model::epics::{Epic, EpicLink};
use crate::store::issues::filter::Times;
use crate::store::pages::{self, KeyType, List, Order};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::{Paged, Paging};
use serde_json::json;
use spaces::model::Namespace;
use std::collections::HashMap;
use store::{Fragment, Tx, sql};

/// Most links that one epic has.
pub const MOST: i64 = 500;

const COLUMNS: &str = "id, source_id, target_id, link_type, created_at, updated_at";
const SELECT: &str = store::concat!("select ", COLUMNS, " from epic_links ");

/// Links of an epic, in the order they were made.
pub fn of_epic(tx: &mut Tx<'_>, epic_id: i64) -> Result<Vec<EpicLink>> {
    Ok(tx.all(
        sql!(SELECT, "where source_id = $1 union ", SELECT, "where target_id = $1 order by 1"),
        (epic_id,),
    )?)
}

pub fn find(tx: &mut Tx<'_>, epic_id: i64, id: i64) -> Result<Option<EpicLink>> {
    Ok(tx.optional(
        sql!(SELECT, "where id = $2 and (source_id = $1 or target_id = $1)"),
        (epic_id, id),
    )?)
}

/// Links two epics, unless they are linked already.
pub fn insert(
    tx: &mut Tx<'_>,
    source_id: i64,
    target_id: i64,
    link_type: LinkType,
) -> Result<Option<EpicLink>> {
    let now = tx.now();
    Ok(tx.optional(
        sql!(
            "insert into epic_links (source_id, target_id, lower_id, higher_id, link_type,
                created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $6)
             on conflict (lower_id, higher_id) do nothing returning ",
            COLUMNS
        ),
        (
            source_id,
            target_id,
            source_id.min(target_id),
            source_id.max(target_id),
            link_type,
            now,
        ),
    )?)
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from epic_links where id = $1"), (id,))?;
    Ok(())
}

/// Whether one epic blocks another, be it over others between them.
pub fn reaches(tx: &mut Tx<'_>, from: i64, to: i64) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!(
            "with recursive blocked (id) as (
                select target_id from epic_links where source_id = $1 and link_type = 'blocks'
                union
                select l.target_id from blocked join epic_links l on l.source_id = blocked.id
                where l.link_type = 'blocks'
             )
             select id from blocked where id = $2"
        ),
        (from, to),
    )?;
    Ok(found.is_some())
}

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
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    group: &Namespace,
    times: &Times,
    paging: Paging,
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
