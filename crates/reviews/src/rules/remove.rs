//! Merge requests that go: the branch stays.

use super::refs;
use crate::activity;
use crate::model::MergeRequest;
use crate::noteable::MERGE_REQUEST;
use crate::store as rows;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Result};
use planning::access::ProjectAccess;
use planning::store::notes;
use repositories::model::RepositoryKind;
use repositories::store::of_project;
use serde_json::json;

/// Removes a merge request with its notes, to-dos and refs, for an owner of the project.
///
/// # Errors
///
/// 403 for others.
pub fn destroy(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, request: &MergeRequest,
) -> Result<()> {
    if !here.is_owner() {
        return Err(Error::forbidden(""));
    }
    activity::forget_request(tx, request.id)?;
    notes::forget(tx, MERGE_REQUEST, &[request.id])?;
    if let Some(repository) = of_project(tx, here.project.id, RepositoryKind::Project)? {
        refs::forget(tx, &repository, request.iid, &["head", "merge", "train"])?;
    }
    rows::delete(tx, request.id)?;
    let details = json!({"project_id": request.target_project_id});
    let target = (MERGE_REQUEST, request.id, request.title.as_str());
    audit::record(tx, viewer, "merge_request.destroy", target, details)
}
