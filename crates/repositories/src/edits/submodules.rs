//! Submodules are set to other commits.

use super::{Action, ActionKind, Author, EditRequest, Refused, commit};
use crate::formats::object_id::ObjectId;
use crate::objects::Commit;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use spaces::model::Project;

/// Which submodule of a branch is set to what.
#[derive(Debug, Clone)]
pub struct SubmoduleRequest {
    pub branch: String,
    pub path: String,
    pub commit_id: String,
    pub message: Option<String>,
}

/// Sets a submodule to a commit of its own repository, which is not looked at.
pub async fn set_submodule(
    app: &App, viewer: &Viewer, project: &Project, request: SubmoduleRequest,
) -> Result<Result<Commit, Refused>> {
    let parsed = request.commit_id.parse::<ObjectId>().ok();
    let Some(id) = parsed.filter(|id| !id.is_zero()) else {
        return Ok(Err(Refused::new("Invalid parameters")));
    };
    let message = request.message.filter(|message| !message.trim().is_empty());
    let message =
        message.unwrap_or_else(|| format!("Update submodule {} with oid {id}", request.path));
    let edit = EditRequest {
        branch: request.branch,
        start: None,
        start_in: None,
        force: false,
        message,
        author: Author::default(),
        actions: vec![Action::new(ActionKind::Submodule(id), request.path)],
        may_be_empty: false,
    };
    commit(app, viewer, project, edit).await
}
