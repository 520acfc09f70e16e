//! Rules of shares.

use crate::access;
use crate::model::Namespace;
use crate::store::shares as rows;
use identity::viewer::Viewer;
use kernel::audit::{self, Target};
use kernel::error::{Error, Result};
use serde_json::json;
use store::Tx;

/// Shares a project or group with a group; the id of the share.
pub fn share(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    source: Target<'_>,
    with: &Namespace,
    level: i64,
    expires_at: Option<String>,
) -> Result<i64> {
    if !access::GRANTABLE.contains(&level) {
        return Err(Error::Parameters(vec![
            "group_access does not have a valid value".into(),
        ]));
    }
    let made = rows::insert(tx, (source.0, source.1), with.id, level, expires_at)?;
    let already = || Error::Conflict("Already shared with this group".into());
    let id = made.ok_or_else(already)?;
    let details = json!({"group_id": with.id, "access_level": level});
    audit::record(tx, viewer, "share.create", source, details)?;
    Ok(id)
}

/// Refuses shares where a group, or one above it, locks them.
pub fn check_unlocked(tx: &mut Tx<'_>, groups: &[i64]) -> Result<()> {
    match rows::is_locked(tx, groups)? {
        true => Err(Error::BadRequest(
            "sharing with groups is locked here".into(),
        )),
        false => Ok(()),
    }
}

pub fn unshare(tx: &mut Tx<'_>, viewer: &Viewer, source: Target<'_>, group_id: i64) -> Result<()> {
    if !rows::delete(tx, (source.0, source.1), group_id)? {
        return Err(Error::NotFound(""));
    }
    let details = json!({"group_id": group_id});
    audit::record(tx, viewer, "share.destroy", source, details)
}
