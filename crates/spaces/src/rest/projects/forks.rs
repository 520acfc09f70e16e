//! Which project is a fork of which.

use super::super::{Caller, change_project};
use super::OneProject;
use crate::access::{self, Purpose};
use crate::entities::ProjectEntity;
use crate::rules::{self, ForkInput};
use http::StatusCode;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::openapi::Operation;
use kernel::http::{
    Answer, Created, Flat, NoContent, Params, RequestContext, Response, Routes, reply,
};
use kernel::ids::Reference;
use serde_json::json;

/// What is said of a name or path that another project has.
const TAKEN: &str = "has already been taken";

pub fn routes(r: &mut Routes) {
    r.post("/projects/{id}/fork", create).summary("Forks a project");
    r.post("/projects/{id}/fork/{forked_from_id}", link)
        .summary("Declares a project a fork of another");
    r.delete("/projects/{id}/fork", unlink)
        .summary("Declares a project no fork any more");
}

kernel::params! {
    /// A fork to be.
    struct CreateFork {
        /// Id or path of the project it is made of.
        pub id: Reference,
        pub input: Flat<ForkInput>,
    }
}

async fn create(by: Caller, params: Params<CreateFork>) -> Result<Created<ProjectEntity>> {
    rules::count_fork(&by.app, &by.viewer)?;
    let made = change_project(by, move |tx, viewer| {
        let source = access::project(tx, viewer, &params.id, Purpose::DownloadCode)?;
        rules::fork_project(tx, viewer, &source, &params.input)
    });
    made.await.map(Created).map_err(taken)
}

/// A name or path that is taken, and nothing else that is wrong, is a conflict.
fn taken(error: Error) -> Error {
    match error {
        Error::Invalid(fields) if fields.iter().all(|(_, texts)| texts == &[TAKEN]) => {
            let fields: serde_json::Map<_, _> =
                fields.into_iter().map(|(name, texts)| (name, json!(texts))).collect();
            Error::Exact(409, json!({"message": fields}))
        }
        other => other,
    }
}

kernel::params! {
    /// A project and what it is a fork of.
    struct LinkFork {
        /// Id or path of the project.
        pub id: Reference,
        /// Id or path of the other.
        pub forked_from_id: Reference,
    }
}

async fn link(by: Caller, params: Params<LinkFork>) -> Result<Created<ProjectEntity>> {
    let linked = change_project(by, move |tx, viewer| {
        rules::link_fork(tx, viewer, &params.id, &params.forked_from_id)
    });
    linked.await.map(Created)
}

/// 204, or 304 where there was nothing to end.
enum Ended {
    Now,
    Before,
}

impl Answer for Ended {
    fn reply(self, app: &App, request: &RequestContext) -> Result<Response> {
        match self {
            Ended::Now => NoContent.reply(app, request),
            Ended::Before => Ok(reply::empty(StatusCode::NOT_MODIFIED)),
        }
    }

    fn describe(operation: &mut Operation<'_>) {
        NoContent::describe(operation);
        operation.status(304, "It was no fork before");
    }
}

async fn unlink(by: Caller, one: Params<OneProject>) -> Result<Ended> {
    by.write(move |tx, by| match rules::unlink_fork(tx, &by.viewer, &one.id)? {
        true => Ok(Ended::Now),
        false => Ok(Ended::Before),
    })
    .await
}
