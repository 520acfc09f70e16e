//! The type `Release`.

use super::parts::{Assets, Pages};
use super::{RELEASE_ID, ReleaseView, views};
use crate::access::seen;
use crate::entity::tag_path;
use crate::store;
use code::graph::{CommitView, RepositoryView, repositories_of};
use identity::graph::{People, Person, caller};
use kernel::error::Error;
use kernel::graph::context::Loader;
use kernel::graph::{
    Ask, BOOLEAN, Connection, Context, Cost, Fault, Graph, HasTypeRef, ID, Key, Order, STRING,
    TIME, object,
};
use kernel::markup::{self, Rendering};
use planning::model::Milestone;
use spaces::model::SourceKind;
use spaces::uploads::address;
use std::collections::HashMap;
use std::sync::Arc;

pub fn graph(g: &mut Graph) {
    g.object::<ReleaseView>("Release", "What there is to say of a tag, and what can be had.")
        .field("id", ID.required(), |it| RELEASE_ID.of(it.release.id))
        .describe("Global ID.")
        .field("name", STRING, |it| Some(it.name()))
        .describe("What it is called.")
        .field("tagName", STRING, |it| it.with_code(|release| release.tag.clone()))
        .describe("Its tag, for who reads the code.")
        .field("tagPath", STRING, |it| {
            it.with_code(|release| tag_path(&it.here.project, &release.tag))
        })
        .describe("Path of the page of its tag.")
        .field("description", STRING, |it| it.release.description.clone())
        .describe("What there is to say of it, in Markdown.")
        .level("descriptionHtml", STRING, |of: Vec<Arc<ReleaseView>>, _, _| html(of))
        .describe("The same as HTML.")
        .cost(Cost::RENDERED)
        .field("createdAt", TIME, |it| Some(it.release.created_at))
        .describe("When it was written down.")
        .field("releasedAt", TIME, |it| Some(it.release.released_at))
        .describe("When it came out, or will.")
        .level(
            "upcomingRelease",
            BOOLEAN,
            |of: Vec<Arc<ReleaseView>>, _, context: Context| async move {
                let now = context.app()?.now();
                Ok(of.iter().map(|it| Some(it.release.is_upcoming(now))).collect())
            },
        )
        .describe("Whether it is not out yet.")
        .field("historicalRelease", BOOLEAN, |it| Some(it.release.is_historical()))
        .describe("Whether it was out before it was written down.")
        .load::<People, _>("author", object::<Person>("UserCore"), |it| it.release.author_id)
        .describe("Who made it.")
        .level(
            "commit",
            object::<CommitView>("Commit"),
            |of: Vec<Arc<ReleaseView>>, _, context: Context| commits(of, context),
        )
        .describe("The commit of its tag, for who reads the code.")
        .level(
            "assets",
            object::<Assets>("ReleaseAssets"),
            |of: Vec<Arc<ReleaseView>>, _, _| async move {
                Ok(of.into_iter().map(|it| Some(Arc::new(Assets(it)))).collect())
            },
        )
        .describe("What can be had with it.")
        .level(
            "links",
            object::<Pages>("ReleaseLinks"),
            |of: Vec<Arc<ReleaseView>>, _, _| async move {
                Ok(of.into_iter().map(|it| Some(Arc::new(Pages(it)))).collect())
            },
        )
        .describe("Pages about it.")
        .connections("milestones", object::<Milestone>("Milestone"), milestones)
        .describe("What it is for.");
    g.node::<ReleaseLoader, _>(RELEASE_ID, object("Release"));
}

async fn html(of: Vec<Arc<ReleaseView>>) -> Result<Vec<Option<String>>, Fault> {
    let render = move || {
        let one = |it: &Arc<ReleaseView>| {
            let uploads = address("", SourceKind::Project, it.here.project.id);
            let rendering = Rendering { uploads: &uploads, ..Rendering::default() };
            it.release.description.as_deref().map(|text| rendering.html(text))
        };
        of.iter().map(one).collect()
    };
    let _turn = markup::turn().await?;
    let rendered = tokio::task::spawn_blocking(render).await;
    rendered.map_err(|error| Error::internal(error).into())
}

async fn commits(
    of: Vec<Arc<ReleaseView>>, context: Context,
) -> Result<Vec<Option<Arc<CommitView>>>, Fault> {
    let projects = of.iter().map(|it| it.here.project.clone()).collect();
    let views = repositories_of(&context, projects).await?;
    let commit = |(it, view): (&Arc<ReleaseView>, Option<Arc<RepositoryView>>)| {
        let commit = it.with_code(|release| release.commit()).flatten()?;
        Some(Arc::new(CommitView { view: view?, commit }))
    };
    Ok(of.iter().zip(views).map(commit).collect())
}

async fn milestones(
    of: Vec<Arc<ReleaseView>>, ask: Ask, _: kernel::graph::Args, context: Context,
) -> Result<Vec<Option<Connection<Milestone>>>, Fault> {
    let window = ask.window(&context, "milestones", &[Key::int("id", Order::Asc)])?;
    let page = |it: &Arc<ReleaseView>| {
        let goals = it.related.milestones(&it.here, &it.release).into_iter();
        let whole: Vec<Arc<Milestone>> = goals.map(|(goal, _)| Arc::new(goal.clone())).collect();
        Some(window.page_of_whole(&whole, |goal| goal.id))
    };
    Ok(of.iter().map(page).collect())
}

struct ReleaseLoader;

impl Loader for ReleaseLoader {
    type Key = i64;
    type Value = Arc<ReleaseView>;

    async fn load(
        context: Context, ids: Vec<i64>,
    ) -> Result<HashMap<i64, Arc<ReleaseView>>, Fault> {
        let (app, viewer) = caller(&context)?;
        let found = app.read(move |tx| {
            let condition = seen(tx, &viewer);
            let releases = store::by_ids(tx, &ids, condition)?;
            views(tx, &viewer, releases)
        });
        Ok(found.await?.into_iter().map(|it| (it.release.id, it)).collect())
    }
}
