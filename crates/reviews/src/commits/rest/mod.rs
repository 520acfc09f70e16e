//! REST of what is said of commits: discussions, and comments as an older form of them.

mod comments;

use super::model::DiscussedCommit;
use super::rules::{self, CommitPlace};
use crate::positions::Sent;
use ::store::Tx;
use code::access::{CodeRequest, commit};
use http::Method;
use identity::Caller;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::openapi::Operation;
use kernel::http::params::FromParams;
use kernel::http::{Call, FromCall, Params, RequestContext, Response, Routes};
use kernel::time::Timestamp;
use planning::access::ProjectAccess;
use planning::rules::comments::Comment;
use planning::store::awards::Awardable;
use planning::store::notes::COMMIT;
use planning::{Noted, begin_thread};
use repositories::model::Repository;
use repositories::objects::{Commit, Objects};
use std::sync::Arc;

const ONE: &str = "/projects/{id}/repository/commits/{sha}";

pub fn routes(r: &mut Routes) {
    r.post(&format!("{ONE}/discussions"), begin)
        .named("commits_begin")
        .summary("Begins a discussion of a commit")
        .answers(201, "The note was made")
        .answers(202, "The note held commands alone, which were carried out");
    planning::discussion_routes::<CommitAt>(r, ONE, ("commits", "a commit"));
    comments::routes(r);
}

kernel::params! {
    /// Which commit.
    struct OneCommit {
        /// Commit, by its name or the first digits of it, branch or tag.
        pub sha: String,
    }
}

/// The commit that a request is about, and who asks.
pub struct CommitAt {
    caller: Caller,
    place: CommitPlace,
    project_id: i64,
    repository: Repository,
    commit: Commit,
}

impl FromCall for CommitAt {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let code = CodeRequest::from_call(call).await?;
        if ![Method::GET, Method::HEAD].contains(&call.request.method) {
            code.viewer.signed_in()?;
        }
        let sha = call.path("sha").unwrap_or_default().to_owned();
        let (found, revision) = code.at(Some(sha.as_str()), "Commit").await?;
        let read = move |objects: &Objects| commit(objects, &revision, "Commit");
        let commit = code.objects(&found, read).await?;
        Ok(CommitAt {
            place: CommitPlace::of(found.project.id, &commit),
            project_id: found.project.id,
            repository: found.repository()?.clone(),
            caller: code.caller,
            commit,
        })
    }

    fn describe(operation: &mut Operation<'_>) {
        CodeRequest::describe(operation);
        operation.in_path(OneCommit::fields());
    }
}

impl Noted for CommitAt {
    type Path = CommitPlace;
    // Threads may stand in code.
    const BEGINS_ITSELF: bool = true;

    fn parts(self) -> (Caller, CommitPlace) {
        (self.caller, self.place)
    }

    fn find(
        tx: &mut Tx<'_>, viewer: &Viewer, path: &CommitPlace,
    ) -> Result<(ProjectAccess, DiscussedCommit)> {
        path.find(tx, viewer)
    }

    fn iid(_: &DiscussedCommit) -> Option<i64> {
        None
    }

    fn awardable(commit: &DiscussedCommit) -> Awardable {
        Awardable::Thing(COMMIT, commit.id)
    }
}

kernel::params! {
    struct BeginThread {
        /// The text, in Markdown.
        pub body: String,
        /// When it was written; for owners.
        pub created_at: Option<Timestamp>,
        /// Where in what the commit changed it stands.
        pub position: Option<Sent>,
    }
}

async fn begin(
    at: CommitAt, request: Arc<RequestContext>, Params(asked): Params<BeginThread>,
) -> Result<Response> {
    let app = at.caller.app.clone();
    let position = match &asked.position {
        Some(sent) => Some(rules::place(&app, &at.repository, &at.commit, sent).await?),
        None => None,
    };
    rules::discuss(&app, &at.caller.viewer, at.project_id, &at.commit).await?;
    let comment = Comment {
        body: asked.body.replace("\r\n", "\n"),
        internal: false,
        created_at: asked.created_at,
        discussion_id: None,
        begins_thread: true,
    };
    begin_thread(at, request, comment, move |tx, commit, note| match &position {
        Some(position) => rules::stand(tx, commit, note, position),
        None => Ok(()),
    })
    .await
}
