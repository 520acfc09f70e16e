//! Who says who somebody elsewhere is, and what becomes of it. What asks for a reader of a
//! group asks for who owns the top-level one.

use super::model::{SourceUser, SourceUserStatus as Status};
use super::store as rows;
use super::tasks::{Reassign, TellOfReassignment};
use crate::store::memberships;
use ::store::Tx;
use identity::model::{User, UserState};
use identity::users::{self, Author};
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use kernel::jobs::enqueue_at;
use serde_json::{Value, json};
use spaces::access::{self, Purpose, find_group};
use spaces::model::Namespace;

/// What is not found.
const THING: &str = "Placeholder";
const BELOW: &str = "Placeholders are those of the group at the top";

/// A top-level group, for who owns it.
///
/// # Errors
///
/// What reading groups is refused with; `BadRequest` of one that stands in another.
pub fn group(tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference) -> Result<Namespace> {
    let group = access::group(tx, viewer, reference, Purpose::ManageMembers)?;
    match group.parent_id {
        None => Ok(group),
        Some(_) => Err(Error::BadRequest(BELOW.into())),
    }
}

/// Somebody elsewhere whom a group knows.
///
/// # Errors
///
/// `NotFound` of others.
pub fn find(tx: &mut Tx<'_>, group: &Namespace, id: i64) -> Result<SourceUser> {
    rows::by_id(tx, id)?.filter(|row| row.namespace_id == group.id).found(THING)
}

/// Says who somebody elsewhere is. Who asks says at once that it is they; others are asked.
///
/// # Errors
///
/// `Unprocessable` where it was said already, `Invalid` of a user who cannot be them.
pub fn reassign(
    tx: &mut Tx<'_>, viewer: &Viewer, group: &Namespace, row: SourceUser, to: &User,
) -> Result<SourceUser> {
    if !row.status.is_open() || row.placeholder_id.is_none() {
        return Err(refused("assigned", &row));
    }
    if !to.is_human() || to.state != UserState::Active {
        return Err(Error::invalid("user_id", "is not somebody who can sign in"));
    }
    let row = SourceUser {
        status: Status::AwaitingApproval,
        user_id: Some(to.id),
        reassigned_by_id: viewer.user_id(),
        ..row
    };
    rows::settle(tx, &row)?;
    let details = json!({"user_id": to.id});
    record(tx, viewer, "placeholder.reassign", (group, &row), details)?;
    if viewer.user_id() == Some(to.id) {
        return give(tx, row);
    }
    let now = tx.now();
    enqueue_at(tx, &TellOfReassignment { source_user: row.id, to: to.id }, now)?;
    reread(tx, row.id)
}

/// Takes it back, as long as nobody answered.
///
/// # Errors
///
/// `Unprocessable` where nobody is asked.
pub fn cancel(
    tx: &mut Tx<'_>, viewer: &Viewer, group: &Namespace, row: SourceUser,
) -> Result<SourceUser> {
    if row.status != Status::AwaitingApproval {
        return Err(refused("taken back", &row));
    }
    let row = unsettled(row, Status::PendingReassignment);
    rows::settle(tx, &row)?;
    record(tx, viewer, "placeholder.cancel", (group, &row), json!({}))?;
    reread(tx, row.id)
}

/// Leaves what somebody did with their placeholder.
///
/// # Errors
///
/// `Unprocessable` where it was said who they are.
pub fn keep(
    tx: &mut Tx<'_>, viewer: &Viewer, group: &Namespace, row: SourceUser,
) -> Result<SourceUser> {
    if !row.status.is_open() {
        return Err(refused("left as it is", &row));
    }
    let row = unsettled(row, Status::KeepAsPlaceholder);
    rows::settle(tx, &row)?;
    record(tx, viewer, "placeholder.keep", (group, &row), json!({}))?;
    reread(tx, row.id)
}

/// Somebody elsewhere of whom the viewer is asked whether it is they.
///
/// # Errors
///
/// `NotFound` of others.
pub fn asked(tx: &mut Tx<'_>, viewer: &Viewer, id: i64) -> Result<SourceUser> {
    let user = viewer.signed_in()?.user.id;
    rows::by_id(tx, id)?.filter(|row| row.user_id == Some(user)).found(THING)
}

/// It is they.
///
/// # Errors
///
/// `Unprocessable` where it was answered.
pub fn accept(tx: &mut Tx<'_>, viewer: &Viewer, row: SourceUser) -> Result<SourceUser> {
    if row.status != Status::AwaitingApproval {
        return Err(refused("accepted", &row));
    }
    let group = find_group(tx, &Reference::Id(row.namespace_id))?.found("Group")?;
    record(tx, viewer, "placeholder.accept", (&group, &row), json!({}))?;
    give(tx, row)
}

/// It is not they.
///
/// # Errors
///
/// `Unprocessable` where it was answered.
pub fn reject(tx: &mut Tx<'_>, viewer: &Viewer, row: SourceUser) -> Result<SourceUser> {
    if row.status != Status::AwaitingApproval {
        return Err(refused("declined", &row));
    }
    let group = find_group(tx, &Reference::Id(row.namespace_id))?.found("Group")?;
    record(tx, viewer, "placeholder.reject", (&group, &row), json!({}))?;
    rows::settle(tx, &unsettled(row.clone(), Status::Rejected))?;
    reread(tx, row.id)
}

/// Gives what the placeholder has to who they are, by a job. What comes from now on is
/// theirs at once.
fn give(tx: &mut Tx<'_>, row: SourceUser) -> Result<SourceUser> {
    let row = SourceUser { status: Status::ReassignmentInProgress, ..row };
    rows::settle(tx, &row)?;
    let now = tx.now();
    enqueue_at(tx, &Reassign { source_user: row.id }, now)?;
    reread(tx, row.id)
}

/// What is left once all was given: the memberships that waited, and the end of the placeholder.
pub(super) fn complete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let found = rows::by_id(tx, id)?;
    let Some(row) = found.filter(|row| row.status == Status::ReassignmentInProgress) else {
        return Ok(());
    };
    let (Some(placeholder), Some(user)) = (row.placeholder_id, row.user_id) else {
        // Who they were is gone meanwhile, and so is who stood for them.
        return rows::settle(tx, &unsettled(row, Status::PendingReassignment));
    };
    memberships::settle(tx, placeholder, user)?;
    rows::settle(tx, &SourceUser { status: Status::Completed, ..row })?;
    rows::set_placeholder(tx, id, None)?;
    let by = Author { id: Some(user), ..Author::default() };
    users::end_placeholder(tx, &by, placeholder, user)
}

/// Nobody is them.
fn unsettled(row: SourceUser, status: Status) -> SourceUser {
    SourceUser { status, user_id: None, reassigned_by_id: None, ..row }
}

fn reread(tx: &mut Tx<'_>, id: i64) -> Result<SourceUser> {
    rows::by_id(tx, id)?.found(THING)
}

fn refused(verb: &str, row: &SourceUser) -> Error {
    Error::Unprocessable(format!("It cannot be {verb} because it is {}", row.status))
}

/// Writes down what somebody did with a placeholder of a group.
fn record(
    tx: &mut Tx<'_>, viewer: &Viewer, action: &'static str,
    (group, row): (&Namespace, &SourceUser), mut details: Value,
) -> Result<()> {
    details["source_user"] = json!(row.username);
    details["host"] = json!(row.host);
    audit::record(tx, viewer, action, ("Group", group.id, &group.full_path), details)
}
