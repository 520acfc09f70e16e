//! The type `WorkItem`: an issue or an epic, whichever, and one by its ID or number.
//! Lists are in [`lists`], what is said of one in [`widgets`], mutations in [`change`].

mod change;
mod inputs;
mod linked;
mod linking;
mod lists;
mod people;
mod references;
mod rights;
mod types;
mod widgets;

use super::enums::ITEM_STATE;
use super::epics::{EpicView, Epics};
use super::{ISSUE_ID, Issues, WORK_ITEM, caller, html, referred};
use crate::model::epics::WORK_ITEMS;
use crate::model::{Issue, IssueState};
use crate::store::issues as rows;
use crate::store::items::Item;
use identity::graph::{People, Person};
use kernel::graph::context::Loader;
use kernel::graph::scalars::split;
use kernel::graph::{
    Args, BOOLEAN, Context, Cost, Fault, GlobalId, Graph, HasTypeRef, ID, INT, ObjectBuilder,
    STRING, TIME, argument, named, object,
};
use kernel::markup;
use kernel::time::Timestamp;
use serde_json::{Value as Json, json};
use spaces::graph::{NamespaceView, Namespaces, ProjectView as Project, Projects};
use spaces::model::SourceKind;
use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use types::ItemType;
use widgets::Widget;

pub const WORK_ITEM_ID: GlobalId = GlobalId::new("WorkItemID", WORK_ITEM);

#[derive(Clone)]
pub enum WorkItem {
    Issue(Arc<Issue>),
    Epic(Arc<EpicView>),
}

impl From<Item> for WorkItem {
    fn from(item: Item) -> WorkItem {
        match item {
            Item::Issue(issue) => WorkItem::Issue(Arc::new(*issue)),
            Item::Epic(epic) => WorkItem::Epic(Arc::new((*epic).into())),
        }
    }
}

impl WorkItem {
    pub fn id(&self) -> i64 {
        match self {
            WorkItem::Issue(issue) => issue.id,
            WorkItem::Epic(epic) => epic.id + WORK_ITEMS,
        }
    }

    fn iid(&self) -> i64 {
        match self {
            WorkItem::Issue(issue) => issue.iid,
            WorkItem::Epic(epic) => epic.iid,
        }
    }

    fn title(&self) -> &str {
        match self {
            WorkItem::Issue(issue) => &issue.title,
            WorkItem::Epic(epic) => &epic.title,
        }
    }

    fn description(&self) -> Option<String> {
        match self {
            WorkItem::Issue(issue) => issue.description.clone(),
            WorkItem::Epic(epic) => epic.description.clone(),
        }
    }

    /// The project or group whose files its description shows.
    fn source(&self) -> (SourceKind, i64) {
        match self {
            WorkItem::Issue(issue) => (SourceKind::Project, issue.project_id),
            WorkItem::Epic(epic) => (SourceKind::Group, epic.group_id),
        }
    }

    fn state(&self) -> IssueState {
        match self {
            WorkItem::Issue(issue) => issue.state,
            WorkItem::Epic(epic) => epic.state,
        }
    }

    fn kind(&self) -> ItemType {
        match self {
            WorkItem::Issue(issue) => ItemType::of(issue.kind),
            WorkItem::Epic(_) => ItemType::Epic,
        }
    }

    fn confidential(&self) -> bool {
        match self {
            WorkItem::Issue(issue) => issue.confidential,
            WorkItem::Epic(epic) => epic.confidential,
        }
    }

    fn author_id(&self) -> Option<i64> {
        match self {
            WorkItem::Issue(issue) => issue.author_id,
            WorkItem::Epic(epic) => epic.author_id,
        }
    }

    /// When it was made, changed last, and closed.
    fn times(&self) -> (Timestamp, Timestamp, Option<Timestamp>) {
        match self {
            WorkItem::Issue(issue) => (issue.created_at, issue.updated_at, issue.closed_at),
            WorkItem::Epic(epic) => (epic.created_at, epic.updated_at, epic.closed_at),
        }
    }

    fn path(&self) -> String {
        match self {
            WorkItem::Issue(issue) => issue.path(),
            WorkItem::Epic(epic) => epic.path(),
        }
    }

    /// How texts name it, there or anywhere.
    fn reference(&self, full: bool) -> String {
        match (self, full) {
            (WorkItem::Issue(issue), true) => format!("{}#{}", issue.project_path, issue.iid),
            (WorkItem::Issue(issue), false) => format!("#{}", issue.iid),
            (WorkItem::Epic(epic), true) => epic.reference_from(0),
            (WorkItem::Epic(epic), false) => epic.reference(),
        }
    }

    fn project_id(&self) -> Option<i64> {
        match self {
            WorkItem::Issue(issue) => Some(issue.project_id),
            WorkItem::Epic(_) => None,
        }
    }
}

