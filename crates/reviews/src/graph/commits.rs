//! The commits of merge requests.

use super::{MOST_READ, ids, targets};
use crate::model::MergeRequest;
use crate::store::versions::{CommitAt, commit_pages};
use ::store::Tx;
use code::graph::{CommitView, RepositoryView, repositories_of};
use identity::viewer::Viewer;
use kernel::graph::{Args, Ask, Connection, Context, Fault, Graph, Key, Order, Window, object};
use planning::graph::{Pages, mapped, read_pages};
use repositories::formats::object_id::ObjectId;
use repositories::objects::{self, Commit, Objects};
use spaces::graph::Projects;
use std::collections::HashMap;
use std::sync::Arc;

pub fn graph(g: &mut Graph) {
    g.on::<MergeRequest>("MergeRequest")
        .connections("commits", object::<CommitView>("Commit"), commits)
        .describe("Its commits, the newest first, up to a thousand.")
        .git();
}

async fn commits(
    requests: Vec<Arc<MergeRequest>>, ask: Ask, _: Args, context: Context,
) -> Pages<CommitView> {
    let key = Key::int("merge_request_commits.place", Order::Asc);
    let window = ask.window(&context, "commits of merge requests", &[key])?;
    let owners = ids(&requests);
    let asked = owners.clone();
    let read = move |tx: &mut Tx<'_>, _: &Viewer, window: &Window| commit_pages(tx, &asked, window);
    let keys = |it: &CommitAt| vec![it.nth.into()];
    let pages = read_pages(&context, window, &owners, read, keys).await?;
    let views = views(&requests, &context).await?;
    let found = found(&requests, &pages, &views, &context).await?;
    let both = pages.into_iter().zip(&requests);
    let page = both.map(|(page, request)| {
        let view = views.get(&request.target_project_id)?;
        let shown = |it: &CommitAt| {
            let commit = found.get(&(view.project.id, it.commit_id))?.clone();
            Some(Arc::new(CommitView { view: view.clone(), commit }))
        };
        Some(mapped(page, shown))
    });
    Ok(page.collect())
}

/// The repositories of the targets of these, by their projects.
async fn views(
    requests: &[Arc<MergeRequest>], context: &Context,
) -> Result<HashMap<i64, Arc<RepositoryView>>, Fault> {
    let projects = context.load::<Projects>(targets(requests)).await?;
    if projects.len() > MOST_READ {
        let text = format!("No more than {MOST_READ} repositories are read at once");
        return Err(Fault::argument(text));
    }
    let projects = projects.values().map(|it| it.project.clone()).collect();
    let views = repositories_of(context, projects).await?;
    Ok(views.into_iter().flatten().map(|view| (view.project.id, view)).collect())
}

/// The commits that stand in these pages, by their projects and names.
async fn found(
    requests: &[Arc<MergeRequest>], pages: &[Connection<CommitAt>],
    views: &HashMap<i64, Arc<RepositoryView>>, context: &Context,
) -> Result<HashMap<(i64, ObjectId), Commit>, Fault> {
    let mut wanted: HashMap<i64, Vec<ObjectId>> = HashMap::new();
    for (request, page) in requests.iter().zip(pages) {
        let commits = page.rows.iter().map(|(it, _)| it.commit_id);
        wanted.entry(request.target_project_id).or_default().extend(commits);
    }
    let app = context.app()?;
    let mut found = HashMap::new();
    for (project_id, mut commits) in wanted {
        let view = views.get(&project_id);
        let Some(repository) = view.and_then(|view| view.repository.as_ref()) else {
            continue;
        };
        commits.sort_unstable();
        commits.dedup();
        let read = move |objects: &Objects| objects.commits(&commits);
        let commits = objects::read(app, repository, read).await?;
        found.extend(commits.into_iter().map(|one| ((project_id, one.id), one)));
    }
    Ok(found)
}
