//! Merge requests are merged and rebased.

use super::{At, one};
use crate::entity::{SingleEntity, single};
use crate::rules::checks;
use crate::rules::merge::{Wanted, accept};
use crate::rules::merge_words::Order;
use crate::rules::{auto_merge, rebasing};
use http::StatusCode;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::openapi::Operation;
use kernel::http::reply;
use kernel::http::{Answer, Created, Ok200, Params, RequestContext, Response, Routes};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

pub(super) fn routes(r: &mut Routes) {
    r.put(&one("/merge"), merge).summary("Merges a merge request");
    r.post(&one("/cancel_merge_when_pipeline_succeeds"), cancel)
        .summary("Takes back that a merge request is merged once its checks pass");
    r.put(&one("/rebase"), rebase)
        .summary("Makes the source branch again on top of the target");
    r.get(&one("/merge_ref"), merge_ref)
        .summary("Shows the commit that a merge would make");
    r.put(&one("/merge_ref"), merge_ref)
        .named("merge_ref_put")
        .summary("Shows the commit that a merge would make, as GET does");
}

kernel::params! {
    struct MergeParams {
        /// Message of the commit of the merge.
        pub merge_commit_message: Option<String>,
        /// Message of the one commit in place of many.
        pub squash_commit_message: Option<String>,
        /// Its commits become one.
        pub squash: Option<bool>,
        /// The source branch goes with the merge.
        pub should_remove_source_branch: Option<bool>,
        /// It is merged once its checks pass.
        pub auto_merge: Option<bool>,
        /// The same by its older name.
        pub merge_when_pipeline_succeeds: Option<bool>,
        /// The head as the caller knows it: of another one nothing is merged.
        pub sha: Option<String>,
    }
}

async fn merge(at: At, Params(asked): Params<MergeParams>) -> Result<Ok200<SingleEntity>> {
    let by = at.caller.clone();
    let again = at.clone();
    let id = at.read(|_, _, _, request| Ok(request.id)).await?;
    let wanted = Wanted {
        order: Order {
            sha: asked.sha,
            merge_commit_message: asked.merge_commit_message,
            squash_commit_message: asked.squash_commit_message,
        },
        squash: asked.squash,
        should_remove_source_branch: asked.should_remove_source_branch,
        auto_merge: asked.auto_merge.or(asked.merge_when_pipeline_succeeds).unwrap_or(false),
    };
    accept(&by.app, &by.viewer, id, wanted).await?;
    let (project, request) = again.read(|_, _, here, request| Ok((here.project, request))).await?;
    single(&by.app, &by.viewer, &project, request).await.map(Ok200)
}

/// What was done.
#[derive(Debug, Serialize, JsonSchema)]
struct Success {
    status: &'static str,
}

async fn cancel(at: At) -> Result<Created<Success>> {
    at.write_own(|tx, by, here, request| {
        auto_merge::cancel(tx, &by.viewer, &here.project, &request)?;
        Ok(Created(Success { status: "success" }))
    })
    .await
}

kernel::params! {
    struct RebaseParams {
        /// Its push begins no pipeline.
        pub skip_ci: Option<bool>,
    }
}

/// 202: a job rebases it.
#[derive(Debug, Serialize, JsonSchema)]
struct Rebasing {
    rebase_in_progress: bool,
}

impl Answer for Rebasing {
    fn reply(self, _: &App, _: &RequestContext) -> Result<Response> {
        reply::json(StatusCode::ACCEPTED, &self)
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.answers::<Rebasing>(202);
    }
}

async fn rebase(at: At, Params(asked): Params<RebaseParams>) -> Result<Rebasing> {
    let skip_ci = asked.skip_ci.unwrap_or(false);
    at.write_own(move |tx, by, _, request| {
        rebasing::begin(tx, &by.viewer, &request, skip_ci)?;
        Ok(Rebasing { rebase_in_progress: true })
    })
    .await
}

/// A commit.
#[derive(Debug, Serialize, JsonSchema)]
struct MergeRef {
    commit_id: String,
}

async fn merge_ref(at: At) -> Result<Ok200<MergeRef>> {
    let app = at.caller.app.clone();
    let id = at.read(|_, _, _, request| Ok(request.id)).await?;
    let refused = |text: &str| Error::Exact(400, json!({"message": text}));
    let found = checks::merge_ref(&app, id).await?;
    let found = found.ok_or_else(|| refused("Merge request is not mergeable"))?;
    let commit = found.ok_or_else(|| refused("Merge ref cannot be updated"))?;
    Ok(Ok200(MergeRef { commit_id: commit.to_string() }))
}
