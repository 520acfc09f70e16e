//! REST of snippets, the same for those of people and of projects.

mod files;
mod lists;
mod talk;
mod write;

use crate::access::SnippetAccess;
use crate::entity::{self, SnippetEntity, UserAgentEntity};
use crate::rules::{self, Which};
use ::store::Tx;
use identity::Caller;
use kernel::error::{Error, Result};
use kernel::http::openapi::Operation;
use kernel::http::params::{FromParams, Source};
use kernel::http::{Call, FromCall, NoContent, Ok200, Routes};
use kernel::ids::Reference;

/// Largest body, in bytes: some files in any encoding.
const MAX_BODY: usize = 80 * 1024 * 1024;
const OWN: &str = "/snippets";
const OF_PROJECT: &str = "/projects/{id}/snippets";

pub fn routes(r: &mut Routes) {
    lists::routes(r);
    for (base, name, thing) in [
        (OWN, "snippets", "a snippet"),
        (OF_PROJECT, "project_snippets", "a snippet of a project"),
    ] {
        let one = format!("{base}/{{snippet_id}}");
        let at = |rest: &str| format!("{one}{rest}");
        let named = |handler: &str| format!("{name}_{handler}");
        write::routes(r, (base, &one), name, thing);
        r.get(&one, show).named(&named("show")).summary(format!("Shows {thing}"));
        r.delete(&one, destroy)
            .named(&named("destroy"))
            .summary(format!("Deletes {thing}"));
        r.get(&at("/user_agent_detail"), user_agent)
            .named(&named("user_agent"))
            .summary(format!("Shows what {thing} was made with, to administrators"));
        files::routes(r, &one, name, thing);
        planning::talk_routes::<SnippetRequest>(r, &one, (name, thing));
    }
}

kernel::params! {
    /// A snippet as an address names it.
    struct SnippetPath {
        /// Id or path of the project.
        pub id: Option<Reference>,
        /// Id of the snippet.
        pub snippet_id: Option<i64>,
    }
}

impl SnippetPath {
    /// What the path says, and nothing that was sent beside it.
    fn of(call: &Call) -> Result<SnippetPath> {
        let mut source = Source::new();
        for name in ["id", "snippet_id"] {
            if let Some(text) = call.path(name) {
                source.insert(name.to_owned(), text.into());
            }
        }
        SnippetPath::from_params(&source).map_err(Error::Parameters)
    }
}

/// Who asks about the snippets of a project, or about others where none is named.
#[derive(Clone)]
struct PlaceRequest {
    caller: Caller,
    project: Option<Reference>,
}

impl FromCall for PlaceRequest {
    async fn from_call(call: &mut Call) -> Result<PlaceRequest> {
        let caller = Caller::from_call(call).await?;
        Ok(PlaceRequest { caller, project: SnippetPath::of(call)?.id })
    }

    fn describe(operation: &mut Operation<'_>) {
        Caller::describe(operation);
        operation.in_path(SnippetPath::fields());
    }
}

/// Who asks about which snippet.
#[derive(Clone)]
pub struct SnippetRequest {
    caller: Caller,
    which: Which,
}

impl FromCall for SnippetRequest {
    async fn from_call(call: &mut Call) -> Result<SnippetRequest> {
        let caller = Caller::from_call(call).await?;
        let path = SnippetPath::of(call)?;
        let which = Which { project: path.id, id: path.snippet_id.unwrap_or_default() };
        Ok(SnippetRequest { caller, which })
    }

    fn describe(operation: &mut Operation<'_>) {
        Caller::describe(operation);
        operation.in_path(SnippetPath::fields());
    }
}

impl SnippetRequest {
    /// The snippet, for who sees it.
    async fn find(&self) -> Result<SnippetAccess> {
        let (viewer, which) = (self.caller.viewer.clone(), self.which.clone());
        let find = move |tx: &mut Tx<'_>| which.find(tx, &viewer);
        self.caller.app.read(find).await
    }
}

async fn show(at: SnippetRequest) -> Result<Ok200<SnippetEntity>> {
    let which = at.which;
    at.caller
        .read(move |tx, by| {
            let found = which.find(tx, &by.viewer)?;
            entity::one(&by.app, tx, &found.snippet).map(Ok200)
        })
        .await
}

async fn destroy(at: SnippetRequest) -> Result<NoContent> {
    let which = at.which;
    at.caller
        .write(move |tx, by| rules::destroy(tx, &by.viewer, &which).map(|_| NoContent))
        .await
}

async fn user_agent(at: SnippetRequest) -> Result<Ok200<UserAgentEntity>> {
    at.caller.viewer.signed_in()?;
    if !at.caller.viewer.is_admin() {
        return Err(Error::forbidden(""));
    }
    let snippet = at.find().await?.snippet;
    match snippet.user_agent.is_empty() && snippet.ip_address.is_empty() {
        true => Err(Error::NotFound("UserAgentDetail")),
        false => Ok(Ok200(UserAgentEntity {
            user_agent: snippet.user_agent,
            ip_address: snippet.ip_address,
            akismet_submitted: snippet.marked_as_spam_at.is_some(),
        })),
    }
}
