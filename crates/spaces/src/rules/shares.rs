//! Rules of shares.

use crate::access;
use crate::model::Namespace;
use crate::store::shares as rows;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Result};
use serde_json::json;
use store::Tx;

/// Shares a project or group with a group.
pub fn share(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    source: (&'static str, i64, &str),
    with: &Namespace,
    level: i64,
    expires_at: Option<String>,
) -> Result<()> {
    if !access::GRANTABLE.contains(&level) {
        return Err(Error::Parameters(vec![
            "group_access does not have a valid value".into(),
        ]));
    }
    let to = (source.0, source.1);
    if !rows::insert(tx, to, with.id, level, expires_at)? {
        return Err(Error::Conflict("Already shared with this group".into()));
    }
    audit::record(
        tx,
        viewer,
        "share.create",
        source,
        json!({"group_id": with.id, "access_level": level}),
    )
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

pub fn unshare(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    source: (&'static str, i64, &str),
    group_id: i64,
) -> Result<()> {
    if !rows::delete(tx, (source.0, source.1), group_id)? {
        return Err(Error::NotFound(""));
    }
    audit::record(
        tx,
        viewer,
        "share.destroy",
        source,
        json!({"group_id": group_id}),
    )
}
