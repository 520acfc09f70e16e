//! Mutations of work items: issues and epics are made, changed and deleted by the rules
//! that REST has.

use super::super::{caller, writer};
use super::inputs::{Create, New, Update, Wanted};
use super::linking::{Entered, Spot, link};
use super::types::ItemType;
use super::{WorkItem, WorkItems};
use crate::access::ProjectAccess;
use crate::access::epics::GroupAccess;
use crate::guarded;
use crate::model::epics::{Epic, WORK_ITEMS};
use crate::model::{Issue, IssueKind, LinkType};
use crate::rules::epics::places::by_id_to_write;
use crate::rules::epics::{children, issues as epic_issues, requests};
use crate::rules::issues::moves;
use crate::rules::issues::places::found_to_write;
use crate::store::epics::issues as places;
use crate::store::epics::tree::Move;
use crate::store::{epics, issues};
use identity::spam::Guarded;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result as Outcome};
use kernel::graph::input::GraphInput;
use kernel::graph::{
    Context, Done, Fault, Graph, HasTypeRef, ID, Mark, STRING, argument, named, object,
};
use kernel::graph_input;
use kernel::ids::Reference;
use spaces::graph::{NamespaceView, Namespaces};
use std::sync::Arc;
use store::Tx;

struct Changed(Arc<WorkItem>);

graph_input! {
    struct Delete {
        /// Which.
        id: i64 = named("WorkItemID").required(),
    }
}

/// Where a work item was that is gone.
struct Deleted(Option<Arc<NamespaceView>>);

pub fn graph(g: &mut Graph) {
    let renamed = |replacement| Mark::Deprecated {
        reason: "Replaced by an argument that fits all work items",
        milestone: if replacement == "namespacePath" {
            "15.10"
        } else {
            "16.9"
        },
        replacement: Some(replacement),
    };
    let mut mutation = g
        .mutation::<Changed>("workItemCreate", "Makes a work item.")
        .answers("workItem", object::<WorkItem>("WorkItem"), |it| Some(it.0.clone()))
        .input(
            argument("projectPath", ID)
                .describe("Full path of the project.")
                .mark(renamed("namespacePath")),
        )
        .input(
            argument("description", STRING)
                .describe("Its description, in Markdown.")
                .mark(renamed("descriptionWidget")),
        );
    for field in New::arguments() {
        mutation = mutation.input(field);
    }
    mutation.run(create);
    g.mutation::<Changed>("workItemUpdate", "Changes a work item.")
        .answers("workItem", object::<WorkItem>("WorkItem"), |it| Some(it.0.clone()))
        .handle(update);
    g.mutation::<Deleted>("workItemDelete", "Deletes a work item.")
        .answers("namespace", object::<NamespaceView>("Namespace"), |it| it.0.clone())
        .handle(delete);
}

/// Where the work item of an id is that the caller sees.
pub async fn spot(id: i64, context: &Context) -> Result<Spot, Fault> {
    let item = context.load::<WorkItems>([id]).await?.remove(&id);
    let item = item.ok_or_else(Fault::not_available)?;
    Ok(match &*item {
        WorkItem::Issue(issue) => Spot::Issue((Reference::Id(issue.project_id), issue.iid)),
        WorkItem::Epic(epic) => Spot::Epic(epic.place()),
    })
}

fn done(item: Entered, context: &Context) -> Done<Changed> {
    context.forget();
    Done::from(Changed(Arc::new(item.item())))
}

/// What is done with an item beside what is said of it.
#[derive(Clone)]
struct After {
    viewer: Viewer,
    links: (Vec<i64>, LinkType),
    children: Vec<i64>,
    beside: Option<(i64, bool)>,
}

impl After {
    fn take(wanted: &mut Wanted, viewer: Viewer) -> Result<After, Fault> {
        let links = wanted.links()?;
        let (children, beside) = (wanted.children.clone(), wanted.beside.take());
        Ok(After { viewer, links, children, beside })
    }

    fn issue(&self, tx: &mut Tx<'_>, desk: ProjectAccess, issue: Issue) -> Outcome<Entered> {
        let entered = Entered::Issue(Box::new((desk, issue)));
        link(tx, &self.viewer, &entered, &self.links.0, self.links.1)?;
        if let (Some(beside), Entered::Issue(it)) = (self.beside, &entered) {
            if !it.0.is_reporter() {
                return Err(Error::forbidden(""));
            }
            self.place_issue(tx, &it.1, beside)?;
        }
        Ok(entered)
    }

    /// Moves an issue beside another of the same epic.
    fn place_issue(&self, tx: &mut Tx<'_>, issue: &Issue, to: (i64, bool)) -> Outcome<()> {
        issues::visible_by_ids(tx, &self.viewer, &[to.0])?.pop().ok_or_else(not_moved)?;
        let (one, other) = (places::of_issue(tx, issue.id)?, places::of_issue(tx, to.0)?);
        let (Some(one), Some(other)) = (one, other) else {
            return Err(not_moved());
        };
        by_id_to_write(tx, &self.viewer, one.epic_id)?.ok_or_else(not_moved)?;
        match places::place(tx, &one, side(other.id, to.1))? {
            true => Ok(()),
            false => Err(not_moved()),
        }
    }

