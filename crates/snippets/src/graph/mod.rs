//! Snippets in GraphQL. The rules and what is seen are those of REST.

mod blobs;
mod lists;
mod mutations;
mod snippet;

use crate::access::visible;
use crate::model::Snippet;
use crate::store;
use ::store::Tx;
use identity::graph::caller;
use identity::viewer::Viewer;
use kernel::error::Result as Outcome;
use kernel::graph::context::Loader;
use kernel::graph::scalars::split;
use kernel::graph::shape::Leaf;
use kernel::graph::{Context, Fault, GlobalId, Graph, item, object};
use serde_json::{Value as Json, json};
use spaces::model::Visibility;
use std::collections::HashMap;
use std::sync::Arc;

const OF_PERSON: GlobalId = GlobalId::new("SnippetID", "PersonalSnippet");
const OF_PROJECT: GlobalId = GlobalId::new("SnippetID", "ProjectSnippet");
/// As notes and to-dos name them.
const ANY: GlobalId = GlobalId::new("SnippetID", "Snippet");
const LEVEL: Leaf<Visibility> = Leaf::new("VisibilityLevelsEnum", |level| json!(level.as_str()));

/// Reads an ID of either form, or the general one.
fn read(text: &str) -> Result<i64, String> {
    let (model, _) = split(text)?;
    match model {
        "PersonalSnippet" => OF_PERSON.read(text),
        "ProjectSnippet" => OF_PROJECT.read(text),
        _ => ANY.read(text),
    }
}

pub fn graph(g: &mut Graph) {
    let text = "A global ID of a snippet, such as `gid://service/PersonalSnippet/1`.";
    g.scalar("SnippetID", text, |given| match given {
        Json::String(text) => read(text).map(Json::from).map_err(Some),
        _ => Err(None),
    });
    let levels = || {
        vec![
            item("private", "Its author, or the members of its project."),
            item("internal", "Everyone who is signed in."),
            item("public", "Everyone."),
        ]
    };
    g.enumeration("VisibilityLevelsEnum", "Who sees something.", levels());
    g.enumeration("VisibilityScopesEnum", "Who sees what is listed.", levels());
    let types = vec![item("personal", "Those of people."), item("project", "Those of projects.")];
    g.enumeration("TypeEnum", "Where snippets are.", types);
    snippet::graph(g);
    blobs::graph(g);
    lists::graph(g);
    mutations::graph(g);
    for id in [ANY, OF_PERSON, OF_PROJECT] {
        g.node::<Snippets, _>(id, object("Snippet"));
    }
}

/// Snippets by their ids, of those that the viewer sees.
struct Snippets;

impl Loader for Snippets {
    type Key = i64;
    type Value = Arc<Snippet>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<Snippet>>, Fault> {
        let found = seen(&context, move |tx, viewer| {
            let condition = visible(tx, viewer);
            store::by_ids(tx, &ids, condition)
        });
        Ok(found.await?.into_iter().map(|it| (it.id, Arc::new(it))).collect())
    }
}

/// What is read for the viewer.
async fn seen<T: Send + 'static>(
    context: &Context, read: impl FnOnce(&mut Tx<'_>, &Viewer) -> Outcome<T> + Send + 'static,
) -> Result<T, Fault> {
    let (app, viewer) = caller(context)?;
    Ok(app.read(move |tx| read(tx, &viewer)).await?)
}
