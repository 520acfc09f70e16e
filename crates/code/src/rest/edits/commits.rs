//! One commit of many actions.

use super::actions::Actions;
use super::{MAX_BODY, check_rate, code, detail};
use crate::access::CodeRequest;
use crate::entity::CommitDetail;
use kernel::error::{Error, Result};
use kernel::http::{Created, Params, Routes};
use kernel::ids::Reference;
use repositories::edits::{self, Author, EditRequest, Elsewhere, Start};
use repositories::model::RepositoryKind;
use repositories::store::of_project;
use spaces::access::{Purpose, project};
use spaces::model::Project;

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
        /// The project that a new branch begins in, of the same network of forks.
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
    let mut start = match (present(params.start_branch), present(params.start_sha)) {
        (Some(_), Some(_)) => {
            let text = "start_branch, start_sha are mutually exclusive";
            return Err(Error::Parameters(vec![text.into()]));
        }
        (Some(branch), None) => Some(Start::Branch(branch)),
        (None, Some(id)) => Some(Start::Id(id)),
        (None, None) => None,
    };
    let code = code(&at).await?;
    let start_in = match params.start_project {
        Some(other) => start_project(&at, &code.project, other).await?,
        None => None,
    };
    if start_in.is_some() && start.is_none() {
        start = Some(Start::Branch(params.branch.clone()));
    }
    let bytes = params.actions.0.iter().filter_map(|action| action.content.as_ref());
    check_rate(&at, bytes.map(super::actions::Content::len).sum())?;
    let actions = params.actions.0.iter().map(|action| action.to_action());
    let request = EditRequest {
        branch: params.branch,
        start,
        start_in,
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

/// The repository that a new branch begins in, if it is another one.
async fn start_project(
    at: &CodeRequest, own: &Project, other: Reference,
) -> Result<Option<Elsewhere>> {
    let (viewer, network) = (at.viewer.clone(), own.fork_network_id);
    let outside = format!("Project is not included in the fork network for {}", own.name);
    let id = own.id;
    let found = at.app.read(move |tx| {
        let found = project(tx, &viewer, &other, Purpose::DownloadCode)?;
        let repository = of_project(tx, found.id, RepositoryKind::Project)?;
        Ok((found, repository))
    });
    let outside = || Error::Forbidden(outside);
    let Ok((found, repository)) = found.await else {
        return Err(outside());
    };
    if found.id == id {
        return Ok(None);
    }
    if network.is_none() || found.fork_network_id != network {
        return Err(outside());
    }
    let text = "You can only create or edit files when you are on a branch";
    let repository = repository.ok_or_else(|| edits::Refused::new(text))?;
    Ok(Some(Elsewhere { project_id: found.id, repository }))
}
