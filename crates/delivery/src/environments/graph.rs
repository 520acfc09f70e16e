//! Environments in GraphQL (docs/interface/delivery.md 9). What is seen and may be
//! done is as in REST: what is hidden there is null or left out here.

use super::model::{Environment, Tier};
use super::rules;
use super::store::environments as rows;
use crate::pipelines::access;
use ::store::Tx;
use identity::graph::{Tally, caller};
use identity::viewer::Viewer;
use kernel::error::{Found, Result as Outcome};
use kernel::graph::context::Loader;
use kernel::graph::shape::Leaf;
use kernel::graph::{
    Args, Ask, BOOLEAN, Connection, Context, Done, Fault, GlobalId, Graph, HasTypeRef, ID, Key,
    Order, Owned, STRING, TIME, argument, by_owner, item, object,
};
use kernel::graph_input;
use kernel::ids::Reference;
use spaces::access::{Levels, Purpose, find_projects};
use spaces::graph::ProjectView;
use spaces::model::Project;
use std::collections::HashMap;
use std::sync::Arc;

const ENVIRONMENT_ID: GlobalId = GlobalId::new("EnvironmentID", "Environment");
const TIER: Leaf<Tier> = Leaf::upper("DeploymentTier");

/// An environment with the path of its project, of which the viewer sees it.
pub struct EnvironmentView {
    pub environment: Environment,
    full_path: String,
}

/// What a mutation of an environment shows.
struct Written(Arc<EnvironmentView>);

graph_input! {
    struct StopEnvironment {
        /// The environment.
        id: i64 = ENVIRONMENT_ID.required(),
        /// Without the job that ends it.
        force: Option<bool> = BOOLEAN,
    }
}

pub fn graph(g: &mut Graph) {
    ENVIRONMENT_ID.register(g);
    let tiers = vec![
        item("PRODUCTION", "What people use."),
        item("STAGING", "What is like it."),
        item("TESTING", "What is tried."),
        item("DEVELOPMENT", "What is worked on."),
        item("OTHER", "Anything else."),
    ];
    g.enumeration("DeploymentTier", "What an environment is for.", tiers);
    g.object::<EnvironmentView>("Environment", "A place that a project runs in.")
        .field("id", ID.required(), |it| ENVIRONMENT_ID.of(it.environment.id))
        .describe("Global ID.")
        .value("name", "Its name.", |it| it.environment.name.clone())
        .field("path", STRING.required(), |it| {
            format!("/{}/-/environments/{}", it.full_path, it.environment.id)
        })
        .describe("Path of its page.")
        .field("state", STRING.required(), |it| it.environment.state.to_string())
        .describe("Whether it is available.")
        .field("slug", STRING, |it| Some(it.environment.slug.clone()))
        .describe("Its name as part of addresses.")
        .field("tier", TIER, |it| Some(it.environment.tier))
        .describe("What it is for.")
        .field("environmentType", STRING, |it| it.environment.folder().map(str::to_owned))
        .describe("Its folder: what stands before the first slash of its name.")
        .field("externalUrl", STRING, |it| it.environment.external_url.clone())
        .describe("Where it is.")
        .field("description", STRING, |it| it.environment.description.clone())
        .describe("What there is to know of it.")
        .field("createdAt", TIME, |it| Some(it.environment.created_at))
        .describe("When it was made.")
        .field("updatedAt", TIME, |it| Some(it.environment.updated_at))
        .describe("When it was changed last.")
        .field("autoStopAt", TIME, |it| it.environment.auto_stop_at)
        .describe("When it ends by itself.");
    g.count("Environment");
    g.node::<Environments, _>(ENVIRONMENT_ID, object("Environment"));
    g.on::<ProjectView>("Project")
        .connections("environments", object::<EnvironmentView>("Environment"), listed)
        .describe("Its environments, for who sees its pipelines.")
        .level("environment", object::<EnvironmentView>("Environment"), named)
        .describe("The environment of a name.")
        .arg(argument("name", STRING).describe("Its name."));
    g.mutation::<Written>("environmentStop", "Ends an environment.")
        .answers("environment", object::<EnvironmentView>("Environment"), |it| Some(it.0.clone()))
        .handle(stop);
}

/// Those of these projects whose environments the viewer sees.
fn open(tx: &mut Tx<'_>, viewer: &Viewer, projects: &[&Project]) -> Outcome<Vec<i64>> {
    let levels = Levels::in_projects(tx, viewer, projects)?;
    let sees = |project: &&&Project| {
        levels.may(project, Purpose::ReadPipelines) && levels.may(project, Purpose::DownloadCode)
    };
    Ok(projects.iter().filter(sees).map(|project| project.id).collect())
}

/// Environments with their projects, of those that the viewer sees.
fn views(
    tx: &mut Tx<'_>, viewer: &Viewer, found: Vec<Environment>,
) -> Outcome<Vec<Arc<EnvironmentView>>> {
    let mut ids: Vec<i64> = found.iter().map(|one| one.project_id).collect();
    ids.sort_unstable();
    ids.dedup();
    let projects = find_projects(tx, &ids)?;
    let seen = open(tx, viewer, &projects.iter().collect::<Vec<_>>())?;
    let paths: HashMap<i64, String> = projects
        .into_iter()
        .filter(|project| seen.contains(&project.id))
        .map(|project| (project.id, project.full_path))
        .collect();
    let view = |environment: Environment| {
        let full_path = paths.get(&environment.project_id)?.clone();
        Some(Arc::new(EnvironmentView { environment, full_path }))
    };
    Ok(found.into_iter().filter_map(view).collect())
}

