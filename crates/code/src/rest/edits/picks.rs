//! Commits picked onto branches and taken back, and submodules set to other commits.

use super::{code, detail};
use crate::access::CodeRequest;
use crate::entity::{CommitDetail, CommitEntity};
use http::StatusCode;
use kernel::error::{Error, Result};
use kernel::http::{Ok200, Params, Response, Routes, reply};
use repositories::edits::{self, Pick, PickRequest, SubmoduleRequest, Why};
use serde_json::json;

pub fn routes(r: &mut Routes) {
    r.post("/commits/{sha}/cherry_pick", cherry_pick)
        .answers(201, "The new commit")
        .answers(200, "It could be picked")
        .summary("Picks a commit onto a branch");
    r.post("/commits/{sha}/revert", revert)
        .answers(201, "The new commit")
        .answers(200, "It could be reverted")
        .summary("Takes a commit back on a branch");
    r.put("/submodules/{submodule}", set_submodule)
        .summary("Sets a submodule to another commit");
}

kernel::params! {
    /// A commit, and the branch it is picked onto or reverted on.
    pub struct PickParams {
        /// The commit.
        pub sha: String,
        /// The branch.
        pub branch: String,
        /// What the new commit says, in place of the usual.
        pub message: Option<String>,
        /// Only says whether it could be done.
        pub dry_run: Option<bool>,
    }
}

async fn cherry_pick(at: CodeRequest, params: Params<PickParams>) -> Result<Response> {
    let request = PickRequest {
        message: params.message.clone(),
        ..asked(Pick::CherryPick, &params)
    };
    pick(&at, request, "Commit cherry-pick failed").await
}

async fn revert(at: CodeRequest, params: Params<PickParams>) -> Result<Response> {
    pick(&at, asked(Pick::Revert, &params), "Commit revert failed").await
}

fn asked(pick: Pick, params: &PickParams) -> PickRequest {
    PickRequest {
        pick,
        commit: params.sha.clone(),
        branch: params.branch.clone(),
        message: None,
        is_dry: params.dry_run.unwrap_or(false),
    }
}

async fn pick(at: &CodeRequest, request: PickRequest, failed: &str) -> Result<Response> {
    let code = code(at).await?;
    let made = edits::pick(&at.app, &at.viewer, &code.project, &request).await?;
    match made.map_err(|why| refusal(why, &request, failed))? {
        None => reply::json(StatusCode::OK, &json!({"dry_run": "success"})),
        Some(commit) => {
            let web_url = code.web_url(at.app.base_url());
            let entity = CommitEntity::of(&commit, &web_url).with_trailers();
            reply::json(StatusCode::CREATED, &entity)
        }
    }
}

fn refusal(why: Why, request: &PickRequest, failed: &str) -> Error {
    let (code, text) = match why {
        Why::NoCommit => return Error::NotFound("Commit"),
        Why::NoBranch => return Error::NotFound("Branch"),
        Why::Refused(refused) => return refused.into(),
        Why::Conflict => ("conflict", "the branch changed the same lines since"),
        Why::Empty => ("empty", "the branch is like this already"),
    };
    let mut body = json!({"message": format!("{failed}: {text}"), "error_code": code});
    if request.is_dry {
        body["dry_run"] = "error".into();
    }
    Error::Exact(400, body)
}

kernel::params! {
    /// A submodule and the commit it is set to.
    pub struct SetSubmodule {
        /// Path of the submodule.
        pub submodule: String,
        /// The branch.
        pub branch: String,
        /// A commit of the submodule's own repository.
        pub commit_sha: String,
        /// What the new commit says, in place of the usual.
        pub commit_message: Option<String>,
    }
}

async fn set_submodule(
    at: CodeRequest, params: Params<SetSubmodule>,
) -> Result<Ok200<CommitDetail>> {
    let code = code(&at).await?;
    let request = SubmoduleRequest {
        branch: params.branch.clone(),
        path: params.submodule.clone(),
        commit_id: params.commit_sha.clone(),
        message: params.commit_message.clone(),
    };
    let made = edits::set_submodule(&at.app, &at.viewer, &code.project, request).await??;
    detail(&at, made, false).await.map(Ok200)
}
