//! Lists of snippets: of a project, of a person, and of all that the caller sees.

use super::seen;
use crate::access::visible;
use crate::model::Snippet;
use crate::store;
use ::store::Fragment;
use identity::graph::Person;
use identity::viewer::Viewer;
use kernel::graph::{
    Args, Ask, BOOLEAN, Connection, Context, Fault, Graph, HasTypeRef, Key, Order, named, object,
};
use kernel::graph_input;
use serde_json::Value as Json;
use spaces::graph::ProjectView as Project;
use spaces::model::{INTERNAL, Visibility};
use std::sync::Arc;

const KEYS: [Key; 1] = [Key::int("snippets.id", Order::Desc)];

graph_input! {
    struct Filters {
        /// Only these.
        ids: Option<Vec<i64>> = named("SnippetID").required().list(),
        /// Only of this visibility.
        visibility: Option<String> = named("VisibilityScopesEnum"),
        /// Only those of people, or of projects.
        r#type as "type": Option<String> = named("TypeEnum"),
    }
}

graph_input! {
    struct RootFilters {
        ..common: Filters,
        /// Only by this author.
        author_id: Option<i64> = named("UserID"),
        /// Only of this project.
        project_id: Option<i64> = named("ProjectID"),
        /// Only those of people that others see.
        explore: Option<bool> = BOOLEAN,
    }
}

impl Filters {
    fn narrow(&self, condition: &mut Fragment) {
        if let Some(ids) = &self.ids {
            condition.raw(" and").in_list("snippets.id", ids.clone());
        }
        if let Some(level) = self.visibility.as_deref().and_then(Visibility::from_text) {
            condition.push(" and snippets.visibility = ", level.level());
        }
        match self.r#type.as_deref() {
            Some("personal") => condition.raw(" and snippets.project_id is null"),
            Some(_) => condition.raw(" and snippets.project_id is not null"),
            None => condition,
        };
    }
}

impl RootFilters {
    fn narrow(&self, condition: &mut Fragment) {
        self.common.narrow(condition);
        if let Some(id) = self.author_id {
            condition.push(" and snippets.author_id = ", id);
        }
        if let Some(id) = self.project_id {
            condition.push(" and snippets.project_id = ", id);
        }
        if self.explore == Some(true) {
            condition
                .push(" and snippets.project_id is null and snippets.visibility >= ", INTERNAL);
        }
    }
}

pub fn graph(g: &mut Graph) {
    g.on::<Project>("Project")
        .connections(
            "snippets",
            object::<Snippet>("Snippet"),
            |of: Vec<Arc<Project>>, ask, args, context| async move {
                let ids = of.iter().map(|it| it.project.id).collect();
                listed(("snippets.project_id", ids), ask, args, context).await
            },
        )
        .describe("Its snippets that the caller may see, the newest first.")
        .args::<Filters>();
    g.on::<Person>("UserCore")
        .connections(
            "snippets",
            object::<Snippet>("Snippet"),
            |of: Vec<Arc<Person>>, ask, args, context| async move {
                let ids = of.iter().map(|it| it.user.id).collect();
                listed(("snippets.author_id", ids), ask, args, context).await
            },
        )
        .describe("Snippets they made that the caller may see, the newest first.")
        .args::<Filters>();
    g.query()
        .connection("snippets", object::<Snippet>("Snippet"), |_, ask, args, context| {
            everywhere(ask, args, context)
        })
        .describe("Snippets that the caller may see, the newest first.")
        .args::<RootFilters>();
}

fn keys(snippet: &Snippet) -> Vec<Json> {
    vec![snippet.id.into()]
}

async fn listed(
    (owner, ids): (&'static str, Vec<i64>), ask: Ask, args: Args, context: Context,
) -> Result<Vec<Option<Connection<Snippet>>>, Fault> {
    let filters: Filters = args.read()?;
    let window = ask.window(&context, "snippets", &KEYS)?;
    let owners = ids.clone();
    let read = seen(&context, move |tx, viewer: &Viewer| {
        let mut condition = visible(tx, viewer);
        filters.narrow(&mut condition);
        let rows = store::pages_of(tx, (owner, &ids), condition, &window)?;
        Ok((rows, window))
    });
    let (rows, window) = read.await?;
    Ok(window.pages(&owners, rows, keys).into_iter().map(Some).collect())
}

async fn everywhere(
    ask: Ask, args: Args, context: Context,
) -> Result<Option<Connection<Snippet>>, Fault> {
    let filters: RootFilters = args.read()?;
    let window = ask.window(&context, "snippets", &KEYS)?;
    let read = seen(&context, move |tx, viewer: &Viewer| {
        let mut condition = visible(tx, viewer);
        filters.narrow(&mut condition);
        Ok((store::page_of(tx, condition, &window)?, window))
    });
    let (rows, window) = read.await?;
    Ok(Some(window.page(rows, keys)))
}
