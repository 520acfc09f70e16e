//! The type `Label`, and the labels of projects and groups.

use super::caller;
use crate::access::{Aim, ParentRef as At, authorize};
use crate::model::{Label, color};
use crate::rules::labels::{self as rules, LabelInput};
use crate::store::labels::{self as rows, Filter};
use crate::store::places::Places;
use identity::graph::Tally;
use kernel::graph::context::Loader;
use kernel::graph::{
    Args, Ask, BOOLEAN, Connection, Context, Cost, Done, Fault, GlobalId, Graph, HasTypeRef, ID,
    Key, ObjectBuilder, Order, STRING, argument, object,
};
use kernel::http::Patch;
use kernel::ids::Reference;
use kernel::markup;
use serde::Deserialize;
use serde_json::Value as Json;
use spaces::graph::{NamespaceView, ProjectView as Project};
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

/// Global IDs of labels of projects.
const OF_PROJECT: GlobalId = GlobalId::new("LabelID", "ProjectLabel");
/// Global IDs of labels of groups.
const OF_GROUP: GlobalId = GlobalId::new("LabelID", "GroupLabel");

/// Reads a label's ID of either form, or the general one.
fn read(text: &str) -> Result<i64, String> {
    let (model, _) = kernel::graph::scalars::split(text)?;
    match model {
        "ProjectLabel" => OF_PROJECT.read(text),
        "GroupLabel" => OF_GROUP.read(text),
        _ => GlobalId::new("LabelID", "Label").read(text),
    }
}

/// The labels of these IDs, each in a form of `LabelID`, or a bare number.
pub fn numbers(ids: Option<Vec<Json>>) -> Result<Option<Vec<i64>>, Fault> {
    let one = |id: Json| {
        let text = id.as_str().unwrap_or_default();
        match id.as_i64().or_else(|| text.parse().ok()) {
            Some(id) => Ok(id),
            None => read(text).map_err(Fault::argument),
        }
    };
    ids.map(|all| all.into_iter().map(one).collect())
        .transpose()
}

/// Registers the type and the lists.
pub fn graph(g: &mut Graph) {
    let text = "A global ID of a label, such as `gid://service/ProjectLabel/1`.";
    g.scalar("LabelID", text, |given| match given {
        Json::String(text) => read(text).map(Json::from).map_err(Some),
        _ => Err(None),
    });
    g.object::<Label>("Label", "A label.")
        .field("id", ID.required(), |it| match it.project_id {
            Some(_) => OF_PROJECT.of(it.id),
            None => OF_GROUP.of(it.id),
        })
        .describe("Global ID.")
        .field("title", STRING.required(), |it| it.title.clone())
        .describe("Its title.")
        .field("description", STRING, |it| it.description.clone())
        .describe("A few words.")
        .field("descriptionHtml", STRING, |it| {
            it.description.as_deref().map(markup::render)
        })
        .describe("The same as HTML.")
        .cost(Cost::RENDERED)
        .field("color", STRING.required(), |it| it.color.clone())
        .describe("Its colour, `#rrggbb`.")
        .field("textColor", STRING.required(), |it| {
            color::text_on(&it.color).to_owned()
        })
        .describe("What is read well on it.")
        .field("archived", BOOLEAN.required(), |it| it.archived)
        .describe("Whether it is no longer offered.")
        .field("subscribed", BOOLEAN.required(), |it| it.subscribed)
        .describe("Whether the caller is told of issues with it.");
    g.count("Label");
    g.node::<Labels, _>(OF_PROJECT, object("Label"));
    g.node::<Labels, _>(OF_GROUP, object("Label"));
    let list = g
        .on::<Project>("Project")
        .connections("labels", object::<Label>("Label"), of_projects)
        .describe("Its labels, by title.");
    filters(list)
        .level("label", object::<Label>("Label"), of_title)
        .describe("The label of this title.")
        .arg(argument("title", STRING.required()).describe("Its title."));
    let list = g
        .on::<NamespaceView>("Group")
        .connections("labels", object::<Label>("Label"), of_groups)
        .describe("Its labels, by title.");
    filters(list);
    mutations(g);
}

