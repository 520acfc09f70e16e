//! Files that people put into texts: kept as blobs, found by a secret that
//! their address holds, removed with their project or group.
//!
//! REST and pages send through [`receive`]; what is sent back goes through
//! [`serve`]. Table: `uploads`.

mod jpeg;
pub mod limits;
pub mod model;
mod receive;
mod serve;
mod store;

use crate::access::{self, Purpose};
use crate::activity::Where;
use crate::hooks;
use crate::members::MembersOf;
use crate::model::{ProjectId, SourceKind};
use crate::store::lookups;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::blobs::Stored;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use model::Upload;
pub use receive::{Sent, receive, receive_bytes, receive_stream};
use serde_json::json;
pub use serve::serve;
pub(crate) use store::sizes;
pub use store::{after, blobs_after, find, page, put_back};

/// Most uploads that go with a text into another project.
const MOST_COPIED: usize = 200;

/// What a deleted project holds of uploads.
pub const CONTENTS: hooks::Contents = hooks::Contents {
    count: store::count_in_project,
    remove: |tx, project, limit| {
        let removed = store::delete_some(tx, project, limit)?;
        if removed > 0 {
            hooks::blobs_unnamed(tx)?;
        }
        Ok(removed)
    },
};

/// How an upload is named: by its number, or as its address does.
#[derive(Debug, Clone)]
pub enum Which {
    Id(i64),
    /// Secret and name.
    Named(String, String),
}

/// Keeps what was sent as a file of a project or group.
pub fn add(tx: &mut Tx<'_>, place: &MembersOf<'_>, name: &str, stored: &Stored) -> Result<Upload> {
    let upload = keep(tx, place.key(), name, stored, place.viewer.user_id())?;
    let details = json!({"upload_id": upload.id, "name": upload.name, "size": upload.size});
    place.record(tx, "upload.create", details)?;
    Ok(upload)
}

/// The same as a part of something that is recorded as a whole, by whomever it is.
pub fn keep(
    tx: &mut Tx<'_>, place: (SourceKind, i64), name: &str, stored: &Stored, by: Option<i64>,
) -> Result<Upload> {
    let secret = hex::encode(kernel::secrets::random_bytes::<16>());
    let size = kernel::blob_rows::insert(tx, stored)?;
    store::insert(tx, place, &secret, name, (size, &stored.key), by)
}

pub fn remove(tx: &mut Tx<'_>, place: &MembersOf<'_>, which: &Which) -> Result<()> {
    let upload = find(tx, place.key(), which)?.found("Upload")?;
    store::delete(tx, upload.id)?;
    hooks::blobs_unnamed(tx)?;
    let details = json!({"upload_id": upload.id, "name": upload.name, "size": upload.size});
    place.record(tx, "upload.delete", details)
}

/// The upload at an address, for who may see it: readers of the project or
/// group, and of pictures and the like whoever knows the secret, where the
/// project asks for no more.
pub fn readable(
    tx: &mut Tx<'_>, viewer: &Viewer, kind: SourceKind, reference: &Reference, which: &Which,
) -> Result<Upload> {
    let (source, sees, enforced) = match kind {
        SourceKind::Project => {
            let mut project = access::find_project(tx, reference)?;
            if project.is_none()
                && let Some(id) = lookups::moved_project(tx, reference)?
            {
                project = access::find_project(tx, &Reference::Id(id))?;
            }
            let project = project.found("")?;
            let sees = access::may(tx, viewer, &project, Purpose::Read)?;
            ((kind, project.id), sees, project.enforce_auth_checks_on_uploads)
        }
        SourceKind::Group => match access::group(tx, viewer, reference, Purpose::Read) {
            Ok(group) => ((kind, group.id), true, true),
            Err(error @ Error::Internal(_)) => return Err(error),
            Err(_) => return Err(Error::NotFound("")),
        },
    };
    let upload = find(tx, source, which)?.found("")?;
    match sees || (!enforced && kernel::media::is_embedded(&upload.name)) {
        true => Ok(upload),
        false => Err(Error::NotFound("")),
    }
}

/// Has a project have the uploads of another one that these texts show, under
/// the same addresses, so that texts may move there.
pub fn copy<'t>(
    tx: &mut Tx<'_>, from: ProjectId, to: ProjectId, texts: impl IntoIterator<Item = &'t str>,
) -> Result<()> {
    copy_between(tx, Where::Project(from), Where::Project(to), texts)
}

/// The same between places of any kind.
pub fn copy_between<'t>(
    tx: &mut Tx<'_>, from: Where, to: Where, texts: impl IntoIterator<Item = &'t str>,
) -> Result<()> {
    let secrets: Vec<String> =
        texts.into_iter().flat_map(model::secrets).take(MOST_COPIED).collect();
    match from == to || secrets.is_empty() {
        true => Ok(()),
        false => store::copy(tx, from, to, &secrets),
    }
}

/// What stands before the addresses of uploads in texts of a project or group,
/// on pages (an empty base) or elsewhere (the instance's address).
pub fn address(base: &str, kind: SourceKind, id: i64) -> String {
    format!("{base}/-/{}/{id}", kind.word())
}
