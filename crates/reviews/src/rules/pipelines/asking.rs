//! Somebody asks for a pipeline of a merge request, be there another one of its head or not.

use super::{Begun, Wanted, place, projects};
use crate::model::MergeRequest;
use crate::rules::versions::{self, Wanted as Due};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::jobs::Run;
use spaces::model::Project;

/// Refuses who may not run one. Where the source is gone nobody is refused: nothing runs.
///
/// # Errors
///
/// `Forbidden`.
pub fn check(
    tx: &mut Tx<'_>, viewer: &Viewer, target: &Project, request: &MergeRequest,
) -> Result<()> {
    match is_allowed(tx, viewer, target, request)? {
        Some(false) => Err(Error::forbidden("")),
        Some(true) | None => Ok(()),
    }
}

/// Whether the viewer may run one now.
pub fn may_begin(
    tx: &mut Tx<'_>, viewer: &Viewer, target: &Project, request: &MergeRequest,
) -> Result<bool> {
    Ok(request.is_open() && is_allowed(tx, viewer, target, request)? == Some(true))
}

/// Whether there is a project for them to run one in; none where the source is gone.
fn is_allowed(
    tx: &mut Tx<'_>, viewer: &Viewer, target: &Project, request: &MergeRequest,
) -> Result<Option<bool>> {
    let source = projects(tx, request)?.and_then(|(source, _)| source);
    match source {
        Some(source) => Ok(Some(place(tx, viewer, (Some(&source), target), true)?.is_some())),
        None => Ok(None),
    }
}

/// Makes it, of the newest head; `by` is the job that does, which ends with it.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn begin(app: &App, viewer: &Viewer, id: i64, by: Option<Run>) -> Result<Begun> {
    versions::make(app, id, Some(viewer.clone()), Due::Source).await?;
    let wanted = Wanted { is_asked: true, ..Wanted::default() };
    super::begin(app, viewer, id, &wanted, by).await
}
