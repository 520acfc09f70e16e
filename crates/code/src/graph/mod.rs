//! Code in GraphQL (docs/interface/graphql.md 9): repositories, folders, files, commits,
//! and what changes them.
//!
//! Objects are read out of the node's copy, a few repositories at a time, so that a list
//! of projects cannot have a hundred of them opened; refs are found by one statement for
//! all repositories of a level.

mod blobs;
mod branch_rule_changes;
mod branch_rules;
mod commits;
mod forks;
mod mutations;
mod repository;
mod signatures;
mod trees;

pub use commits::CommitView;
use futures_util::{StreamExt, TryStreamExt, stream};
use kernel::error::Result as Outcome;
use kernel::graph::{Args, Context, Fault, Graph, argument, item, named};
use repositories::objects::{self, Objects, Revision};
pub use repository::{RepositoryView, views as repositories_of};
use std::sync::Arc;

/// Most repositories whose objects one field of a query reads.
const MOST_REPOSITORIES: usize = 20;
/// How many of them are read at the same time.
const AT_ONCE: usize = 4;

pub fn graph(g: &mut Graph) {
    let items = vec![item("HEADS", "A branch."), item("TAGS", "A tag.")];
    g.enumeration("RefType", "What a name of a ref is taken for.", items);
    repository::graph(g);
    trees::graph(g);
    blobs::graph(g);
    commits::graph(g);
    signatures::graph(g);
    branch_rules::graph(g);
    branch_rule_changes::graph(g);
    forks::graph(g);
    mutations::graph(g);
}

/// The arguments that say which ref is meant.
fn ref_arguments() -> [kernel::graph::Argument; 2] {
    [
        argument("ref", kernel::graph::STRING)
            .default("HEAD")
            .describe("Branch, tag or commit; the default branch unless said."),
        argument("refType", named("RefType")).describe("What the name is taken for."),
    ]
}

/// The ref that the arguments name, and as it is looked for.
fn ref_of(args: &Args) -> Result<(String, String), Fault> {
    let name: String = args.get::<Option<String>>("ref")?.unwrap_or_else(|| "HEAD".into());
    let kind: Option<String> = args.get("refType")?;
    let text = match kind.as_deref() {
        Some("HEADS") => format!("refs/heads/{name}"),
        Some("TAGS") => format!("refs/tags/{name}"),
        _ => name.clone(),
    };
    Ok((name, text))
}

/// What a ref stands for in each of some repositories.
async fn revisions(
    context: &Context, views: &[Arc<RepositoryView>], text: String,
) -> Result<Vec<Option<Revision>>, Fault> {
    let rows: Vec<_> = views.iter().map(|view| view.repository.clone()).collect();
    let found = context.app()?.read(move |tx| {
        let there: Vec<_> = rows.iter().flatten().collect();
        let mut found = objects::named_in_each(tx, &there, &text)?.into_iter();
        Ok(rows
            .iter()
            .map(|row| row.as_ref().and_then(|_| found.next().flatten()))
            .collect())
    });
    Ok(found.await?)
}

/// Reads objects for each of some repositories, in their order; null where there is
/// nothing to read or nothing is found.
async fn each<A, T>(
    context: &Context, asked: Vec<(Arc<RepositoryView>, Option<A>)>,
    work: impl Fn(&Objects, &Arc<RepositoryView>, &A) -> Outcome<Option<T>>
    + Clone
    + Send
    + Sync
    + 'static,
) -> Result<Vec<Option<T>>, Fault>
where
    A: Send + Sync + 'static,
    T: Send + 'static,
{
    let mut ids: Vec<i64> = asked.iter().map(|(view, _)| view.project.id).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.len() > MOST_REPOSITORIES {
        let text = format!("No more than {MOST_REPOSITORIES} repositories are read at once");
        return Err(Fault::argument(text));
    }
    let app = context.app()?.clone();
    let read = asked.into_iter().map(move |(view, asked)| {
        let (app, work) = (app.clone(), work.clone());
        async move {
            let (Some(repository), Some(asked)) = (view.repository.clone(), asked) else {
                return Ok(None);
            };
            let read =
                objects::read(&app, &repository, move |objects| work(objects, &view, &asked));
            read.await.map_err(Fault::from)
        }
    });
    stream::iter(read).buffered(AT_ONCE).try_collect().await
}
