//! The type `Milestone`, and the milestones of projects and groups.

use super::enums::{GOAL_STATE, chosen};
use super::{MILESTONE_ID, MilestoneView, html};
use crate::model::MilestoneState;
use crate::store::milestones::{self as rows, Filter};
use crate::store::places::Places;
use identity::graph::caller;
use kernel::graph::context::Loader;
use kernel::graph::{
    Args, Ask, BOOLEAN, Connection, Context, Cost, Fault, Graph, HasTypeRef, ID, Key,
    ObjectBuilder, Order, STRING, TIME, argument, named, object,
};
use kernel::time::{date_of, start_of};
use serde_json::Value as Json;
use spaces::graph::{Groups, NamespaceView, ProjectView as Project, Projects};
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

/// Registers the type and the lists.
pub fn graph(g: &mut Graph) {
    described(g.object::<MilestoneView>(
        "Milestone",
        "What issues are to be done for, and until when.",
    ));
    g.node::<MilestoneLoader, _>(MILESTONE_ID, object("Milestone"));
    g.query()
        .answer(
            "milestone",
            object::<MilestoneView>("Milestone"),
            |args, context| async move {
                let id: i64 = args.get("id")?;
                Ok(context
                    .load::<MilestoneLoader>([id])
                    .await?
                    .get(&id)
                    .cloned())
            },
        )
        .describe("One milestone; null unless the caller may see it.")
        .arg(argument("id", MILESTONE_ID.required()).describe("Its global ID."));
    let list = g
        .on::<Project>("Project")
        .connections(
            "milestones",
            object::<MilestoneView>("Milestone"),
            of_projects,
        )
        .describe("Its milestones, the last made first.");
    filters(list);
    let list = g
        .on::<NamespaceView>("Group")
        .connections(
            "milestones",
            object::<MilestoneView>("Milestone"),
            of_groups,
        )
        .describe("Its milestones, the last made first.");
    filters(list);
}

fn described(it: ObjectBuilder<'_, MilestoneView>) {
    it.field("id", ID.required(), |it| MILESTONE_ID.of(it.milestone.id))
        .describe("Global ID.")
        .field("iid", ID.required(), |it| it.milestone.iid.to_string())
        .describe("Number in its project or group.")
        .field("title", STRING.required(), |it| it.milestone.title.clone())
        .describe("Its title.")
        .field("description", STRING, |it| it.milestone.description.clone())
        .describe("Its description, in Markdown.")
        .level(
            "descriptionHtml",
            STRING,
            |milestones_found: Vec<Arc<MilestoneView>>, _, _| {
                let texts = milestones_found
                    .iter()
                    .map(|it| it.milestone.description.clone());
                html(texts.collect())
            },
        )
        .describe("Its description as HTML.")
        .cost(Cost::RENDERED)
        .field("state", GOAL_STATE.required(), |it| it.milestone.state)
        .describe("Active or closed.")
        .resolve("expired", BOOLEAN.required(), |it, _, context| async move {
            Ok(it.milestone.is_expired(date_of(context.app()?.now())))
        })
        .describe("Whether its last day is over.")
        .field("startDate", TIME, |it| it.milestone.start_on.map(start_of))
        .describe("Its first day.")
        .field("dueDate", TIME, |it| it.milestone.due_on.map(start_of))
        .describe("Its last day.")
        .field("webPath", STRING.required(), |it| it.web_path.clone())
        .describe("Path of its page.")
        .field("projectMilestone", BOOLEAN.required(), |it| {
            it.milestone.project_id.is_some()
        })
        .describe("Whether it is of a project.")
        .field("groupMilestone", BOOLEAN.required(), |it| {
            it.milestone.group_id.is_some()
        })
        .describe("Whether it is of a group.")
        .load::<Projects, _>("project", object::<Project>("Project"), |it| {
            it.milestone.project_id
        })
        .describe("The project it is of.")
        .load::<Groups, _>("group", object::<NamespaceView>("Group"), |it| {
            it.milestone.group_id
        })
        .describe("The group it is of.")
        .field("createdAt", TIME.required(), |it| it.milestone.created_at)
        .describe("When it was made.")
        .field("updatedAt", TIME.required(), |it| it.milestone.updated_at)
        .describe("When it last changed.");
}

