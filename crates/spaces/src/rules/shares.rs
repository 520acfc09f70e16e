//! Rules of shares.

use super::record;
use crate::access;
use crate::model::Namespace;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use serde_json::json;
use store::{Tx, sql};

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
    let now = tx.now();
    let made = tx.execute(
        sql!(
            "insert into shares (source_type, source_id, group_id, access_level, expires_at,
                created_at) values ($1, $2, $3, $4, $5, $6)
             on conflict (source_type, source_id, group_id) do nothing"
        ),
        (source.0, source.1, with.id, level, expires_at, now),
    )?;
    if made == 0 {
        return Err(Error::Conflict("Already shared with this group".into()));
    }
    record(
        tx,
        viewer,
        "share.create",
        source,
        json!({"group_id": with.id, "access_level": level}),
    )
}

/// Refuses shares where a group, or one above it, locks them.
pub fn check_unlocked(tx: &mut Tx<'_>, groups: &[i64]) -> Result<()> {
    let locked: Option<i64> = tx.optional(
        sql!("select id from namespaces where id in_list($1) and share_with_group_lock limit 1"),
        (groups,),
    )?;
    match locked {
        Some(_) => Err(Error::BadRequest(
            "sharing with groups is locked here".into(),
        )),
        None => Ok(()),
    }
}

/// Ends a share.
pub fn unshare(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    source: (&'static str, i64, &str),
    group_id: i64,
) -> Result<()> {
    let gone = tx.execute(
        sql!("delete from shares where source_type = $1 and source_id = $2 and group_id = $3"),
        (source.0, source.1, group_id),
    )?;
    if gone == 0 {
        return Err(Error::NotFound(""));
    }
    record(
        tx,
        viewer,
        "share.destroy",
        source,
        json!({"group_id": group_id}),
    )
}
