//! What people do: they send a list for a project that has no pipelines.

use super::ingest::uploads::ReadUpload;
use super::store::uploads;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::blobs::Stored;
use kernel::error::{Error, Result};
use kernel::jobs::enqueue_at;
use serde_json::json;
use spaces::model::Project;

/// Lists of a project that wait to be read at most.
const MOST_WAITING: i64 = 20;
/// Seconds after which somebody may try again.
const WAIT: u64 = 60;

/// Refuses where nothing may be sent, before any of it is read.
pub fn check_upload(tx: &mut Tx<'_>, project: &Project) -> Result<()> {
    if project.archived {
        return Err(Error::forbidden("The project is archived"));
    }
    match uploads::waiting(tx, project.id)? >= MOST_WAITING {
        true => Err(Error::Limited(WAIT)),
        false => Ok(()),
    }
}

/// Has a list read whose bytes are kept; the token by which the sender asks after it. What
/// waits already, or is the list of the project, has the token that it had.
pub fn upload(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, (token, stored): (&str, &Stored),
) -> Result<String> {
    if let Some(known) = uploads::same(tx, project.id, &stored.sha256)? {
        return Ok(known.token);
    }
    check_upload(tx, project)?;
    let id = uploads::insert(tx, project.id, viewer.user_id(), token, stored)?;
    let target = ("Project", project.id, project.full_path.as_str());
    let details = json!({"sha256": stored.sha256, "size": stored.size});
    audit::record(tx, viewer, "dependencies.upload", target, details)?;
    let now = tx.now();
    enqueue_at(tx, &ReadUpload { upload: id }, now)?;
    Ok(token.to_owned())
}
