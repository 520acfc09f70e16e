//! Branches come and go.

use super::{delete, writable};
use crate::access::CodeRequest;
use crate::entity::BranchEntity;
use crate::rest::branches::{self, OneBranch};
use crate::rest::refused;
use kernel::error::{Error, Result};
use kernel::http::{Accepted, Created, NoContent, Params, RequestContext, Routes};
use kernel::jobs;
use repositories::edits::{self, DeleteMerged};
use repositories::formats::ref_name::RefName;
use std::sync::Arc;

pub fn routes(r: &mut Routes) {
    r.post("/branches", create).summary("Makes a branch");
    r.delete("/branches/{branch}", destroy).summary("Deletes a branch");
    r.delete("/merged_branches", destroy_merged)
        .summary("Deletes what the default branch has whole, by a job");
}

kernel::params! {
    /// A branch to be.
    pub struct CreateBranch {
        /// Its name.
        pub branch: String,
        /// The branch, tag or commit it begins with.
        pub r#ref as "ref": Option<String>,
    }
}

async fn create(at: CodeRequest, params: Params<CreateBranch>) -> Result<Created<BranchEntity>> {
    let code = writable(&at).await?;
    let from = params.r#ref.clone().filter(|from| !from.is_empty());
    let Some(from) = from else {
        return Err(refused("Ref is missing"));
    };
    let name = params.branch.as_str();
    edits::create_branch(&at.app, &at.viewer, &code.project, name, &from).await??;
    branches::one(&at, name).await.map(Created)
}

async fn destroy(
    at: CodeRequest, request: Arc<RequestContext>, params: Params<OneBranch>,
) -> Result<NoContent> {
    delete(&at, &request, RefName::branch(&params.branch).ok(), "Branch").await
}

async fn destroy_merged(at: CodeRequest) -> Result<Accepted> {
    let code = writable(&at).await?;
    let user = at.viewer.user_id().ok_or(Error::Unauthenticated)?;
    let project = code.project.id;
    at.app
        .write(move |tx| {
            let now = tx.now();
            jobs::enqueue_at(tx, &DeleteMerged { project, user }, now)
        })
        .await?;
    Ok(Accepted)
}