fn filters<T: Any + Send + Sync>(list: ObjectBuilder<'_, T>) -> ObjectBuilder<'_, T> {
    list.arg(argument("searchTerm", STRING).describe("In title or description."))
        .arg(argument("title", STRING).describe("Only of this title."))
        .arg(argument("archived", BOOLEAN).describe("Only archived ones, or only others."))
        .arg(
            argument("includeAncestorGroups", BOOLEAN)
                .default(false)
                .describe("Also those of the groups above."),
        )
}

/// Labels by id: those of places that the viewer may see.
struct Labels;

impl Loader for Labels {
    type Key = i64;
    type Value = Arc<Label>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<Label>>, Fault> {
        let (app, viewer) = caller(&context)?;
        let found = app.read(move |tx| rows::visible_by_ids(tx, &viewer, &ids));
        let found = found.await?.into_iter();
        Ok(found.map(|label| (label.id, Arc::new(label))).collect())
    }
}

const KEYS: [Key; 2] = [
    Key::text("labels.title", Order::Asc),
    Key::int("labels.id", Order::Asc),
];

fn keys(label: &Label) -> Vec<Json> {
    vec![label.title.clone().into(), label.id.into()]
}

/// A page of the labels on each of these issues.
pub async fn of_issues(
    ids: Vec<i64>,
    ask: Ask,
    context: Context,
) -> Result<Vec<Option<Connection<Label>>>, Fault> {
    let window = ask.window(&context, "labels", &KEYS)?;
    let (app, viewer) = caller(&context)?;
    let asked = ids.clone();
    let read = app.read(move |tx| {
        let found = rows::pages_of_issues(tx, viewer.user_id(), &asked, &window)?;
        Ok((found, window))
    });
    let (found, window) = read.await?;
    let asked = ids.clone();
    let tally =
        Tally::new(move |tx, _, limit| Ok(told(rows::counts_of_issues(tx, &asked)?, limit)));
    Ok(tally.counts(window.pages(&ids, found, keys), ids))
}

/// Counts as they are told: no further than one past the limit.
fn told(mut counts: HashMap<i64, i64>, limit: Option<i64>) -> HashMap<i64, i64> {
    if let Some(limit) = limit {
        let most = limit.saturating_add(1);
        counts
            .values_mut()
            .for_each(|count| *count = (*count).min(most));
    }
    counts
}

/// The groups above, if they are asked for.
fn above(args: &Args, groups: impl Iterator<Item = i64>) -> Result<Option<Vec<i64>>, Fault> {
    let wanted: Option<bool> = args.get("includeAncestorGroups")?;
    let mut groups: Vec<i64> = groups.collect();
    groups.sort_unstable();
    groups.dedup();
    Ok(wanted.unwrap_or(false).then_some(groups))
}

async fn of_projects(
    projects: Vec<Arc<Project>>,
    ask: Ask,
    args: Args,
    context: Context,
) -> Result<Vec<Option<Connection<Label>>>, Fault> {
    let above = above(&args, projects.iter().flat_map(|it| it.project.ancestors()))?;
    let places = Places::Projects(projects.iter().map(|it| it.project.id).collect());
    listed(places, above, ask, args, context).await
}

async fn of_groups(
    groups: Vec<Arc<NamespaceView>>,
    ask: Ask,
    args: Args,
    context: Context,
) -> Result<Vec<Option<Connection<Label>>>, Fault> {
    let above = above(&args, groups.iter().flat_map(|it| it.namespace.ids()))?;
    let places = Places::Groups(groups.iter().map(|it| it.namespace.id).collect());
    listed(places, above, ask, args, context).await
}

async fn listed(
    places: Places,
    above: Option<Vec<i64>>,
    ask: Ask,
    args: Args,
    context: Context,
) -> Result<Vec<Option<Connection<Label>>>, Fault> {
    let filter = Filter {
        search: args.get("searchTerm")?,
        title: args.get("title")?,
        archived: args.get("archived")?,
        ..Filter::default()
    };
    let window = ask.window(&context, "labels", &KEYS)?;
    let ids = places.ids();
    let tally = {
        let (places, above, filter) = (places.clone(), above.clone(), filter.clone());
        Tally::new(move |tx, _, limit| {
            let counts = rows::counts_of(tx, (&places, above.as_deref()), &filter)?;
            Ok(told(counts, limit))
        })
    };
    let (app, viewer) = caller(&context)?;
    let read = app.read(move |tx| {
        let from = (&places, above.as_deref());
        let found = rows::pages_of(tx, viewer.user_id(), from, &filter, &window)?;
        Ok((found, window))
    });
    let (found, window) = read.await?;
    Ok(tally.counts(window.pages(&ids, found, keys), ids))
}

/// The label of one title that each of these projects uses.
async fn of_title(
    projects: Vec<Arc<Project>>,
    args: Args,
    context: Context,
) -> Result<Vec<Option<Arc<Label>>>, Fault> {
    let title: String = args.get("title")?;
    let ids: Vec<i64> = projects.iter().map(|it| it.project.id).collect();
    let mut above: Vec<i64> = projects
        .iter()
        .flat_map(|it| it.project.ancestors())
        .collect();
    above.sort_unstable();
    above.dedup();
    let places = Places::Projects(ids.clone());
    let (app, viewer) = caller(&context)?;
    let read =
        app.read(move |tx| rows::of_title(tx, viewer.user_id(), (&places, Some(&above)), &title));
    let found = read.await?.into_iter();
    // A project's own label comes before one of a group above.
    let mut by_project: HashMap<i64, Arc<Label>> = HashMap::new();
    for one in found {
        by_project.entry(one.owner).or_insert(Arc::new(one.row));
    }
    Ok(ids.iter().map(|id| by_project.get(id).cloned()).collect())
}

/// What `labelCreate` shows.
struct Made(Arc<Label>);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Create {
    project_path: Option<String>,
    group_path: Option<String>,
    title: String,
    description: Option<String>,
    color: Option<String>,
}

fn mutations(g: &mut Graph) {
    g.mutation::<Made>("labelCreate", "Makes a label of a project or a group.")
        .input(argument("projectPath", ID).describe("Full path of the project."))
        .input(argument("groupPath", ID).describe("Full path of the group."))
        .input(argument("title", STRING.required()).describe("Its title."))
        .input(argument("description", STRING).describe("A few words."))
        .input(
            argument("color", STRING)
                .default(color::DEFAULT)
                .describe("`#rrggbb` or a name of CSS."),
        )
        .answers("label", object::<Label>("Label"), |it| Some(it.0.clone()))
        .run(create);
}

async fn create(input: Create, context: Context) -> Result<Done<Made>, Fault> {
    let place = match (input.project_path, input.group_path) {
        (Some(path), None) => At::Project(Reference::Path(path)),
        (None, Some(path)) => At::Group(Reference::Path(path)),
        _ => {
            let text = "Please provide either projectPath or groupPath argument, but not both.";
            return Err(Fault::argument(text));
        }
    };
    let new = LabelInput {
        title: Some(input.title),
        color: input.color,
        description: input.description.map_or(Patch::Absent, Patch::Value),
        ..LabelInput::default()
    };
    let (app, viewer) = caller(&context)?;
    let work = app.write(move |tx| {
        let entered = authorize(tx, &viewer, &place, Aim::Manage)?;
        rules::create(tx, &viewer, &entered, &new)
    });
    Ok(Done::from(Made(Arc::new(work.await?))))
}