/// The answers of both kinds in the order of the items. A kind that is not among them is
/// not asked for.
async fn each<T, I, E>(
    items: Vec<WorkItem>, of_issues: impl FnOnce(Vec<Arc<Issue>>) -> I,
    of_epics: impl FnOnce(Vec<Arc<EpicView>>) -> E,
) -> Result<Vec<T>, Fault>
where
    I: Future<Output = Result<Vec<T>, Fault>>,
    E: Future<Output = Result<Vec<T>, Fault>>,
{
    let (mut issues, mut epics) = (Vec::new(), Vec::new());
    for item in &items {
        match item {
            WorkItem::Issue(issue) => issues.push(issue.clone()),
            WorkItem::Epic(epic) => epics.push(epic.clone()),
        }
    }
    let issues = match issues.is_empty() {
        true => Vec::new(),
        false => of_issues(issues).await?,
    };
    let epics = match epics.is_empty() {
        true => Vec::new(),
        false => of_epics(epics).await?,
    };
    let (mut issues, mut epics) = (issues.into_iter(), epics.into_iter());
    let next = items.iter().filter_map(|item| match item {
        WorkItem::Issue(_) => issues.next(),
        WorkItem::Epic(_) => epics.next(),
    });
    Ok(next.collect())
}

pub struct WorkItems;

impl Loader for WorkItems {
    type Key = i64;
    type Value = Arc<WorkItem>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<WorkItem>>, Fault> {
        let (own, others): (Vec<i64>, Vec<i64>) = ids.into_iter().partition(|id| *id <= WORK_ITEMS);
        let mut found = HashMap::new();
        if !own.is_empty() {
            let issues = context.load::<Issues>(own).await?.into_iter();
            found.extend(issues.map(|(id, issue)| (id, Arc::new(WorkItem::Issue(issue)))));
        }
        let epics = context.load::<Epics>(others.iter().map(|id| id - WORK_ITEMS)).await?;
        let epics = epics.into_iter();
        found.extend(epics.map(|(id, it)| (id + WORK_ITEMS, Arc::new(WorkItem::Epic(it)))));
        Ok(found)
    }
}

pub fn graph(g: &mut Graph) {
    let text = "A global ID of a work item, such as `gid://service/WorkItem/1`; also that of \
        an issue.";
    g.scalar("WorkItemID", text, |given| match given {
        Json::String(text) => read(text).map(|id| json!(id)).map_err(Some),
        _ => Err(None),
    });
    let text = "A colour: `#rrggbb`, or a name of CSS.";
    g.scalar("Color", text, |given| {
        let text = given.as_str().ok_or(None)?;
        match crate::model::color::parse(text) {
            Some(color) => Ok(json!(color)),
            None => Err(Some("Not a color".to_owned())),
        }
    });
    let it = g.object::<WorkItem>("WorkItem", "An issue, an incident, a task or an epic.");
    around(marks(referred(texts(it), WorkItem::reference)));
    g.node::<WorkItems, _>(WORK_ITEM_ID, object("WorkItem"));
    g.count("WorkItem");
    types::graph(g);
    widgets::graph(g);
    people::graph(g);
    linked::graph(g);
    rights::graph(g);
    lists::graph(g);
    references::graph(g);
    lookups(g);
    inputs::graph(g);
    change::graph(g);
    linking::graph(g);
}

/// An ID of a work item, or of an issue.
fn read(text: &str) -> Result<i64, String> {
    match split(text)?.0 {
        "Issue" => ISSUE_ID.read(text),
        _ => WORK_ITEM_ID.read(text),
    }
}

