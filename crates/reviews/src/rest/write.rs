//! Merge requests that are made, changed and removed.

use super::{ALL, At, one};
use crate::access;
use crate::entity::{SingleEntity, single};
use crate::model::MergeRequest;
use crate::rules::create::{self as rules, Wanted};
use crate::rules::edit::edit;
use crate::rules::input::{CHANGES, Input, StateEvent};
use crate::rules::rechecks::{recheck, renew};
use crate::rules::remove;
use crate::store as rows;
use ::store::Tx;
use identity::Caller;
use kernel::error::{Error, Found, Result};
use kernel::http::conditional::check_unmodified;
use kernel::http::{Created, Flat, NoContent, Ok200, Params, RequestContext, Routes};
use kernel::ids::Reference;
use spaces::access::find_project;
use spaces::model::Project;
use std::sync::Arc;

pub(super) fn routes(r: &mut Routes) {
    r.post(ALL, create).summary("Makes a merge request");
    r.put(&one(""), update).summary("Changes a merge request");
    r.delete(&one(""), destroy)
        .summary("Deletes a merge request; its branches stay");
}

kernel::params! {
    struct CreateRequest {
        /// Id or path of the project of the source branch.
        pub id: Reference,
        /// Its title.
        pub title: String,
        /// The branch that is to be merged.
        pub source_branch: String,
        /// The branch that it is to be merged into.
        pub target_branch: String,
        /// Id of the project of that; the same unless told.
        pub target_project_id: Option<i64>,
        pub input: Flat<Input>,
    }
}

kernel::params! {
    struct UpdateRequest {
        /// Another title.
        pub title: Option<String>,
        /// Another branch that it is to be merged into.
        pub target_branch: Option<String>,
        pub input: Flat<Input>,
        /// Titles of labels: these no longer.
        pub remove_labels: Option<Vec<String>>,
        /// Close it or open it again.
        pub state_event: Option<StateEvent>,
    }
}

async fn create(by: Caller, asked: Params<CreateRequest>) -> Result<Created<SingleEntity>> {
    let Params(CreateRequest {
        id,
        title,
        source_branch,
        target_branch,
        target_project_id,
        input,
    }) = asked;
    let wanted = Wanted {
        source: id,
        source_branch,
        target_project_id,
        target_branch,
        input: Input { title: Some(title), ..input.0 },
    };
    let made = rules::create(&by.app, &by.viewer, wanted).await?;
    shown(&by, made).await.map(Created)
}

/// A merge request as it is after what was done to it, whoever sees it.
async fn shown(by: &Caller, id: i64) -> Result<SingleEntity> {
    let (project, request) = by.app.read(move |tx| found(tx, id)).await?;
    single(&by.app, &by.viewer, &project, request).await
}

fn found(tx: &mut Tx<'_>, id: i64) -> Result<(Project, MergeRequest)> {
    let request = rows::by_id(tx, id)?.found("")?;
    let place = Reference::Id(request.target_project_id);
    Ok((find_project(tx, &place)?.found("Project")?, request))
}

async fn update(at: At, Params(asked): Params<UpdateRequest>) -> Result<Ok200<SingleEntity>> {
    let mut wanted = Input {
        title: asked.title,
        target_branch: asked.target_branch,
        state_event: asked.state_event,
        ..asked.input.0
    };
    wanted.wears.remove_labels = asked.remove_labels.unwrap_or_default();
    let by = at.caller.clone();
    let (id, is_elsewhere) = at
        .write(move |tx, by, here, request| {
            if wanted.is_empty() {
                access::check_update(tx, &by.viewer, &here, &request)?;
                return Err(Error::none_of(CHANGES));
            }
            let after = edit(tx, &by.viewer, &here, &request, wanted.clone())?;
            Ok((after.id, after.target_branch != request.target_branch))
        })
        .await?;
    if is_elsewhere {
        renew(&by.app, &by.viewer, id).await;
    }
    recheck(&by.app, &by.viewer, id).await?;
    shown(&by, id).await.map(Ok200)
}

async fn destroy(at: At, request: Arc<RequestContext>) -> Result<NoContent> {
    at.write(move |tx, by, here, found| {
        if here.is_owner() {
            check_unmodified(&request, found.updated_at)?;
        }
        remove::destroy(tx, &by.viewer, &here, &found)?;
        Ok(NoContent)
    })
    .await
}
