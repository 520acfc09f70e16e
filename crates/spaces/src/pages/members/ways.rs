//! How people come in but by asking: added, invited by mail, or through a group
//! that this is shared with.

use super::{Form, MemberForm, ShareForm, ends_on};
use crate::access::{self, Purpose};
use crate::invitations::{self, InvitationChange};
use crate::members::{self, MembersOf, NewMember};
use crate::rules::{self, NewShare};
use crate::store::invitations::{self as rows, Invitation};
use crate::store::{self as lists, ShareRow, Source};
use identity::users;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::http::Paging;
use kernel::http::params::Patch;
use kernel::ids::Reference;
use store::Tx;

/// Open invitations that the page shows.
const MOST_INVITATIONS: i64 = 100;

/// Adds a user, or invites an address; what is said of it.
pub(super) fn add(tx: &mut Tx<'_>, place: &MembersOf<'_>, form: &MemberForm) -> Result<String> {
    let typed = form.username.trim().trim_start_matches('@');
    let new = NewMember {
        access_level: form.access_level.unwrap_or_default(),
        expires_at: ends_on(&form.expires_at)?,
    };
    let user = match typed.contains('@') {
        // An address somebody only claims to have is invited like any other.
        true => users::find_by_email(tx, typed)?.filter(|user| user.confirmed_at.is_some()),
        false => users::find_by_username(tx, typed)?,
    };
    let role = access::role_name(new.access_level);
    let Some(user) = user else {
        return match typed.contains('@') {
            true => invite(tx, place, typed, &new),
            false => Err(Error::invalid("username", "is not the name of a user")),
        };
    };
    members::add(tx, place, &user, &new).map_err(|error| already(error, "is a member already"))?;
    Ok(format!("{} is now a member: {role}.", user.name))
}

fn invite(tx: &mut Tx<'_>, place: &MembersOf<'_>, email: &str, new: &NewMember) -> Result<String> {
    invitations::create(tx, place, email, new)
        .map_err(|error| already(error, "is invited already"))?;
    Ok(format!("A mail with an invitation is on its way to {email}."))
}

fn already(error: Error, text: &str) -> Error {
    match error {
        Error::Conflict(_) => Error::invalid("username", text),
        other => other,
    }
}

/// The oldest open invitations.
pub(super) fn invitations(tx: &mut Tx<'_>, place: &MembersOf<'_>) -> Result<Vec<Invitation>> {
    Ok(rows::list(tx, place.key(), None, &Paging::first(MOST_INVITATIONS))?.0)
}

/// Gives an invitation another role and end.
pub(super) fn change_invitation(
    tx: &mut Tx<'_>, place: &MembersOf<'_>, form: &Form,
) -> Result<String> {
    let until = ends_on(&form.member.expires_at)?;
    let change = InvitationChange {
        email: form.email.to_string(),
        access_level: form.member.access_level,
        expires_at: until.map_or(Patch::Null, Patch::Value),
    };
    let changed = invitations::change(tx, place, &change)?;
    let role = access::role_name(changed.access_level);
    Ok(format!("{} is invited as {role}.", changed.email))
}

pub(super) fn withdraw(tx: &mut Tx<'_>, place: &MembersOf<'_>, form: &Form) -> Result<String> {
    invitations::withdraw(tx, place, &form.email)?;
    Ok("Invitation withdrawn.".to_owned())
}

/// Groups it is shared with, those that the viewer may see.
pub(super) fn shares(tx: &mut Tx<'_>, viewer: &Viewer, source: &Source) -> Result<Vec<ShareRow>> {
    let mut found = lists::shares_of(tx, viewer, source.kind.as_str(), &[source.id])?;
    Ok(found.remove(&source.id).unwrap_or_default())
}

/// Shares it with a group; what is said of it.
pub(super) fn share(tx: &mut Tx<'_>, place: &MembersOf<'_>, form: &ShareForm) -> Result<String> {
    let path = form.group.trim().trim_matches('/');
    let found = access::group(tx, place.viewer, &Reference::Path(path.to_owned()), Purpose::Read);
    let group = found.map_err(|error| match error {
        Error::NotFound(_) => Error::invalid("group", "is not the path of a group you can see"),
        other => other,
    })?;
    let new = NewShare {
        group_id: group.id,
        group_access: form.group_access.unwrap_or_default(),
        expires_at: ends_on(&form.share_until)
            .map_err(|error| kernel::html::form::rename(error, "expires_at", "share_until"))?,
    };
    rules::share(tx, place, &new).map_err(|error| match error {
        Error::Conflict(_) => Error::invalid("group", "has a share here already"),
        other => kernel::html::form::rename(other, "expires_at", "share_until"),
    })?;
    let role = access::role_name(new.group_access);
    Ok(format!("Members of {} come in as {role} at most.", group.name))
}

pub(super) fn unshare(tx: &mut Tx<'_>, place: &MembersOf<'_>, form: &Form) -> Result<String> {
    let group = form.group_id.ok_or_else(|| Error::missing("group_id"))?;
    rules::unshare(tx, place, group)?;
    Ok("The group is not shared with any more.".to_owned())
}
