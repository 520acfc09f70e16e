//! The type `Label`, and the labels of projects and groups.

use super::{Pages, by_key, caller, groups, projects, read_pages};
use crate::access::{Aim, ParentRef as At, authorize};
use crate::model::{Label, color};
use crate::rules::labels::{self as rules, LabelInput};
use crate::store::labels::{self as rows, LabelFilter, WornBy};
use crate::store::places::Places;
use identity::graph::Tally;
use identity::viewer::Viewer;
use kernel::graph::context::Loader;
use kernel::graph::{
    Args, Ask, BOOLEAN, Context, Cost, Done, Fault, GlobalId, Graph, HasTypeRef, ID, Key, Order,
    STRING, Window, argument, object,
};
use kernel::graph_input;
use kernel::http::Patch;
use kernel::ids::Reference;
use kernel::markup;
use serde_json::Value as Json;
use spaces::graph::{NamespaceView, ProjectView as Project};
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;

const OF_PROJECT: GlobalId = GlobalId::new("LabelID", "ProjectLabel");
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
    ids.map(|all| all.into_iter().map(one).collect()).transpose()
}

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
        .field("descriptionHtml", STRING, |it| it.description.as_deref().map(markup::render))
        .describe("The same as HTML.")
        .cost(Cost::RENDERED)
        .field("color", STRING.required(), |it| it.color.clone())
        .describe("Its colour, `#rrggbb`.")
        .field("textColor", STRING.required(), |it| color::text_on(&it.color).to_owned())
        .describe("What is read well on it.")
        .field("archived", BOOLEAN.required(), |it| it.archived)
        .describe("Whether it is no longer offered.")
        .field("subscribed", BOOLEAN.required(), |it| it.subscribed)
        .describe("Whether the caller is told of issues with it.");
    g.count("Label");
    g.node::<Labels, _>(OF_PROJECT, object("Label"));
    g.node::<Labels, _>(OF_GROUP, object("Label"));
    g.on::<Project>("Project")
        .connections("labels", object::<Label>("Label"), |of, ask, args, context| {
            listed(projects(&of), ask, args, context)
        })
        .describe("Its labels, by title.")
        .args::<Filters>()
        .level("label", object::<Label>("Label"), of_title)
        .describe("The label of this title.")
        .arg(argument("title", STRING.required()).describe("Its title."));
    g.on::<NamespaceView>("Group")
        .connections("labels", object::<Label>("Label"), |of, ask, args, context| {
            listed(groups(&of), ask, args, context)
        })
        .describe("Its labels, by title.")
        .args::<Filters>();
    mutations(g);
}

graph_input! {
    struct Filters {
        /// In title or description.
        search_term: Option<String> = STRING,
        /// Only of this title.
        title: Option<String> = STRING,
        /// Only archived ones, or only others.
        archived: Option<bool> = BOOLEAN,
        /// Also those of the groups above.
        include_ancestor_groups: Option<bool> = BOOLEAN => false,
    }
}

struct Labels;

impl Loader for Labels {
    type Key = i64;
    type Value = Arc<Label>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<Label>>, Fault> {
        let read = move |tx: &mut Tx<'_>, viewer: &Viewer| rows::visible_by_ids(tx, viewer, &ids);
        by_key(&context, read, |label: Label| (label.id, label)).await
    }
}

const KEYS: [Key; 2] = [Key::text("labels.title", Order::Asc), Key::int("labels.id", Order::Asc)];

fn keys(label: &Label) -> Vec<Json> {
    vec![label.title.clone().into(), label.id.into()]
}

/// The labels on things of one kind.
pub async fn worn(of: WornBy, ids: Vec<i64>, ask: Ask, context: Context) -> Pages<Label> {
    let window = ask.window(&context, "labels", &KEYS)?;
    let on = ids.clone();
    let read = move |tx: &mut Tx<'_>, viewer: &Viewer, window: &Window| {
        rows::pages_of_worn(tx, viewer.user_id(), (of, &on), window)
    };
    let pages = read_pages(&context, window, &ids, read, keys).await?;
    let on = ids.clone();
    let tally =
        Tally::new(move |tx, _, limit| Ok(limited(rows::counts_of_worn(tx, (of, &on))?, limit)));
    Ok(tally.counts(pages, ids))
}

/// Counts as they are told: no further than one past the limit.
fn limited(mut counts: HashMap<i64, i64>, limit: Option<i64>) -> HashMap<i64, i64> {
    if let Some(limit) = limit {
        let most = limit.saturating_add(1);
        counts.values_mut().for_each(|count| *count = (*count).min(most));
    }
    counts
}

async fn listed(
    (places, above): (Places, Vec<i64>), ask: Ask, args: Args, context: Context,
) -> Pages<Label> {
    let wanted: Filters = args.read()?;
    let with_above = wanted.include_ancestor_groups.unwrap_or(false);
    let above = with_above.then_some(above);
    let filter = LabelFilter {
        search: wanted.search_term,
        title: wanted.title,
        archived: wanted.archived,
        ..LabelFilter::default()
    };
    let window = ask.window(&context, "labels", &KEYS)?;
    let ids = places.ids();
    let tally = {
        let (places, above, filter) = (places.clone(), above.clone(), filter.clone());
        Tally::new(move |tx, _, limit| {
            let counts = rows::counts_of(tx, (&places, above.as_deref()), &filter)?;
            Ok(limited(counts, limit))
        })
    };
    let read = move |tx: &mut Tx<'_>, viewer: &Viewer, window: &Window| {
        let from = (&places, above.as_deref());
        rows::pages_of(tx, viewer.user_id(), from, &filter, window)
    };
    let pages = read_pages(&context, window, &ids, read, keys).await?;
    Ok(tally.counts(pages, ids))
}

/// The label of one title that each of these projects uses.
async fn of_title(
    projects: Vec<Arc<Project>>, args: Args, context: Context,
) -> Result<Vec<Option<Arc<Label>>>, Fault> {
    let title: String = args.get("title")?;
    let ids: Vec<i64> = projects.iter().map(|it| it.project.id).collect();
    let (places, above) = super::projects(&projects);
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

struct Made(Arc<Label>);

graph_input! {
    struct Create {
        /// Full path of the project.
        project_path: Option<String> = ID,
        /// Full path of the group.
        group_path: Option<String> = ID,
        /// Its title.
        title: String = STRING.required(),
        /// A few words.
        description: Option<String> = STRING,
        /// `#rrggbb` or a name of CSS.
        color: Option<String> = STRING => color::DEFAULT,
    }
}

fn mutations(g: &mut Graph) {
    g.mutation::<Made>("labelCreate", "Makes a label of a project or a group.")
        .answers("label", object::<Label>("Label"), |it| Some(it.0.clone()))
        .handle(create);
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
        description: Patch::given(input.description),
        ..LabelInput::default()
    };
    let (app, viewer) = caller(&context)?;
    let work = app.write(move |tx| {
        let entered = authorize(tx, &viewer, &place, Aim::Manage)?;
        rules::create(tx, &viewer, &entered, &new)
    });
    Ok(Done::from(Made(Arc::new(work.await?))))
}
