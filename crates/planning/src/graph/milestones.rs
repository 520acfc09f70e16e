//! The type `Milestone`, and the milestones of projects and groups.

use super::enums::{MILESTONE_STATE, chosen};
use super::{
    MILESTONE_ID, Pages, by_key, groups, html, one_by_id, projects, read_pages, uncounted,
};
use crate::model::{Milestone, MilestoneState};
use crate::store::milestones::{self as rows, MilestoneFilter};
use crate::store::places::Places;
use identity::viewer::Viewer;
use kernel::graph::context::Loader;
use kernel::graph::{
    Args, Ask, BOOLEAN, Context, Cost, Fault, Graph, HasTypeRef, ID, Key, ObjectBuilder, Order,
    STRING, TIME, Window, named, object,
};
use kernel::time::{date_of, start_of};
use spaces::graph::{Groups, NamespaceView, ProjectView as Project, Projects};
use spaces::model::SourceKind;
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;

pub fn graph(g: &mut Graph) {
    described(
        g.object::<Milestone>("Milestone", "What issues are to be done for, and until when."),
    );
    g.node::<MilestoneLoader, _>(MILESTONE_ID, object("Milestone"));
    let text = "One milestone; null unless the caller may see it.";
    one_by_id::<MilestoneLoader, _>(g, "milestone", "Milestone", MILESTONE_ID, text);
    let milestone = object::<Milestone>("Milestone");
    g.on::<Project>("Project")
        .connections("milestones", milestone.clone(), |of, ask, args, context| {
            listed(projects(&of), ask, args, context)
        })
        .describe("Its milestones, the last made first.")
        .args::<Filters>();
    g.on::<NamespaceView>("Group")
        .connections("milestones", milestone, |of, ask, args, context| {
            listed(groups(&of), ask, args, context)
        })
        .describe("Its milestones, the last made first.")
        .args::<Filters>();
}

fn described(it: ObjectBuilder<'_, Milestone>) {
    it.field("id", ID.required(), |it| MILESTONE_ID.of(it.id))
        .describe("Global ID.")
        .field("iid", ID.required(), |it| it.iid.to_string())
        .describe("Number in its project or group.")
        .field("title", STRING.required(), |it| it.title.clone())
        .describe("Its title.")
        .field("description", STRING, |it| it.description.clone())
        .describe("Its description, in Markdown.")
        .level("descriptionHtml", STRING, |milestones_found: Vec<Arc<Milestone>>, _, _| {
            let source = |it: &Milestone| match (it.project_id, it.group_id) {
                (Some(id), _) => Some((SourceKind::Project, id)),
                (None, id) => id.map(|id| (SourceKind::Group, id)),
            };
            html(milestones_found.iter().map(|it| (it.description.clone(), source(it))).collect())
        })
        .describe("Its description as HTML.")
        .cost(Cost::RENDERED)
        .field("state", MILESTONE_STATE.required(), |it| it.state)
        .describe("Active or closed.")
        .resolve("expired", BOOLEAN.required(), |it, _, context| async move {
            Ok(it.is_expired(date_of(context.app()?.now())))
        })
        .describe("Whether its last day is over.")
        .field("startDate", TIME, |it| it.start_on.map(start_of))
        .describe("Its first day.")
        .field("dueDate", TIME, |it| it.due_on.map(start_of))
        .describe("Its last day.")
        .field("webPath", STRING.required(), |it| it.path())
        .describe("Path of its page.")
        .field("projectMilestone", BOOLEAN.required(), |it| it.project_id.is_some())
        .describe("Whether it is of a project.")
        .field("groupMilestone", BOOLEAN.required(), |it| it.group_id.is_some())
        .describe("Whether it is of a group.")
        .load::<Projects, _>("project", object::<Project>("Project"), |it| it.project_id)
        .describe("The project it is of.")
        .load::<Groups, _>("group", object::<NamespaceView>("Group"), |it| it.group_id)
        .describe("The group it is of.")
        .field("createdAt", TIME.required(), |it| it.created_at)
        .describe("When it was made.")
        .field("updatedAt", TIME.required(), |it| it.updated_at)
        .describe("When it last changed.");
}

kernel::graph_input! {
    struct Filters {
        /// Only these, by global ID.
        ids: Option<Vec<i64>> = MILESTONE_ID.required().list(),
        /// Only in this state.
        state: Option<String> = named("MilestoneStateEnum"),
        /// Only of this title.
        title: Option<String> = STRING,
        /// In title or description.
        search_title: Option<String> = STRING,
        /// Also those of the groups above.
        include_ancestors: Option<bool> = BOOLEAN => false,
    }
}

struct MilestoneLoader;

impl Loader for MilestoneLoader {
    type Key = i64;
    type Value = Arc<Milestone>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<Views, Fault> {
        let read = move |tx: &mut Tx<'_>, viewer: &Viewer| rows::visible_by_ids(tx, viewer, &ids);
        by_key(&context, read, |one: Milestone| (one.id, one)).await
    }
}

/// Milestones of things that the viewer sees, whose names show with those.
pub struct MilestonesOfThings;

impl Loader for MilestonesOfThings {
    type Key = i64;
    type Value = Arc<Milestone>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<Views, Fault> {
        let read = move |tx: &mut Tx<'_>, _: &Viewer| rows::by_ids(tx, &ids);
        by_key(&context, read, |entry| entry).await
    }
}

type Views = HashMap<i64, Arc<Milestone>>;

async fn listed(
    (places, above): (Places, Vec<i64>), ask: Ask, args: Args, context: Context,
) -> Pages<Milestone> {
    let wanted: Filters = args.read()?;
    let above = wanted.include_ancestors.unwrap_or(false).then_some(above);
    let filter = MilestoneFilter {
        ids: wanted.ids,
        state: chosen(wanted.state, MilestoneState::from_text),
        title: wanted.title,
        search: wanted.search_title,
        ..MilestoneFilter::default()
    };
    let key = Key::int("milestones.id", Order::Desc);
    let window = ask.window(&context, "milestones", &[key])?;
    let ids = places.ids();
    let read = move |tx: &mut Tx<'_>, _: &Viewer, window: &Window| {
        rows::pages_of(tx, (&places, above.as_deref()), &filter, window)
    };
    let keys = |it: &Milestone| vec![it.id.into()];
    Ok(uncounted(read_pages(&context, window, &ids, read, keys).await?))
}
