//! What has to do with work items: issues with issues, epics with epics.

use super::super::{Pages, caller, uncounted};
use super::widgets::{Widget, items, of};
use super::{WorkItem, WorkItems, each};
use crate::graph::epics::EpicView;
use crate::model::epics::{ItemKind, WORK_ITEMS};
use crate::model::{Issue, LinkType};
use crate::store::ends::{self as rows, End};
use kernel::graph::context::Loader;
use kernel::graph::{
    Args, Ask, BOOLEAN, Context, Fault, GlobalId, Graph, HasTypeRef, ID, INT, Key, Order, STRING,
    TIME, argument, named, object,
};
use std::collections::HashMap;
use std::sync::Arc;

/// A link of a work item; of epics beyond the number that tells them from issues.
const LINK_ID: GlobalId =
    GlobalId::new("WorkItemsRelatedWorkItemLinkID", "WorkItems::RelatedWorkItemLink");

/// What is at the other end of a link.
struct LinkedItem {
    link_id: i64,
    link: End,
    item: Arc<WorkItem>,
}

/// What tells ids of this kind from others.
fn beyond(of: ItemKind) -> i64 {
    match of {
        ItemKind::Issue => 0,
        ItemKind::Epic => WORK_ITEMS,
    }
}

pub fn graph(g: &mut Graph) {
    g.object::<LinkedItem>("LinkedWorkItemType", "A work item that has to do with another.")
        .field("linkId", ID.required(), |it| LINK_ID.of(it.link_id))
        .describe("Global ID of the link.")
        .field("linkType", STRING.required(), |it| it.link.link_type.to_string())
        .describe("What the other is to this one: `relates_to`, `blocks`, `is_blocked_by`.")
        .field("linkCreatedAt", TIME.required(), |it| it.link.created_at)
        .describe("When they were linked.")
        .field("linkUpdatedAt", TIME.required(), |it| it.link.updated_at)
        .describe("When the link was changed last.")
        .field("workItem", object::<WorkItem>("WorkItem"), |it| Some(it.item.clone()))
        .describe("This one.");
    of(g, "LINKED_ITEMS")
        .connections("linkedItems", object::<LinkedItem>("LinkedWorkItemType"), linked)
        .describe("What has to do with it and the caller sees, in the order it was linked.")
        .arg(argument("filter", named("WorkItemRelatedLinkType")).describe("Only such links."))
        .level(
            "blocked",
            BOOLEAN.required(),
            |widgets: Vec<Arc<Widget>>, _, context| async move {
                let found = blocks(&widgets, &context).await?;
                Ok(found.iter().map(|it| it.0 > 0).collect())
            },
        )
        .describe("Whether something open that the caller sees blocks it.")
        .level("blockedByCount", INT, |widgets: Vec<Arc<Widget>>, _, context| async move {
            let found = blocks(&widgets, &context).await?;
            Ok(found.iter().map(|it| Some(it.0)).collect())
        })
        .describe("How many open ones that the caller sees block it.")
        .level("blockingCount", INT, |widgets: Vec<Arc<Widget>>, _, context| async move {
            let found = blocks(&widgets, &context).await?;
            Ok(found.iter().map(|it| Some(it.1)).collect())
        })
        .describe("How many open ones that the caller sees it blocks.");
}

/// How many open ones block each item, and how many it blocks, by the item's id.
struct Blocks;

impl Loader for Blocks {
    type Key = i64;
    type Value = (i64, i64);

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, (i64, i64)>, Fault> {
        let (app, viewer) = caller(&context)?;
        let found = app.read(move |tx| {
            let mut found = HashMap::new();
            for of in [ItemKind::Issue, ItemKind::Epic] {
                let mine = ids.iter().filter(|id| (**id > WORK_ITEMS) == (of == ItemKind::Epic));
                let mine: Vec<i64> = mine.map(|id| id - beyond(of)).collect();
                if !mine.is_empty() {
                    let counts = rows::blocks(tx, &viewer, of, &mine)?.into_iter();
                    found.extend(counts.map(|(id, counts)| (id + beyond(of), counts)));
                }
            }
            Ok(found)
        });
        Ok(found.await?)
    }
}

async fn blocks(widgets: &[Arc<Widget>], context: &Context) -> Result<Vec<(i64, i64)>, Fault> {
    let items = items(widgets);
    let found = context.load::<Blocks>(items.iter().map(WorkItem::id)).await?;
    Ok(items
        .iter()
        .map(|it| found.get(&it.id()).copied().unwrap_or_default())
        .collect())
}

async fn linked(
    widgets: Vec<Arc<Widget>>, ask: Ask, args: Args, context: Context,
) -> Pages<LinkedItem> {
    let kind: Option<String> = args.get("filter")?;
    let kind = kind.map(|name| crate::graph::enums::link_of(Some(&name)));
    let found = |of, ids| pages(of, ids, kind, ask.clone(), context.clone());
    let of_issues =
        |all: Vec<Arc<Issue>>| found(ItemKind::Issue, all.iter().map(|it| it.id).collect());
    let of_epics =
        |all: Vec<Arc<EpicView>>| found(ItemKind::Epic, all.iter().map(|it| it.id).collect());
    each(items(&widgets), of_issues, of_epics).await
}

async fn pages(
    of: ItemKind, ids: Vec<i64>, kind: Option<LinkType>, ask: Ask, context: Context,
) -> Pages<LinkedItem> {
    let window = ask.window(&context, "linked items", &[Key::int("ends.id", Order::Asc)])?;
    let (app, viewer) = caller(&context)?;
    let asked = ids.clone();
    let read = app.read(move |tx| {
        let found = rows::pages_of(tx, &viewer, of, &asked, kind, &window)?;
        Ok((found, window))
    });
    let (found, window) = read.await?;
    let others = found.iter().map(|one| one.row.other_id + beyond(of));
    let others: Vec<i64> = others.collect();
    let items = context.load::<WorkItems>(others).await?;
    let whole = found.into_iter().filter_map(|one| {
        let item = items.get(&(one.row.other_id + beyond(of)))?.clone();
        Some(one.map(|link| LinkedItem { link_id: link.id + beyond(of), link, item }))
    });
    let keys = |it: &LinkedItem| vec![it.link.id.into()];
    Ok(uncounted(window.pages(&ids, whole.collect(), keys)))
}