    fn epic(&self, tx: &mut Tx<'_>, desk: GroupAccess, epic: Epic) -> Outcome<Entered> {
        for child in &self.children {
            self.put_below(tx, &epic, *child)?;
        }
        if let Some((other, before)) = self.beside {
            let parent = epic.parent_id.ok_or_else(not_moved)?;
            let (_, parent) = by_id_to_write(tx, &self.viewer, parent)?.ok_or_else(not_moved)?;
            let other = epics::visible_by_ids(tx, &self.viewer, &[other - WORK_ITEMS])?.pop();
            let other = other.ok_or_else(not_moved)?;
            let to = side(other.id, before);
            children::place(tx, &parent, &epic, to).map_err(|_| not_moved())?;
        }
        let epic = epics::by_id(tx, epic.id)?.found("")?;
        let entered = Entered::Epic(Box::new((desk, epic)));
        link(tx, &self.viewer, &entered, &self.links.0, self.links.1)?;
        Ok(entered)
    }

    /// Puts something below an epic that the viewer changes.
    fn put_below(&self, tx: &mut Tx<'_>, epic: &Epic, child: i64) -> Outcome<()> {
        let missing = || {
            let text = "No matching work item found. Make sure that you are adding a valid work \
                item ID.";
            Error::invalid("base", text)
        };
        let viewer = &self.viewer;
        if child > WORK_ITEMS {
            let found = by_id_to_write(tx, viewer, child - WORK_ITEMS)?;
            let (_, child) = found.ok_or_else(missing)?;
            return match child.parent_id == Some(epic.id) {
                true => Ok(()),
                false => children::put(tx, viewer, &child, Some(epic)).map(drop),
            };
        }
        let issue = issues::visible_by_ids(tx, viewer, &[child])?.pop().ok_or_else(missing)?;
        let project = Reference::Id(issue.project_id);
        let (desk, issue) = found_to_write(tx, viewer, &project, issue.iid)?;
        if !desk.is_reporter() {
            return Err(Error::forbidden(""));
        }
        epic_issues::set(tx, viewer.user_id(), &issue, Some(epic))
    }
}

fn side(id: i64, before: bool) -> Move {
    match before {
        true => Move::Before(id),
        false => Move::After(id),
    }
}

fn not_moved() -> Error {
    Error::invalid("base", "The work item could not be moved.")
}

async fn create(it: Create, context: Context) -> Result<Done<Changed>, Fault> {
    let mut made = it.wanted()?;
    let Some(kind) = ItemType::numbered(made.type_id) else {
        return Err(Error::invalid("base", "There is no such type of work items.").into());
    };
    let (app, viewer) = caller(&context)?;
    let after = After::take(&mut made.wanted, viewer)?;
    let (writer, place) = (writer(&context)?, Reference::Path(made.path));
    let item = match kind.issue() {
        Some(issue_kind) => {
            let mut input = made.wanted.of_issue(kind.name())?;
            input.kind = Some(issue_kind).filter(|kind| *kind != IssueKind::Issue);
            let then = move |tx: &mut Tx<'_>, desk, issue| after.issue(tx, desk, issue);
            guarded::open(&app, writer, place, input, then).await?
        }
        None => {
            let input = made.wanted.of_epic()?;
            let then = move |tx: &mut Tx<'_>, desk, epic| after.epic(tx, desk, epic);
            guarded::open(&app, writer, place, input, then).await?
        }
    };
    Ok(done(item.mutated()?, &context))
}

async fn update(it: Update, context: Context) -> Result<Done<Changed>, Fault> {
    let id = it.id;
    let spot = spot(id, &context).await?;
    let mut wanted = it.wanted()?;
    let (app, viewer) = caller(&context)?;
    let after = After::take(&mut wanted, viewer.clone())?;
    let writer = writer(&context)?;
    let item = match spot {
        Spot::Issue(place) => {
            let input = wanted.of_issue("Issue")?;
            let then = move |tx: &mut Tx<'_>, desk, issue| after.issue(tx, desk, issue);
            guarded::edit(&app, writer, place, input, then).await?
        }
        Spot::Epic(place) => {
            let input = wanted.of_epic()?;
            let then = move |tx: &mut Tx<'_>, desk, epic| after.epic(tx, desk, epic);
            match input.is_empty() {
                true => {
                    let change = move |tx: &mut Tx<'_>| {
                        let found = crate::rules::epics::places::found_to_write;
                        let (desk, epic) = found(tx, &viewer, &place)?;
                        then(tx, desk, epic)
                    };
                    Guarded::Made(app.write(change).await?)
                }
                false => guarded::edit(&app, writer, place, input, then).await?,
            }
        }
    };
    Ok(done(item.mutated()?, &context))
}

async fn delete(it: Delete, context: Context) -> Result<Done<Deleted>, Fault> {
    let spot = spot(it.id, &context).await?;
    let (app, viewer) = caller(&context)?;
    let work = app.write(move |tx| match spot.enter(tx, &viewer)? {
        Entered::Issue(it) => {
            moves::destroy(tx, &viewer, &it.0, &it.1)?;
            Ok(it.0.project.namespace_id)
        }
        Entered::Epic(it) => {
            requests::destroy(tx, &viewer, &it.0, &it.1)?;
            Ok(it.0.group.id)
        }
    });
    let namespace = work.await?;
    context.forget();
    let found = context.load::<Namespaces>([namespace]).await?.remove(&namespace);
    Ok(Done::from(Deleted(found)))
}
