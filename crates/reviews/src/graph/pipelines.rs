//! The pipelines of merge requests.

use super::{ById, ids, keys, of_each};
use crate::model::MergeRequest;
use crate::store::pipelines as rows;
use ::store::Tx;
use delivery::pipelines::{PipelineView, Pipelines};
use identity::graph::{Tally, caller};
use identity::viewer::Viewer;
use kernel::error::Result as Outcome;
use kernel::graph::context::Loader;
use kernel::graph::{Args, Ask, Context, Fault, Graph, Key, Order, object};
use planning::graph::{Pages, mapped};
use spaces::access::{Levels, Purpose, find_projects};
use spaces::model::Project;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The newest pipeline of the head of merge requests, whoever sees it.
struct Heads;

impl Loader for Heads {
    type Key = ById;
    type Value = i64;

    async fn load(context: Context, keys: Vec<ById>) -> Result<HashMap<ById, i64>, Fault> {
        of_each(&context, keys, |tx, _, requests| {
            let ids: Vec<i64> = requests.iter().map(|one| one.id).collect();
            rows::of_heads(tx, &ids)
        })
        .await
    }
}

pub fn graph(g: &mut Graph) {
    g.on::<MergeRequest>("MergeRequest")
        .level("headPipeline", object::<PipelineView>("Pipeline"), heads)
        .describe("The newest pipeline of its head, if the caller sees it.")
        .connections("pipelines", object::<PipelineView>("Pipeline"), pipelines)
        .describe("The pipelines of its versions, the newest first; null if the caller sees none.");
}

async fn heads(
    requests: Vec<Arc<MergeRequest>>, _: Args, context: Context,
) -> Result<Vec<Option<Arc<PipelineView>>>, Fault> {
    let heads = context.load::<Heads>(keys(&requests)).await?;
    let found = context.load::<Pipelines>(heads.values().copied().collect::<Vec<_>>()).await?;
    let of = |key: ById| found.get(heads.get(&key)?).cloned();
    Ok(keys(&requests).into_iter().map(of).collect())
}

/// Whose pipelines are shown.
#[derive(Clone)]
struct Open {
    requests: Vec<i64>,
    projects: Vec<i64>,
}

/// Those of these with a project whose pipelines the viewer sees, and these projects.
fn open(tx: &mut Tx<'_>, viewer: &Viewer, requests: &[Arc<MergeRequest>]) -> Outcome<Open> {
    let of =
        |it: &Arc<MergeRequest>| it.source_project_id.into_iter().chain([it.target_project_id]);
    let ids: HashSet<i64> = requests.iter().flat_map(of).collect();
    let projects = find_projects(tx, &ids.into_iter().collect::<Vec<_>>())?;
    let all: Vec<&Project> = projects.iter().collect();
    let levels = Levels::in_projects(tx, viewer, &all)?;
    let sees = |project: &&&Project| {
        levels.may(project, Purpose::ReadPipelines) && levels.may(project, Purpose::DownloadCode)
    };
    let seen: HashSet<i64> = all.iter().filter(sees).map(|project| project.id).collect();
    let is_open = |it: &&Arc<MergeRequest>| of(it).any(|id| seen.contains(&id));
    Ok(Open {
        requests: requests.iter().filter(is_open).map(|it| it.id).collect(),
        projects: seen.into_iter().collect(),
    })
}

async fn pipelines(
    requests: Vec<Arc<MergeRequest>>, ask: Ask, _: Args, context: Context,
) -> Pages<PipelineView> {
    let key = Key::int("ci_pipelines.id", Order::Desc);
    let window = ask.window(&context, "pipelines of merge requests", &[key])?;
    let owners = ids(&requests);
    let (app, viewer) = caller(&context)?;
    let read = app.read(move |tx| {
        let open = open(tx, &viewer, &requests)?;
        let rows = rows::pages_of(tx, &open.requests, &open.projects, &window)?;
        Ok((open, rows, window))
    });
    let (open, rows, window) = read.await?;
    let pages = window.pages(&owners, rows, |id: &i64| vec![(*id).into()]);
    let named = pages.iter().flat_map(|page| page.rows.iter().map(|(id, _)| **id));
    let named: Vec<i64> = named.collect();
    let views = context.load::<Pipelines>(named).await?;
    let shown = |id: &i64| views.get(id).cloned();
    let pages = pages.into_iter().map(|page| mapped(page, shown)).collect();
    let counted = open.clone();
    let tally = Tally::new(move |tx, _, limit| {
        rows::counts_of(tx, &counted.requests, &counted.projects, limit)
    });
    let pages = tally.counts(pages, owners.clone()).into_iter().zip(owners);
    Ok(pages
        .map(|(page, owner)| page.filter(|_| open.requests.contains(&owner)))
        .collect())
}