/// Environments by their ids.
pub struct Environments;

impl Loader for Environments {
    type Key = i64;
    type Value = Arc<EnvironmentView>;

    async fn load(
        context: Context, ids: Vec<i64>,
    ) -> Result<HashMap<i64, Arc<EnvironmentView>>, Fault> {
        let (app, viewer) = caller(&context)?;
        let read = app.read(move |tx| {
            let found = rows::some(tx, ids)?.into_values().collect();
            views(tx, &viewer, found)
        });
        Ok(read.await?.into_iter().map(|it| (it.environment.id, it)).collect())
    }
}

/// Environments by their projects and names.
pub struct EnvironmentsByName;

impl Loader for EnvironmentsByName {
    type Key = (i64, String);
    type Value = Arc<EnvironmentView>;

    async fn load(
        context: Context, keys: Vec<(i64, String)>,
    ) -> Result<HashMap<(i64, String), Arc<EnvironmentView>>, Fault> {
        let (app, viewer) = caller(&context)?;
        let (projects, names): (Vec<i64>, Vec<String>) = keys.into_iter().unzip();
        let read = app.read(move |tx| {
            let found = rows::named_in(tx, projects, names)?;
            views(tx, &viewer, found)
        });
        let key = |it: &EnvironmentView| (it.environment.project_id, it.environment.name.clone());
        Ok(read.await?.into_iter().map(|it| (key(&it), it)).collect())
    }
}

async fn named(
    of: Vec<Arc<ProjectView>>, args: Args, context: Context,
) -> Result<Vec<Option<Arc<EnvironmentView>>>, Fault> {
    let name: Option<String> = args.get("name")?;
    let Some(name) = name else {
        return Ok(of.iter().map(|_| None).collect());
    };
    let keys: Vec<_> = of.iter().map(|it| (it.project.id, name.clone())).collect();
    let found = context.load::<EnvironmentsByName>(keys.iter().cloned()).await?;
    Ok(keys.iter().map(|key| found.get(key).cloned()).collect())
}

async fn listed(
    of: Vec<Arc<ProjectView>>, ask: Ask, _: Args, context: Context,
) -> Result<Vec<Option<Connection<EnvironmentView>>>, Fault> {
    let keys = [
        Key::text("environments.name", Order::Asc),
        Key::int("environments.id", Order::Asc),
    ];
    let window = ask.window(&context, "environments", &keys)?;
    let owners: Vec<i64> = of.iter().map(|it| it.project.id).collect();
    let (app, viewer) = caller(&context)?;
    let read = app.read(move |tx| {
        let all: Vec<&Project> = of.iter().map(|it| &it.project).collect();
        let open = open(tx, &viewer, &all)?;
        let paths: HashMap<i64, &str> =
            all.iter().map(|it| (it.id, it.full_path.as_str())).collect();
        let owned = |row: Owned<Environment>| {
            let full_path = (*paths.get(&row.owner)?).to_owned();
            let view = Arc::new(EnvironmentView { environment: row.row, full_path });
            Some(Owned { owner: row.owner, row: view })
        };
        let rows = rows::pages_of(tx, &open, &window)?;
        Ok((rows.into_iter().filter_map(owned).collect::<Vec<_>>(), open, window))
    });
    let (rows, open, window) = read.await?;
    let rows = by_owner(rows);
    let key =
        |it: &EnvironmentView| vec![it.environment.name.clone().into(), it.environment.id.into()];
    let pages = owners.iter().map(|owner| {
        let rows = rows.get(owner).cloned().unwrap_or_default();
        window.page_of(rows, key)
    });
    let counted = open.clone();
    let tally = Tally::new(move |tx, _, limit| rows::counts(tx, &counted, limit));
    let pages = tally.counts(pages.collect(), owners.clone()).into_iter();
    let seen = pages.zip(&owners).map(|(page, owner)| page.filter(|_| open.contains(owner)));
    Ok(seen.collect())
}

async fn stop(asked: StopEnvironment, context: Context) -> Result<Done<Written>, Fault> {
    let (app, viewer) = caller(&context)?;
    let found = context.load::<Environments>([asked.id]).await?;
    let Some(there) = found.get(&asked.id).cloned() else {
        return Err(Fault::not_available());
    };
    let project_id = there.environment.project_id;
    let stopped = app.write(move |tx| {
        let reference = Reference::Id(project_id);
        let project = access::run(tx, &viewer, &reference)?;
        let one = rows::one(tx, project.id, asked.id)?.found("Environment")?;
        rules::stop(tx, &viewer, &project, &one, asked.force == Some(true))
    });
    let environment = stopped.await?;
    let full_path = there.full_path.clone();
    Ok(Done::from(Written(Arc::new(EnvironmentView { environment, full_path }))))
}
