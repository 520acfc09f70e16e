//! Links of work items: made and removed by the rules that REST has, of issues with
//! issues and of epics with epics.

use super::super::caller;
use super::WorkItem;
use super::change::spot;
use super::inputs::few;
use crate::access::ProjectAccess;
use crate::access::epics::GroupAccess;
use crate::graph::enums::link_of;
use crate::model::epics::{Epic, WORK_ITEMS};
use crate::model::{Issue, LinkType};
use crate::rules::epics::links as epic_rules;
use crate::rules::epics::places::{EpicPlace, found_signed_in};
use crate::rules::issues::links as issue_rules;
use crate::rules::issues::places::found_to_write;
use crate::store::epics;
use crate::store::issues;
use crate::store::linked_pairs::{EPIC_LINKS, ISSUE_LINKS};
use identity::viewer::Viewer;
use kernel::error::{Error, Result as Outcome};
use kernel::graph::{Context, Done, Fault, Graph, HasTypeRef, STRING, named, object};
use kernel::graph_input;
use kernel::ids::Reference;
use std::sync::Arc;
use store::Tx;

/// An item with what the viewer may do where it is.
pub enum Entered {
    Issue(Box<(ProjectAccess, Issue)>),
    Epic(Box<(GroupAccess, Epic)>),
}

impl Entered {
    pub fn item(self) -> WorkItem {
        match self {
            Entered::Issue(it) => WorkItem::Issue(Arc::new(it.1)),
            Entered::Epic(it) => WorkItem::Epic(Arc::new(it.1.into())),
        }
    }
}

fn no_match() -> Error {
    let text = "No matching work item found. Make sure that you are adding a valid work item ID.";
    Error::invalid("base", text)
}

/// Whether ids are all of issues, or all of epics, as the item is.
fn same_kind(is_epic: bool, ids: &[i64]) -> bool {
    ids.iter().all(|id| (*id > WORK_ITEMS) == is_epic)
}

/// Links an item to others.
pub fn link(
    tx: &mut Tx<'_>, viewer: &Viewer, item: &Entered, ids: &[i64], kind: LinkType,
) -> Outcome<()> {
    if !same_kind(matches!(item, Entered::Epic(_)), ids) {
        let text = "Epics can be linked to epics only, and issues to issues.";
        return Err(Error::invalid("base", text));
    }
    for id in ids {
        match item {
            Entered::Issue(it) => {
                let found = issues::visible_by_ids(tx, viewer, &[*id])?.pop();
                let other = found.ok_or_else(no_match)?;
                let target = (&Reference::Id(other.project_id), other.iid);
                issue_rules::create(tx, viewer, &it.0, &it.1, target, kind)?;
            }
            Entered::Epic(it) => {
                let found = epics::visible_by_ids(tx, viewer, &[*id - WORK_ITEMS])?.pop();
                let other = found.ok_or_else(no_match)?;
                let target = EpicPlace::numbered(Reference::Id(other.group_id), other.iid);
                epic_rules::create(tx, viewer, &it.0, &it.1, &target, kind)?;
            }
        }
    }
    Ok(())
}

/// Removes the links of an item with others. One that the viewer does not see is not
/// linked for them.
fn unlink(tx: &mut Tx<'_>, viewer: &Viewer, item: &Entered, ids: &[i64]) -> Outcome<()> {
    let missing = |error: Error| match error {
        Error::NotFound(_) | Error::NotFoundText(_) => no_match(),
        other => other,
    };
    for id in ids {
        match item {
            Entered::Issue(it) => {
                let links = ISSUE_LINKS.of(tx, it.1.id)?;
                let link = links.iter().find(|link| link.other(it.1.id) == *id);
                let link = link.ok_or_else(no_match)?.id;
                issue_rules::destroy(tx, viewer, &it.0, &it.1, link).map_err(missing)?;
            }
            Entered::Epic(it) => {
                let links = EPIC_LINKS.of(tx, it.1.id)?;
                let link = links.iter().find(|link| link.other(it.1.id) + WORK_ITEMS == *id);
                let link = link.ok_or_else(no_match)?.id;
                epic_rules::destroy(tx, viewer, &it.0, &it.1, link).map_err(missing)?;
            }
        }
    }
    Ok(())
}

struct Linked {
    item: Arc<WorkItem>,
    message: String,
}

graph_input! {
    struct Add {
        /// Which.
        id: i64 = named("WorkItemID").required(),
        /// The others, at most 10.
        work_items_ids: Vec<i64> = named("WorkItemID").required().list().required(),
        /// What this one is to them.
        link_type: Option<String> = named("WorkItemRelatedLinkType") => "RELATED",
    }
}

graph_input! {
    struct Remove {
        /// Which.
        id: i64 = named("WorkItemID").required(),
        /// The others, at most 10.
        work_items_ids: Vec<i64> = named("WorkItemID").required().list().required(),
    }
}

pub fn graph(g: &mut Graph) {
    let text = "Links a work item to others of its kind.";
    g.mutation::<Linked>("workItemAddLinkedItems", text)
        .answers("workItem", object::<WorkItem>("WorkItem"), |it| Some(it.item.clone()))
        .answers("message", STRING, |it| Some(it.message.clone()))
        .handle(|it: Add, context| async move {
            let kind = link_of(it.link_type.as_deref());
            change(it.id, it.work_items_ids, context, "linked", move |tx, viewer, item, ids| {
                link(tx, viewer, item, ids, kind)
            })
            .await
        });
    let text = "Removes links of a work item with others.";
    g.mutation::<Linked>("workItemRemoveLinkedItems", text)
        .answers("workItem", object::<WorkItem>("WorkItem"), |it| Some(it.item.clone()))
        .answers("message", STRING, |it| Some(it.message.clone()))
        .handle(|it: Remove, context| async move {
            change(it.id, it.work_items_ids, context, "unlinked", unlink).await
        });
}

/// Changes the links of an item with others.
async fn change(
    id: i64, ids: Vec<i64>, context: Context, done: &str,
    work: impl Fn(&mut Tx<'_>, &Viewer, &Entered, &[i64]) -> Outcome<()> + Send + Sync + 'static,
) -> Result<Done<Linked>, Fault> {
    let ids = few(ids)?;
    if ids.is_empty() {
        return Err(Error::invalid("base", "workItemsIds cannot be empty.").into());
    }
    let spot = spot(id, &context).await?;
    let (app, viewer) = caller(&context)?;
    let others = ids.clone();
    let change = app.write(move |tx| {
        let item = spot.enter(tx, &viewer)?;
        work(tx, &viewer, &item, &others)?;
        Ok(item)
    });
    let item = change.await?.item();
    context.forget();
    let told: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let message = format!("Successfully {done} ID(s): {}.", told.join(", "));
    Ok(Done::from(Linked { item: Arc::new(item), message }))
}

/// Where an item is.
#[derive(Clone)]
pub enum Spot {
    Issue((Reference, i64)),
    Epic(EpicPlace),
}

impl Spot {
    pub fn enter(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Outcome<Entered> {
        Ok(match self {
            Spot::Issue((project, iid)) => {
                Entered::Issue(Box::new(found_to_write(tx, viewer, project, *iid)?))
            }
            Spot::Epic(place) => Entered::Epic(Box::new(found_signed_in(tx, viewer, place)?)),
        })
    }
}
