//! Rules of shares.

use crate::access::{self, OWNER, Purpose};
use crate::members::{MembersOf, check_end};
use crate::model::SourceKind;
use crate::store::shares as rows;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use kernel::time::Date;
use serde_json::json;
use store::Tx;

kernel::params! {
    /// A share.
    pub struct NewShare {
        /// With whom.
        pub group_id: i64,
        /// The highest role it gives.
        pub group_access: i64,
        /// The day it ends on.
        pub expires_at: Option<Date>,
    }
}

/// Shares a project or group with a group; the ids of the share and of the group.
pub fn share(tx: &mut Tx<'_>, place: &MembersOf<'_>, new: &NewShare) -> Result<(i64, i64)> {
    let level = new.group_access;
    let exists = access::GRANTABLE.contains(&level);
    // Nobody shares at a level above their own.
    if level > place.level.min(OWNER) && exists {
        return Err(Error::forbidden(""));
    }
    let id = Reference::Id(new.group_id);
    let with = access::group(tx, place.viewer, &id, Purpose::Read)?;
    if place.key() == (SourceKind::Group, with.id) {
        let text = "a group cannot be shared with itself";
        return Err(Error::BadRequest(text.into()));
    }
    check_end(tx, new.expires_at)?;
    check_unlocked(tx, &place.source.groups)?;
    if !exists {
        return Err(Error::Parameters(vec!["group_access does not have a valid value".into()]));
    }
    let made = rows::insert(tx, place.key(), with.id, level, new.expires_at)?;
    let already = || Error::Conflict("Already shared with this group".into());
    let id = made.ok_or_else(already)?;
    let details = json!({"group_id": with.id, "access_level": level});
    place.record(tx, "share.create", details)?;
    Ok((id, with.id))
}

/// Refuses shares where a group, or one above it, locks them.
fn check_unlocked(tx: &mut Tx<'_>, groups: &[i64]) -> Result<()> {
    match rows::is_locked(tx, groups)? {
        true => Err(Error::BadRequest("sharing with groups is locked here".into())),
        false => Ok(()),
    }
}

pub fn unshare(tx: &mut Tx<'_>, place: &MembersOf<'_>, group_id: i64) -> Result<()> {
    if !rows::delete(tx, place.key(), group_id)? {
        return Err(Error::NotFound(""));
    }
    place.record(tx, "share.destroy", json!({"group_id": group_id}))
}
