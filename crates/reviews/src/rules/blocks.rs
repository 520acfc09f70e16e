//! Merge requests that wait for others.

use super::remarks::{remark, remark_naming};
use crate::access;
use crate::model::{Block, MergeRequest};
use crate::store::{self as rows, blocks};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use planning::access::ProjectAccess;

/// Has a merge request wait for another one that the viewer sees, by its id.
///
/// # Errors
///
/// 403 for who may not change it, 404 for what is not there, and 422 for itself, a circle,
/// a twin, and more than it may wait for.
pub fn create(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, request: &MergeRequest,
    blocking_id: i64,
) -> Result<Block> {
    access::check_update(tx, viewer, here, request)?;
    let blocking = rows::by_id(tx, blocking_id)?.found("")?;
    let place = Reference::Id(blocking.target_project_id);
    let (_, blocking) = match access::readable(tx, viewer, &place, blocking.iid) {
        Err(Error::Forbidden(_) | Error::NotFound(_)) => return Err(Error::NotFound("")),
        found => found?,
    };
    let refused = |text: &str| Err(Error::Unprocessable(text.to_owned()));
    if blocking.id == request.id {
        return refused("A merge request cannot block itself");
    }
    if blocks::waits_for(tx, blocking.id, request.id)? {
        return refused("The merge requests would wait for each other");
    }
    if blocks::count(tx, request.id)? >= blocks::MOST {
        return refused("A merge request waits for at most 20 others");
    }
    let Some(block) = blocks::insert(tx, blocking.id, request.id)? else {
        return refused("The merge request waits for it already");
    };
    let name = named(request, &blocking);
    let text = format!("added {name} as a dependency");
    remark_naming(tx, request, viewer.user_id(), &text, &blocking)?;
    Ok(block)
}

/// Has it wait no longer.
///
/// # Errors
///
/// 403 for who may not change it, 404 for what is not there.
pub fn destroy(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, request: &MergeRequest, id: i64,
) -> Result<()> {
    access::check_update(tx, viewer, here, request)?;
    let block = blocks::find(tx, request.id, id)?.found("")?;
    blocks::delete(tx, block.id)?;
    remark(tx, request, viewer.user_id(), "removed a dependency")
}

/// How texts of its project name another one.
fn named(request: &MergeRequest, other: &MergeRequest) -> String {
    match other.target_project_id == request.target_project_id {
        true => other.reference(),
        false => format!("{}{}", other.project_path, other.reference()),
    }
}
