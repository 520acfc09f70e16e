//! Forks whose branches who may merge may push to.

use crate::access::may_merge;
use crate::model::MergeRequest;
use crate::store as rows;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::ids::Reference;
use repositories::model::RepositoryKind;
use repositories::protection;
use repositories::store::of_project;
use spaces::access::{Purpose, find_project, may};
use spaces::model::{PRIVATE, Project};

/// Whether the branch of a fork can be opened at all: both projects are more open than
/// private, and it is not protected.
fn can_be(tx: &mut Tx<'_>, source: &Project, target: &Project, branch: &str) -> Result<bool> {
    let is_open = |project: &Project| project.visibility > PRIVATE;
    if source.id == target.id || !is_open(source) || !is_open(target) {
        return Ok(false);
    }
    let Some(repository) = of_project(tx, source.id, RepositoryKind::Project)? else {
        return Ok(false);
    };
    Ok(!protection::protected_branches(tx, source, &repository)?(branch))
}

/// Whether the viewer may open it: who pushes there.
pub fn may_allow(
    tx: &mut Tx<'_>, viewer: &Viewer, source: &Project, target: &Project, branch: &str,
) -> Result<bool> {
    if !can_be(tx, source, target, branch)? {
        return Ok(false);
    }
    let repository = of_project(tx, source.id, RepositoryKind::Project)?;
    protection::may_push_by_right(tx, viewer, source, repository.as_ref(), branch)
}

/// Whether it is open now, as long as the merge request is.
pub fn is_open(
    tx: &mut Tx<'_>, request: &MergeRequest, source: &Project, target: &Project,
) -> Result<bool> {
    if !request.allow_collaboration || !request.is_pending() {
        return Ok(false);
    }
    can_be(tx, source, target, &request.source_branch)
}

/// Whether a branch of a project, or any where none is named, is open to the viewer: who
/// may merge what is to be merged from it. For `repositories::hooks::Hooks`.
pub fn opened(
    tx: &mut Tx<'_>, viewer: &Viewer, source: &Project, branch: Option<&str>,
) -> Result<bool> {
    if source.archived || !may(tx, viewer, source, Purpose::DownloadCode)? {
        return Ok(false);
    }
    for request in rows::collaborating(tx, source.id, branch)? {
        let place = Reference::Id(request.target_project_id);
        let Some(target) = find_project(tx, &place)? else { continue };
        if is_open(tx, &request, source, &target)?
            && may_merge(tx, viewer, &target, &request.target_branch)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The project of the source branch; none where the fork is gone.
pub fn source_of(tx: &mut Tx<'_>, request: &MergeRequest) -> Result<Option<Project>> {
    match request.source_project_id {
        Some(id) => find_project(tx, &Reference::Id(id)),
        None => Ok(None),
    }
}

/// Whether the viewer may push to the source branch, be it that it is open to them.
pub fn may_push_source(tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest) -> Result<bool> {
    let Some(source) = source_of(tx, request)? else {
        return Ok(false);
    };
    let repository = of_project(tx, source.id, RepositoryKind::Project)?;
    let branch = request.source_branch.as_str();
    protection::may_push(tx, viewer, &source, repository.as_ref(), branch)
}
