//! Who takes part in work items, and who is told of them.

use super::super::{Pages, epics, mapped, read_pages, standing};
use super::each;
use super::widgets::{Widget, items, of};
use crate::graph::epics::EpicView;
use crate::model::Issue;
use crate::model::epics::ItemKind;
use crate::store::items::{self as rows, Participant};
use identity::graph::{People, Person};
use identity::viewer::Viewer;
use kernel::graph::{Args, Ask, BOOLEAN, Context, Graph, HasTypeRef, Key, Order, Window, object};
use std::sync::Arc;
use store::Tx;

pub fn graph(g: &mut Graph) {
    of(g, "PARTICIPANTS")
        .connections("participants", object::<Person>("UserCore"), participants)
        .describe("Its author, who is assigned, and who wrote about it what the caller sees.");
    of(g, "NOTIFICATIONS")
        .level(
            "subscribed",
            BOOLEAN.required(),
            |widgets: Vec<Arc<Widget>>, _, context| async move {
                let of_issues = |all| standing::subscribed(all, context.clone());
                let of_epics = |all| epics::subscribed(all, context.clone());
                each(items(&widgets), of_issues, of_epics).await
            },
        )
        .describe("Whether the caller is told of it.");
}

async fn participants(
    widgets: Vec<Arc<Widget>>, ask: Ask, _: Args, context: Context,
) -> Pages<Person> {
    let found = |of, ids| page(of, ids, ask.clone(), context.clone());
    let of_issues =
        |all: Vec<Arc<Issue>>| found(ItemKind::Issue, all.iter().map(|it| it.id).collect());
    let of_epics =
        |all: Vec<Arc<EpicView>>| found(ItemKind::Epic, all.iter().map(|it| it.id).collect());
    each(items(&widgets), of_issues, of_epics).await
}

async fn page(of: ItemKind, ids: Vec<i64>, ask: Ask, context: Context) -> Pages<Person> {
    let key = Key::int("people.user_id", Order::Asc);
    let window = ask.window(&context, "participants", &[key])?;
    let asked = ids.clone();
    let read = move |tx: &mut Tx<'_>, viewer: &Viewer, window: &Window| {
        rows::participants(tx, viewer, of, &asked, window)
    };
    let keys = |it: &Participant| vec![it.user_id.into()];
    let pages = read_pages(&context, window, &ids, read, keys).await?;
    let named = pages.iter().flat_map(|page| page.rows.iter().map(|(row, _)| row.user_id));
    let named: Vec<i64> = named.collect();
    let people = context.load::<People>(named).await?;
    let person = |it: &Participant| people.get(&it.user_id).cloned();
    Ok(pages.into_iter().map(|page| Some(mapped(page, person))).collect())
}
