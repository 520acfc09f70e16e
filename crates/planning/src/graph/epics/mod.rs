//! The type `Epic`, one by its number, and the epic of an issue. Lists of them are in
//! [`lists`], what has to do with one in [`beside`], mutations in [`change`].

mod beside;
mod change;
mod issues;
mod lists;

pub use beside::{Below, Rights, rights, subscribed};
pub use lists::lines;

use super::enums::EPIC_STATE;
use super::notes::noteable;
use super::prose::{Prose, referred, written};
use super::todos::todoable;
use super::{EPIC_ID, EPIC_LINK_ID, ISSUE_TYPES, by_key, one_of_each};
use crate::model::epics::Epic;
use crate::model::{Issue, color};
use crate::rules::epics::places::EpicPlace;
use crate::rules::epics::said;
use crate::store::ends::End;
use crate::store::epics as rows;
use crate::store::epics::issues::epics_of;
use crate::store::notes::Noteable;
use identity::graph::{People, Person};
use identity::viewer::Viewer;
use kernel::error::Result as Outcome;
use kernel::graph::context::Loader;
use kernel::graph::{
    Args, BOOLEAN, Context, Cost, Fault, Graph, HasTypeRef, ID, INT, ObjectBuilder, STRING, TIME,
    argument, object,
};
use kernel::ids::Reference;
use kernel::time::start_of;
use spaces::graph::{Groups, NamespaceView};
use spaces::model::SourceKind;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;
use store::Tx;

/// An epic, and how it is linked to the one whose links are listed.
pub struct EpicView {
    epic: Epic,
    link: Option<End>,
}

impl Deref for EpicView {
    type Target = Epic;

    fn deref(&self) -> &Epic {
        &self.epic
    }
}

impl From<Epic> for EpicView {
    fn from(epic: Epic) -> EpicView {
        EpicView { epic, link: None }
    }
}

impl EpicView {
    /// The epic as a change names it.
    pub fn place(&self) -> EpicPlace {
        EpicPlace::numbered(Reference::Id(self.group_id), self.iid)
    }

    fn noteable(&self) -> Noteable {
        said::noteable(&self.epic)
    }
}

pub struct Epics;

impl Loader for Epics {
    type Key = i64;
    type Value = Arc<EpicView>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<EpicView>>, Fault> {
        views(&context, ids, rows::visible_by_ids, |epic: Epic| (epic.id, epic)).await
    }
}

/// The epics that issues are in, by issue.
pub struct OfIssues;

impl Loader for OfIssues {
    type Key = i64;
    type Value = Arc<EpicView>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<EpicView>>, Fault> {
        views(&context, ids, epics_of, |found: (i64, Epic)| found).await
    }
}

/// The epics that are read for the viewer, by key; of no ids, none are read.
async fn views<R: IntoIterator + Send + 'static>(
    context: &Context, ids: Vec<i64>, read: fn(&mut Tx<'_>, &Viewer, &[i64]) -> Outcome<R>,
    entry: fn(R::Item) -> (i64, Epic),
) -> Result<HashMap<i64, Arc<EpicView>>, Fault> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let read = move |tx: &mut Tx<'_>, viewer: &Viewer| read(tx, viewer, &ids);
    let view = |row| {
        let (key, epic) = entry(row);
        (key, EpicView::from(epic))
    };
    by_key(context, read, view).await
}

pub fn graph(g: &mut Graph) {
    let it = g.object::<EpicView>("Epic", "Work of many issues, which a group does.");
    let it = dates(marks(texts(it)));
    noteable(it, EpicView::noteable);
    todoable(g.on::<EpicView>("Epic"), "currentUserTodos", EpicView::noteable);
    g.node::<Epics, _>(EPIC_ID, object("Epic"));
    for name in ISSUE_TYPES {
        g.on::<Issue>(name)
            .load::<OfIssues, _>("epic", object::<EpicView>("Epic"), |it| Some(it.id))
            .describe("The epic it is in, if the caller sees that.");
    }
    g.on::<NamespaceView>("Group")
        .level("epic", object::<EpicView>("Epic"), of_groups)
        .describe("One epic; null unless the caller may see it.")
        .cost(Cost::LookedUp)
        .arg(argument("iid", ID.required()).describe("Its number."));
    lists::graph(g);
    issues::graph(g);
    beside::graph(g);
    change::graph(g);
}

fn prose(it: &EpicView) -> Prose<'_> {
    let source = (SourceKind::Group, it.group_id);
    Prose { title: &it.title, text: it.description.as_deref(), source }
}

fn reference(it: &EpicView, full: bool) -> String {
    match full {
        true => it.reference_from(0),
        false => it.reference(),
    }
}

