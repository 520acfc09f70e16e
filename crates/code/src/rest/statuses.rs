//! Statuses of commits.

use super::SCOPES;
use super::commits::named;
use crate::access::{Code, CodeRequest};
use crate::statuses::model::{CommitStatus, State};
use crate::statuses::rules;
use crate::statuses::store::{self as rows, Wanted};
use identity::entities::{UserBasic, basic, load_basic};
use identity::model::User;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Created, Paged, Paging, Params, Routes};
use kernel::time::wire;
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::store::refs;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::{Purpose, may};
use std::collections::HashMap;
use store::Tx;

/// What a status is called that has no name.
const NAME: &str = "default";

pub(super) fn routes(r: &mut Routes) {
    r.get("/repository/commits/{sha}/statuses", list)
        .scopes(SCOPES)
        .summary("Lists what programs say of a commit");
    r.post("/statuses/{sha}", set)
        .summary("Says how far something with a commit is");
}

/// What a program says of a commit.
#[derive(Debug, Serialize, JsonSchema)]
struct CommitStatusEntity {
    id: i64,
    sha: String,
    #[serde(rename = "ref")]
    on_ref: String,
    status: String,
    name: String,
    target_url: Option<String>,
    description: Option<String>,
    created_at: String,
    started_at: Option<String>,
    finished_at: Option<String>,
    allow_failure: bool,
    coverage: Option<f64>,
    /// There is none.
    pipeline_id: Option<i64>,
    author: Option<UserBasic>,
}

impl CommitStatusEntity {
    fn of(app: &App, status: CommitStatus, people: &HashMap<i64, User>) -> CommitStatusEntity {
        CommitStatusEntity {
            id: status.id,
            author: status.author_id.and_then(|id| people.get(&id)).map(|user| basic(app, user)),
            created_at: wire::text(status.created_at),
            started_at: status.started_at.map(wire::text),
            finished_at: status.finished_at.map(wire::text),
            status: status.status.to_string(),
            sha: status.sha,
            on_ref: status.on_ref,
            name: status.name,
            target_url: status.target_url,
            description: status.description,
            allow_failure: false,
            coverage: status.coverage,
            pipeline_id: None,
        }
    }
}

kernel::params! {
    /// A commit and which of its statuses.
    struct ListStatuses {
        /// Commit, branch or tag.
        pub sha: String,
        /// Only of this branch or tag.
        pub on_ref as "ref": Option<String>,
        /// Only of this name.
        pub name: Option<String>,
        /// Also those that others came after.
        pub all: Option<bool>,
    }
}

async fn list(
    at: CodeRequest, asked: Params<ListStatuses>, paging: Paging,
) -> Result<Paged<CommitStatusEntity>> {
    let Params(asked) = asked;
    let wanted = Wanted {
        on_ref: asked.on_ref,
        name: asked.name,
        all: asked.all == Some(true),
    };
    let read = move |tx: &mut Tx<'_>, of: (i64, &str), paging: &Paging| {
        rows::page(tx, of, &wanted, paging.fetch(), paging.offset())
    };
    said(&at, &asked.sha, paging, read, |one| one.author_id, CommitStatusEntity::of).await
}

/// A page of what is said of a commit, with who said it.
pub(super) async fn said<R: 'static, E: Send + 'static>(
    at: &CodeRequest, sha: &str, paging: Paging,
    read: impl FnOnce(&mut Tx<'_>, (i64, &str), &Paging) -> Result<(Vec<R>, i64)> + Send + 'static,
    author: fn(&R) -> Option<i64>, entity: fn(&App, R, &HashMap<i64, User>) -> E,
) -> Result<Paged<E>> {
    let (code, commit) = named(at, sha).await?;
    let (project, sha, app) = (code.project.id, commit.id.to_string(), at.app.clone());
    let page = Paged::read(&at.app, paging, move |tx, paging| {
        let (rows, total) = read(tx, (project, &sha), paging)?;
        let people = load_basic(tx, &rows.iter().filter_map(author).collect::<Vec<_>>())?;
        Ok((rows.into_iter().map(|row| entity(&app, row, &people)).collect(), total))
    });
    page.await
}

kernel::params! {
    /// What a program says of a commit.
    struct SetStatus {
        /// Commit, branch or tag.
        pub sha: String,
        /// How far it is.
        pub state: State,
        /// The branch or tag it is for; where the commit is, unless given.
        pub on_ref as "ref": Option<String>,
        /// What it is called: `default` unless given.
        pub name: Option<String>,
        /// The same by another name.
        pub context: Option<String>,
        /// Where there is more of it.
        pub target_url: Option<String>,
        /// What it says.
        pub description: Option<String>,
        /// How much of the code was tried, in percent.
        pub coverage: Option<f64>,
    }
}

async fn set(at: CodeRequest, asked: Params<SetStatus>) -> Result<Created<CommitStatusEntity>> {
    at.viewer.signed_in()?;
    let Params(asked) = asked;
    let (code, commit) = named(&at, &asked.sha).await?;
    let present = |text: Option<String>| text.filter(|text| !text.is_empty());
    let on_ref = match present(asked.on_ref) {
        Some(name) => name,
        None => holder(&at, &code, commit.id).await?,
    };
    let wanted = CommitStatus {
        id: 0,
        sha: commit.id.to_string(),
        on_ref,
        name: present(asked.name).or(present(asked.context)).unwrap_or_else(|| NAME.into()),
        status: asked.state,
        target_url: present(asked.target_url),
        description: present(asked.description),
        coverage: asked.coverage,
        author_id: at.viewer.user_id(),
        created_at: at.app.now(),
        started_at: None,
        finished_at: None,
    };
    let (app, viewer) = (at.app.clone(), at.viewer.clone());
    let project = code.project;
    let set = at.app.write(move |tx| {
        if !may(tx, &viewer, &project, Purpose::PushCode)? {
            return Err(Error::forbidden(""));
        }
        let status = rules::set(tx, project.id, &wanted)?;
        let people = load_basic(tx, &wanted.author_id.into_iter().collect::<Vec<_>>())?;
        Ok(Created(CommitStatusEntity::of(&app, status, &people)))
    });
    set.await
}

/// The branch that a status is of which names none: one that ends with the commit, else
/// the default branch.
async fn holder(at: &CodeRequest, code: &Code, commit: ObjectId) -> Result<String> {
    let (id, head) = (code.repository()?.id, code.head()?.clone());
    let mut there = at.app.read(move |tx| refs::branches_at(tx, id, &[commit])).await?;
    there.sort_by_key(|one| (one.name != head, one.name.to_string()));
    let name: RefName = there
        .into_iter()
        .next()
        .map_or_else(|| code.head().cloned(), |one| Ok(one.name))?;
    Ok(name.as_branch().unwrap_or_default().to_owned())
}