fn texts(it: ObjectBuilder<'_, WorkItem>) -> ObjectBuilder<'_, WorkItem> {
    it.field("id", WORK_ITEM_ID.node().required(), WorkItem::id)
        .describe("Global ID: of an issue with its number, of an epic with another.")
        .field("iid", ID.required(), |it| it.iid().to_string())
        .describe("Number in its project or group.")
        .field("title", STRING.required(), |it| it.title().to_owned())
        .describe("Its title.")
        .field("titleHtml", STRING, |it| Some(markup::escape(it.title())))
        .describe("Its title as HTML.")
        .field("description", STRING, WorkItem::description)
        .describe("Its description, in Markdown.")
        .level("descriptionHtml", STRING, |items: Vec<Arc<WorkItem>>, _, _| {
            html(items.iter().map(|it| (it.description(), Some(it.source()))).collect())
        })
        .describe("Its description as HTML.")
        .cost(Cost::RENDERED)
        .level("webUrl", STRING, |items: Vec<Arc<WorkItem>>, _, context| async move {
            let app = context.app()?;
            Ok(items.iter().map(|it| Some(app.url(&it.path()))).collect())
        })
        .describe("Its page.")
        .field("webPath", STRING, |it| Some(it.path()))
        .describe("Path of its page.")
}

fn marks(it: ObjectBuilder<'_, WorkItem>) -> ObjectBuilder<'_, WorkItem> {
    it.field("state", ITEM_STATE.required(), WorkItem::state)
        .describe("Open or closed.")
        .field("workItemType", object::<ItemType>("WorkItemType").required(), |it| {
            Arc::new(it.kind())
        })
        .describe("What it is.")
        .field("confidential", BOOLEAN.required(), WorkItem::confidential)
        .describe("Seen by few only.")
        .field("lockVersion", INT.required(), |it| {
            let (made, changed, _) = it.times();
            changed.as_second() - made.as_second()
        })
        .describe("Grows with its changes: the seconds from when it was made to the last.")
        .field("createdAt", TIME.required(), |it| it.times().0)
        .describe("When it was made.")
        .field("updatedAt", TIME.required(), |it| it.times().1)
        .describe("When it last changed.")
        .field("closedAt", TIME, |it| it.times().2)
        .describe("When it was closed.")
}

fn around(it: ObjectBuilder<'_, WorkItem>) {
    it.load::<People, _>("author", object::<Person>("UserCore"), WorkItem::author_id)
        .describe("Who made it; null if their account is gone.")
        .load::<Projects, _>("project", object::<Project>("Project"), WorkItem::project_id)
        .describe("The project it is in; null of epics.")
        .level("namespace", object::<NamespaceView>("Namespace"), namespaces)
        .describe("The group it is in, be it by its project, or what is a user's own.")
        .field("widgets", widgets::list(), |it| Some(Widget::all(it)))
        .describe("What there is to it, part by part.");
}

/// The namespaces of items.
async fn namespaces(
    items: Vec<Arc<WorkItem>>, _: Args, context: Context,
) -> Result<Vec<Option<Arc<NamespaceView>>>, Fault> {
    let projects = items.iter().filter_map(|it| it.project_id());
    let projects = context.load::<Projects>(projects).await?;
    let of = |it: &Arc<WorkItem>| match &**it {
        WorkItem::Issue(issue) => projects.get(&issue.project_id).map(|it| it.project.namespace_id),
        WorkItem::Epic(epic) => Some(epic.group_id),
    };
    let ids: Vec<Option<i64>> = items.iter().map(of).collect();
    let found = context.load::<Namespaces>(ids.iter().flatten().copied()).await?;
    Ok(ids.iter().map(|id| found.get(&(*id)?).cloned()).collect())
}

fn lookups(g: &mut Graph) {
    let text = "One work item; null unless the caller may see it.";
    let item = || object::<WorkItem>("WorkItem");
    g.query()
        .answer("workItem", item(), |args, context| async move {
            let id: i64 = args.get("id")?;
            Ok(context.load::<WorkItems>([id]).await?.remove(&id))
        })
        .describe(text)
        .arg(argument("id", named("WorkItemID").required()).describe("Its global ID."));
    g.on::<Project>("Project")
        .level("workItem", item(), of_projects)
        .describe(text)
        .cost(Cost::LookedUp)
        .arg(argument("iid", STRING.required()).describe("Its number."));
    g.on::<NamespaceView>("Namespace")
        .level("workItem", item(), of_namespaces)
        .describe("One epic of a group; null unless the caller may see it.")
        .cost(Cost::LookedUp)
        .arg(argument("iid", STRING.required()).describe("Its number."));
}

async fn of_projects(
    projects: Vec<Arc<Project>>, args: Args, context: Context,
) -> Result<Vec<Option<Arc<WorkItem>>>, Fault> {
    let iid: String = args.get("iid")?;
    let iid = super::issue::number(&iid);
    let ids: Vec<i64> = projects.iter().map(|it| it.project.id).collect();
    let (app, viewer) = caller(&context)?;
    let asked = ids.clone();
    let found = app.read(move |tx| rows::visible_by_iid(tx, &viewer, &asked, iid)).await?;
    let found: HashMap<i64, Arc<WorkItem>> = found
        .into_iter()
        .map(|issue| (issue.project_id, Arc::new(WorkItem::Issue(Arc::new(issue)))))
        .collect();
    Ok(ids.iter().map(|id| found.get(id).cloned()).collect())
}

async fn of_namespaces(
    namespaces: Vec<Arc<NamespaceView>>, args: Args, context: Context,
) -> Result<Vec<Option<Arc<WorkItem>>>, Fault> {
    let iid: String = args.get("iid")?;
    let ids: Vec<i64> = namespaces.iter().map(|it| it.namespace.id).collect();
    let found = super::epics::numbered(&ids, super::issue::number(&iid), &context).await?;
    let item = |epic: Option<Arc<EpicView>>| epic.map(|epic| Arc::new(WorkItem::Epic(epic)));
    Ok(found.into_iter().map(item).collect())
}
