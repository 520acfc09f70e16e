//! Who takes part in work items, and who is told of them.

use super::super::{Pages, epics, mapped, standing, taking_part};
use super::each;
use super::widgets::{Widget, items, of};
use crate::graph::epics::EpicView;
use crate::model::Issue;
use crate::model::epics::ItemKind;
use crate::store::epics::list::EPICS;
use crate::store::listed::ISSUES;
use crate::store::taking_part::WithPeople;
use identity::graph::Person;
use kernel::graph::{Args, Ask, BOOLEAN, Context, Graph, HasTypeRef, object};
use std::sync::Arc;

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
    let of: WithPeople = match of {
        ItemKind::Issue => (ISSUES, &["assignees"]),
        ItemKind::Epic => (EPICS, &[]),
    };
    let (pages, people) = taking_part(of, &ids, ask, &context).await?;
    let person = |id: &i64| people.get(id).cloned();
    Ok(pages.into_iter().map(|page| Some(mapped(page, person))).collect())
}
