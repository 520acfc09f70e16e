//! Merge requests in GraphQL (docs/interface/graphql.md 9). The rules and the visible sets are
//! those of REST: what is hidden there is null or left out here.
//!
//! What git is asked for is bounded by [`MOST_READ`]; all else is read for a whole level at
//! once.

mod accept;
mod approvals;
mod change;
mod commits;
mod diffs;
mod enums;
mod filters;
mod interaction;
mod lists;
mod notes;
mod people;
mod pipelines;
mod positions;
mod request;
mod reviews;
mod standing;
mod status;
mod words;
mod write;

use crate::access::{Scope, visible};
use crate::approvals::store::given::{self, Approval};
use crate::model::{MergeRequest, Reviewer, Version};
use crate::noteable::MERGE_REQUEST;
use crate::store::facts::{self, Branches};
use crate::store::{self as rows, people as taking_part, versions};
use ::store::Tx;
use identity::graph::caller;
use identity::viewer::Viewer;
use kernel::error::Result as Outcome;
use kernel::graph::context::Loader;
use kernel::graph::{Context, Fault, GlobalId, Graph, object};
use planning::graph::by_key;
use repositories::model::{Repository, RepositoryKind};
use repositories::store::of_projects;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

pub const MERGE_REQUEST_ID: GlobalId = GlobalId::new("MergeRequestID", MERGE_REQUEST);

/// Most merge requests, and most repositories, that one field of a query asks git about.
const MOST_READ: usize = 20;

pub fn graph(g: &mut Graph) {
    MERGE_REQUEST_ID.register(g);
    enums::graph(g);
    request::graph(g);
    people::graph(g);
    interaction::graph(g);
    standing::graph(g);
    status::graph(g);
    approvals::graph(g);
    diffs::graph(g);
    commits::graph(g);
    words::graph(g);
    pipelines::graph(g);
    positions::graph(g);
    filters::graph(g);
    lists::graph(g);
    change::graph(g);
    write::graph(g);
    accept::graph(g);
    reviews::graph(g);
    notes::graph(g);
    g.node::<Requests, _>(MERGE_REQUEST_ID, object("MergeRequest"));
}

/// Merge requests that the viewer sees, by their ids.
struct Requests;

impl Loader for Requests {
    type Key = i64;
    type Value = Arc<MergeRequest>;

    async fn load(
        context: Context, ids: Vec<i64>,
    ) -> Result<HashMap<i64, Arc<MergeRequest>>, Fault> {
        let read = move |tx: &mut Tx<'_>, viewer: &Viewer| {
            let condition = visible(tx, viewer, &Scope::Everywhere);
            rows::by_ids(tx, &ids, condition)
        };
        by_key(&context, read, |one: MergeRequest| (one.id, one)).await
    }
}

/// A merge request that was read, which stands for its id where more is read of it.
#[derive(Debug, Clone)]
pub struct ById(Arc<MergeRequest>);

impl PartialEq for ById {
    fn eq(&self, other: &ById) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for ById {}

impl Hash for ById {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.id.hash(state);
    }
}

fn keys(requests: &[Arc<MergeRequest>]) -> Vec<ById> {
    requests.iter().cloned().map(ById).collect()
}

fn ids(requests: &[Arc<MergeRequest>]) -> Vec<i64> {
    requests.iter().map(|it| it.id).collect()
}

fn targets(requests: &[Arc<MergeRequest>]) -> Vec<i64> {
    requests.iter().map(|it| it.target_project_id).collect()
}

/// What is read of some merge requests, by them.
async fn of_each<V: Clone + Send + 'static>(
    context: &Context, keys: Vec<ById>,
    read: impl FnOnce(&mut Tx<'_>, &Viewer, &[MergeRequest]) -> Outcome<HashMap<i64, V>>
    + Send
    + 'static,
) -> Result<HashMap<ById, V>, Fault> {
    let (app, viewer) = caller(context)?;
    let requests: Vec<MergeRequest> = keys.iter().map(|key| (*key.0).clone()).collect();
    let found = app.read(move |tx| read(tx, &viewer, &requests)).await?;
    let of = |key: ById| {
        let value = found.get(&key.0.id)?.clone();
        Some((key, value))
    };
    Ok(keys.into_iter().filter_map(of).collect())
}

/// Loaders of what a function reads by ids, whoever asks.
macro_rules! loaders {
    ($($(#[$doc:meta])* $name:ident: $value:ty = $read:expr;)*) => {$(
        $(#[$doc])*
        struct $name;

        impl Loader for $name {
            type Key = i64;
            type Value = $value;

            async fn load(
                context: Context, ids: Vec<i64>,
            ) -> Result<HashMap<i64, $value>, Fault> {
                let (app, _) = caller(&context)?;
                Ok(app.read(move |tx| $read(tx, &ids)).await?)
            }
        }
    )*};
}

loaders! {
    /// The newest version of merge requests.
    Versions: Version = versions::latest_of;
    /// Which of their branches are there.
    BranchesThere: Branches = facts::branches_of;
    /// Thumbs up and down.
    Thumbs: (i64, i64) = facts::thumbs_of;
    /// Who is assigned.
    Assigned: Vec<i64> = taking_part::assignees_of;
    /// Who reviews.
    Reviewing: Vec<Reviewer> = taking_part::reviewers_of;
    /// Who approved.
    Given: Vec<Approval> = given::of;
    /// The repositories of projects, by the ids of these.
    Repositories: Repository = repositories_of;
}

fn repositories_of(tx: &mut Tx<'_>, projects: &[i64]) -> Outcome<HashMap<i64, Repository>> {
    let found = of_projects(tx, projects.to_vec(), RepositoryKind::Project)?;
    Ok(found.into_iter().filter_map(|one| Some((one.project_id?, one))).collect())
}
