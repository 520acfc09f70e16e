//! Epics below an epic, in its order.

use super::issues::Moves;
use super::{Base, EpicRequest, opened, shown};
use crate::entity::epics::{EpicEntity, RelatedToEpics, epic as entity};
use crate::model::epics::Epic;
use crate::rules::epics::change::EpicInput;
use crate::rules::epics::children as rules;
use crate::rules::epics::places::{by_id_to_write, found_to_write};
use crate::store::epics::tree;
use identity::caller::Caller;
use kernel::error::{Found, Result};
use kernel::http::{Created, Flat, Ok200, Paged, Paging, Params, Patch, RequestContext, Routes};
use kernel::ids::Reference;
use std::sync::Arc;
use store::Tx;

pub(super) fn routes(r: &mut Routes, base: Base) {
    // A client calls them links.
    for (below, word) in [("/epics", "child"), ("/links", "link")] {
        let all = base.one(below);
        let one = format!("{all}/{{child_epic_id}}");
        let named = |handler: &str| base.named(&format!("{handler}_{word}"));
        r.get(&all, list).named(&named("list")).summary("Lists the epics below an epic");
        r.post(&all, create)
            .named(&named("create"))
            .summary("Makes an epic below an epic");
        r.post(&one, add).named(&named("add")).summary("Puts an epic below an epic");
        r.put(&one, update)
            .named(&named("move"))
            .summary("Moves an epic in the order of those below an epic");
        r.delete(&one, destroy)
            .named(&named("remove"))
            .summary("Takes an epic out of those below an epic");
    }
}

kernel::params! {
    pub struct ChildPath {
        /// Id of the epic below.
        pub child_epic_id: i64,
    }
}

kernel::params! {
    pub struct CreateChild {
        /// Its title.
        pub title: String,
        /// Seen by reporters of the group only; as the epic above unless told.
        pub confidential: Option<bool>,
    }
}

kernel::params! {
    pub struct MoveChild {
        pub path: Flat<ChildPath>,
        pub to: Flat<Moves>,
    }
}

async fn list(at: EpicRequest, paging: Paging) -> Result<Paged<EpicEntity>> {
    at.read(move |tx, by, _, epic| page(tx, by, &epic, paging)).await
}

fn page(tx: &mut Tx<'_>, by: &Caller, epic: &Epic, paging: Paging) -> Result<Paged<EpicEntity>> {
    let page = tree::children(tx, &by.viewer, epic.id, paging)?;
    let around = RelatedToEpics::read(tx, &by.viewer, Some(epic.group_id), &page.items)?;
    Ok(page.map(|one| entity(&by.app, &one, &around, false)))
}

async fn create(
    at: EpicRequest, request: Arc<RequestContext>, Params(params): Params<CreateChild>,
) -> Result<Created<EpicEntity>> {
    let (by, place) = (at.caller.clone(), at.place.clone());
    let parent = by.read(move |tx, by| found_to_write(tx, &by.viewer, &place)).await;
    let (desk, epic) = parent?;
    let wanted = EpicInput {
        confidential: Some(params.confidential.unwrap_or(epic.confidential)),
        parent_id: Patch::Value(epic.id),
        ..EpicInput::titled(&params.title)
    };
    let group = Reference::Id(desk.group.id);
    let in_list = |tx: &mut Tx<'_>, by: &Caller, made: &Epic| shown(tx, by, made.group_id, made);
    opened(at.caller, request, group, wanted, in_list).await
}

async fn add(at: EpicRequest, path: Params<ChildPath>) -> Result<Created<EpicEntity>> {
    at.write(move |tx, by, _, epic| {
        let found = by_id_to_write(tx, &by.viewer, path.child_epic_id)?;
        let (_, child) = found.found("")?;
        let after = match child.parent_id == Some(epic.id) {
            true => child,
            false => rules::put(tx, &by.viewer, &child, Some(&epic))?,
        };
        shown(tx, by, epic.group_id, &after).map(Created)
    })
    .await
}

async fn update(
    at: EpicRequest, Params(params): Params<MoveChild>, paging: Paging,
) -> Result<Paged<EpicEntity>> {
    at.write(move |tx, by, _, epic| {
        let one = rules::find(tx, &by.viewer, &epic, params.path.child_epic_id)?;
        match params.to.wanted() {
            Some(to) => rules::place(tx, &epic, &one, to)?,
            None => return Err(rules::not_moved("Epic could not be moved!")),
        }
        page(tx, by, &epic, paging.clone())
    })
    .await
}

async fn destroy(at: EpicRequest, path: Params<ChildPath>) -> Result<Ok200<EpicEntity>> {
    at.write(move |tx, by, _, epic| {
        let one = rules::find(tx, &by.viewer, &epic, path.child_epic_id)?;
        let after = rules::put(tx, &by.viewer, &one, None)?;
        shown(tx, by, epic.group_id, &after).map(Ok200)
    })
    .await
}