fn texts(it: ObjectBuilder<'_, EpicView>) -> ObjectBuilder<'_, EpicView> {
    let it = it
        .field("id", EPIC_ID.node().required(), |it| it.id)
        .describe("Global ID.")
        .field("iid", ID.required(), |it| it.iid.to_string())
        .describe("Number in its group.")
        .field("title", STRING, |it| Some(it.title.clone()))
        .describe("Its title.");
    referred(written(it, prose, |it| it.path()), reference)
        .load::<People, _>("author", object::<Person>("UserCore"), |it| it.author_id)
        .describe("Who made it; null if their account is gone.")
        .load::<Groups, _>("group", object::<NamespaceView>("Group"), |it| Some(it.group_id))
        .describe("Its group.")
        .never_null()
}

fn marks(it: ObjectBuilder<'_, EpicView>) -> ObjectBuilder<'_, EpicView> {
    it.field("state", EPIC_STATE.required(), |it| it.state)
        .describe("Open or closed.")
        .field("confidential", BOOLEAN, |it| Some(it.confidential))
        .describe("Seen by reporters of the group only.")
        .field("color", STRING, |it| Some(it.color.clone()))
        .describe("Its colour, `#rrggbb`.")
        .field("textColor", STRING, |it| Some(color::text_on(&it.color).to_owned()))
        .describe("What is read well on it.")
        .field("upvotes", INT.required(), |it| it.upvotes)
        .describe("Thumbs up.")
        .field("downvotes", INT.required(), |it| it.downvotes)
        .describe("Thumbs down.")
        .load::<Epics, _>("parent", object::<EpicView>("Epic"), |it| it.parent_id)
        .describe("The epic it stands below, if the caller sees that.")
        .field("relatedEpicLinkId", ID, |it| {
            it.link.as_ref().map(|link| EPIC_LINK_ID.of(link.id))
        })
        .describe("Among related epics: ID of the link.")
        .field("linkType", STRING, |it| it.link.as_ref().map(|link| link.link_type.to_string()))
        .describe("Among related epics: what the other epic is to this one.")
        .field("linkCreatedAt", TIME, |it| it.link.as_ref().map(|link| link.created_at))
        .describe("Among related epics: when they were linked.")
        .field("linkUpdatedAt", TIME, |it| it.link.as_ref().map(|link| link.updated_at))
        .describe("Among related epics: when the link was changed last.")
}

fn dates(it: ObjectBuilder<'_, EpicView>) -> ObjectBuilder<'_, EpicView> {
    it.field("startDate", TIME, |it| it.start_on().map(start_of))
        .describe("The day it begins.")
        .field("startDateIsFixed", BOOLEAN, |it| Some(it.start_is_fixed))
        .describe("Whether it begins on a fixed day, and not with what is below it.")
        .field("startDateFixed", TIME, |it| it.start_on_fixed.map(start_of))
        .describe("The fixed day it begins.")
        .field("startDateFromInheritedSource", TIME, |it| it.start_on_inherited.map(start_of))
        .describe("The earliest day of what is below it.")
        .field("dueDate", TIME, |it| it.due_on().map(start_of))
        .describe("The day it ends.")
        .field("dueDateIsFixed", BOOLEAN, |it| Some(it.due_is_fixed))
        .describe("Whether it ends on a fixed day, and not with what is below it.")
        .field("dueDateFixed", TIME, |it| it.due_on_fixed.map(start_of))
        .describe("The fixed day it ends.")
        .field("dueDateFromInheritedSource", TIME, |it| it.due_on_inherited.map(start_of))
        .describe("The latest day of what is below it.")
        .field("createdAt", TIME, |it| Some(it.created_at))
        .describe("When it was made.")
        .field("updatedAt", TIME, |it| Some(it.updated_at))
        .describe("When it last changed.")
        .field("closedAt", TIME, |it| it.closed_at)
        .describe("When it was closed.")
}

async fn of_groups(
    groups: Vec<Arc<NamespaceView>>, args: Args, context: Context,
) -> Result<Vec<Option<Arc<EpicView>>>, Fault> {
    let iid: String = args.get("iid")?;
    let ids: Vec<i64> = groups.iter().map(|it| it.namespace.id).collect();
    numbered(&ids, super::issue::number(&iid), &context).await
}

/// The epic of this number in each of these groups.
pub async fn numbered(
    groups: &[i64], iid: i64, context: &Context,
) -> Result<Vec<Option<Arc<EpicView>>>, Fault> {
    let read = move |tx: &mut Tx<'_>, viewer: &Viewer, groups: &[i64]| {
        rows::pages::visible_by_iid(tx, viewer, groups, iid)
    };
    let entry = |epic: Epic| (epic.group_id, EpicView::from(epic));
    one_of_each(context, groups.to_vec(), read, entry).await
}
