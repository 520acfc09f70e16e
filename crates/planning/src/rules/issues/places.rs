//! The issue that a request names, with its project, for who may do this.

use super::requests;
use crate::access::{ProjectAccess, desk, desk_signed_in, desk_to_write};
use crate::model::Issue;
use crate::store::issues as rows;
use crate::store::subscriptions::{self, Target};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::ids::Reference;
use store::Tx;

type Found = Result<(ProjectAccess, Issue)>;

pub fn found(tx: &mut Tx<'_>, viewer: &Viewer, id: &Reference, iid: i64) -> Found {
    let access = desk(tx, viewer, id)?;
    of(tx, viewer, access, iid)
}

/// The same, for somebody signed in who is about to write.
pub fn found_to_write(tx: &mut Tx<'_>, viewer: &Viewer, id: &Reference, iid: i64) -> Found {
    let access = desk_to_write(tx, viewer, id)?;
    of(tx, viewer, access, iid)
}

/// The same, for somebody signed in who changes what is theirs alone.
pub fn found_signed_in(tx: &mut Tx<'_>, viewer: &Viewer, id: &Reference, iid: i64) -> Found {
    let access = desk_signed_in(tx, viewer, id)?;
    of(tx, viewer, access, iid)
}

fn of(tx: &mut Tx<'_>, viewer: &Viewer, access: ProjectAccess, iid: i64) -> Found {
    let issue = requests::find(tx, viewer, &access, iid)?;
    Ok((access, issue))
}

/// Whether a user is told of an issue: as they asked, or else as author or
/// assignee.
pub fn is_subscribed(tx: &mut Tx<'_>, user_id: i64, issue: &Issue) -> Result<bool> {
    if let Some(asked) = subscriptions::find(tx, user_id, Target::Issue, issue.id)? {
        return Ok(asked);
    }
    if issue.author_id == Some(user_id) {
        return Ok(true);
    }
    Ok(rows::assignees_of_one(tx, issue.id)?.contains(&user_id))
}

/// Has the viewer told of an issue, or no longer; whether that was not so
/// before.
pub fn subscribe(tx: &mut Tx<'_>, viewer: &Viewer, issue: &Issue, wanted: bool) -> Result<bool> {
    let user_id = viewer.signed_in()?.user.id;
    if is_subscribed(tx, user_id, issue)? == wanted {
        return Ok(false);
    }
    subscriptions::set(tx, user_id, Target::Issue, issue.id, wanted)?;
    Ok(true)
}