fn filters<T: Any + Send + Sync>(list: ObjectBuilder<'_, T>) {
    list.arg(argument("ids", MILESTONE_ID.required().list()).describe("Only these, by global ID."))
        .arg(argument("state", named("MilestoneStateEnum")).describe("Only in this state."))
        .arg(argument("title", STRING).describe("Only of this title."))
        .arg(argument("searchTitle", STRING).describe("In title or description."))
        .arg(
            argument("includeAncestors", BOOLEAN)
                .default(false)
                .describe("Also those of the groups above."),
        );
}

/// Milestones by id: those of places the viewer may see.
struct MilestoneLoader;

impl Loader for MilestoneLoader {
    type Key = i64;
    type Value = Arc<MilestoneView>;

    async fn load(
        context: Context,
        ids: Vec<i64>,
    ) -> Result<HashMap<i64, Arc<MilestoneView>>, Fault> {
        let (app, viewer) = caller(&context)?;
        let found = app.read(move |tx| rows::visible_by_ids(tx, &viewer, &ids));
        let found = found.await?.into_iter();
        Ok(found
            .map(|one| (one.id, Arc::new(MilestoneView::new(one))))
            .collect())
    }
}

/// Milestones of things that the viewer sees, whose names show with those.
pub struct MilestonesOfIssues;

impl Loader for MilestonesOfIssues {
    type Key = i64;
    type Value = Arc<MilestoneView>;

    async fn load(
        context: Context,
        ids: Vec<i64>,
    ) -> Result<HashMap<i64, Arc<MilestoneView>>, Fault> {
        let (app, _) = caller(&context)?;
        let found = app.read(move |tx| rows::by_ids(tx, &ids)).await?;
        let found = found.into_iter();
        Ok(found
            .map(|(id, one)| (id, Arc::new(MilestoneView::new(one))))
            .collect())
    }
}

async fn of_projects(
    projects: Vec<Arc<Project>>,
    ask: Ask,
    args: Args,
    context: Context,
) -> Result<Vec<Option<Connection<MilestoneView>>>, Fault> {
    let above = projects.iter().flat_map(|it| it.project.ancestors());
    let above = above.collect();
    let places = Places::Projects(projects.iter().map(|it| it.project.id).collect());
    listed(places, above, ask, args, context).await
}

async fn of_groups(
    groups: Vec<Arc<NamespaceView>>,
    ask: Ask,
    args: Args,
    context: Context,
) -> Result<Vec<Option<Connection<MilestoneView>>>, Fault> {
    let above = groups.iter().flat_map(|it| it.namespace.ids()).collect();
    let places = Places::Groups(groups.iter().map(|it| it.namespace.id).collect());
    listed(places, above, ask, args, context).await
}

async fn listed(
    places: Places,
    above: Vec<i64>,
    ask: Ask,
    args: Args,
    context: Context,
) -> Result<Vec<Option<Connection<MilestoneView>>>, Fault> {
    let with_above: Option<bool> = args.get("includeAncestors")?;
    let above = with_above.unwrap_or(false).then_some(above);
    let filter = Filter {
        ids: args.get("ids")?,
        state: chosen(args.get("state")?, MilestoneState::from_text),
        title: args.get("title")?,
        search: args.get("searchTitle")?,
        ..Filter::default()
    };
    let window = ask.window(
        &context,
        "milestones",
        &[Key::int("milestones.id", Order::Desc)],
    )?;
    let ids = places.ids();
    let (app, _) = caller(&context)?;
    let read = app.read(move |tx| {
        let found = rows::pages_of(tx, (&places, above.as_deref()), &filter, &window)?;
        Ok((found, window))
    });
    let (found, window) = read.await?;
    let found = found
        .into_iter()
        .map(|one| one.map(MilestoneView::new))
        .collect();
    let keys = |it: &MilestoneView| -> Vec<Json> { vec![it.milestone.id.into()] };
    let pages = window.pages(&ids, found, keys);
    Ok(pages.into_iter().map(Some).collect())
}
