//! One commit of many actions.

use super::actions::Actions;
use super::{MAX_BODY, check_rate, code, detail};
use crate::access::CodeRequest;
use crate::entity::CommitDetail;
use kernel::error::{Error, Result};
use kernel::http::{Created, Params, Routes};
use kernel::ids::Reference;
use repositories::edits::{self, Author, EditRequest, Start};
use spaces::access::{Purpose, project};

pub fn routes(r: &mut Routes) {
    r.post("/commits", create)
        .takes(MAX_BODY)
        .summary("Makes a commit of changes to files");
}

kernel::params! {
    /// A commit to be.
    pub struct CreateCommit {
        /// The branch it goes to.
        pub branch: String,
        /// What it says.
        pub commit_message: String,
        /// What is done to files, in turn.
        pub actions: Actions,
        /// The branch that a new one begins with.
        pub start_branch: Option<String>,
        /// The commit that a new branch begins with.
        pub start_sha: Option<String>,
        /// The project that a new branch begins in: this one.
        pub start_project: Option<Reference>,
        /// Whom it names as its author.
        pub author_name: Option<String>,
        /// Their address.
        pub author_email: Option<String>,
        /// Begins a branch anew that is there already.
        pub force: Option<bool>,
        /// With the lines that came and went; so unless told otherwise.
        pub stats: Option<bool>,
    }
}

async fn create(at: CodeRequest, params: Params<CreateCommit>) -> Result<Created<CommitDetail>> {
    let params = params.0;
    let present = |text: Option<String>| text.filter(|text| !text.is_empty());
    let start = match (present(params.start_branch), present(params.start_sha)) {
        (Some(_), Some(_)) => {
            let text = "start_branch, start_sha are mutually exclusive";
            return Err(Error::Parameters(vec![text.into()]));
        }
        (Some(branch), None) => Some(Start::Branch(branch)),
        (None, Some(id)) => Some(Start::Id(id)),
        (None, None) => None,
    };
    let code = code(&at).await?;
    if let Some(other) = params.start_project {
        check_start_project(&at, code.project.id, &code.project.name, other).await?;
    }
    let bytes = params.actions.0.iter().filter_map(|action| action.content.as_ref());
    check_rate(&at, bytes.map(super::actions::Content::len).sum())?;
    let actions = params.actions.0.iter().map(|action| action.to_action());
    let request = EditRequest {
        branch: params.branch,
        start,
        force: params.force.unwrap_or(false),
        message: params.commit_message,
        author: Author { name: params.author_name, email: params.author_email },
        actions: actions.collect::<Result<_>>()?,
        may_be_empty: true,
    };
    drop(params.actions);
    let made = edits::commit(&at.app, &at.viewer, &code.project, request).await?;
    detail(&at, made?, params.stats.unwrap_or(true)).await.map(Created)
}

/// Forks are no part of this yet: a branch begins in its own project.
async fn check_start_project(
    at: &CodeRequest, own: i64, name: &str, other: Reference,
) -> Result<()> {
    let viewer = at.viewer.clone();
    let found = at.app.read(move |tx| project(tx, &viewer, &other, Purpose::DownloadCode)).await;
    match found.is_ok_and(|found| found.id == own) {
        true => Ok(()),
        false => Err(Error::Forbidden(format!(
            "Project is not included in the fork network for {name}"
        ))),
    }
}
