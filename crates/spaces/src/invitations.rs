//! Invitations by e-mail: accepted by the link in the mail, or by having a
//! confirmed account with the address.

use crate::access;
use crate::activity::{self, Action};
use crate::members::{MembersOf, NewMember, check_end, check_level};
use crate::model::SourceKind;
use crate::store::invitations::{self as rows, Invitation};
use crate::store::members::{self, NewRow};
use crate::tasks::SendInvitation;
use identity::model::User;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::http::params::Patch;
use kernel::ids::Reference;
use kernel::jobs::enqueue_at;
use kernel::secrets;
use kernel::time::Date;
use serde_json::json;
use store::Tx;

/// The project or group somebody is invited to, as mails and pages name it.
#[derive(Debug, Clone)]
pub struct Subject {
    pub kind: SourceKind,
    pub id: i64,
    pub full_path: String,
    /// Its address on this instance, from the slash on.
    pub path: String,
    /// Whether mail about it is sent.
    pub emails_enabled: bool,
}

pub fn subject(tx: &mut Tx<'_>, kind: SourceKind, id: i64) -> Result<Option<Subject>> {
    if kind == SourceKind::Group {
        let group = access::find_group(tx, &Reference::Id(id))?;
        return Ok(group.map(|group| Subject {
            kind,
            id,
            path: format!("/groups/{}", group.full_path),
            full_path: group.full_path,
            emails_enabled: group.emails_enabled,
        }));
    }
    let Some(project) = access::find_project(tx, &Reference::Id(id))? else {
        return Ok(None);
    };
    let home = access::find_namespace(tx, &Reference::Id(project.namespace_id))?;
    Ok(Some(Subject {
        kind,
        id,
        path: format!("/{}", project.full_path),
        full_path: project.full_path,
        emails_enabled: home.is_none_or(|home| home.emails_enabled),
    }))
}

fn of_address(tx: &mut Tx<'_>, place: &MembersOf<'_>, email: &str) -> Result<Invitation> {
    rows::of_address(tx, place.key(), email)?.found("")
}

/// Invites an address; a job sends the mail with the link.
pub fn create(tx: &mut Tx<'_>, place: &MembersOf<'_>, email: &str, new: &NewMember) -> Result<()> {
    check_level(place, new.access_level)?;
    check_end(tx, new.expires_at)?;
    if let Some(problem) = identity::model::email_problem(email) {
        return Err(Error::invalid("email", problem));
    }
    let digest = secrets::random_bytes::<32>().to_vec();
    // Until the mail goes out no link opens it.
    let Some(invitation) = rows::insert(tx, place, email, new, digest)? else {
        return Err(Error::Conflict("Member already invited".into()));
    };
    let now = tx.now();
    enqueue_at(tx, &SendInvitation { invitation }, now)?;
    let details = json!({"access_level": new.access_level});
    place.record(tx, "invitation.create", details)
}

kernel::params! {
    /// Changes of an invitation.
    pub struct InvitationChange {
        /// The address.
        pub email: String,
        /// The role.
        pub access_level: Option<i64>,
        /// The day it ends on.
        pub expires_at: Patch<Date>,
    }
}

pub fn change(
    tx: &mut Tx<'_>, place: &MembersOf<'_>, change: &InvitationChange,
) -> Result<Invitation> {
    let known = of_address(tx, place, &change.email)?;
    let level = change.access_level.unwrap_or(known.access_level);
    check_level(place, level.max(known.access_level))?;
    check_level(place, level)?;
    let before = known.expires_at.as_deref().and_then(|day| day.parse().ok());
    let expires_at = change.expires_at.clone().over(before);
    if expires_at != before {
        check_end(tx, expires_at)?;
    }
    rows::update(tx, known.id, level, expires_at)?;
    let details = json!({"access_level": level});
    place.record(tx, "invitation.update", details)?;
    of_address(tx, place, &change.email)
}

pub fn withdraw(tx: &mut Tx<'_>, place: &MembersOf<'_>, email: &str) -> Result<()> {
    let known = of_address(tx, place, email)?;
    check_level(place, known.access_level)?;
    rows::delete(tx, known.id)?;
    let details = json!({"access_level": known.access_level});
    place.record(tx, "invitation.destroy", details)
}

/// The invitation a link opens, with what it is to.
pub fn by_token(tx: &mut Tx<'_>, token: &str) -> Result<(Invitation, Subject)> {
    let digest = secrets::digest(token);
    let found = rows::by_digest(tx, digest)?.found("Invitation")?;
    let subject = subject(tx, found.source_type, found.source_id)?.found("Invitation")?;
    Ok((found, subject))
}

/// The open invitation with this id, and what it is to.
pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<(Invitation, Subject)>> {
    let Some(found) = rows::by_id(tx, id)? else {
        return Ok(None);
    };
    let subject = subject(tx, found.source_type, found.source_id)?;
    Ok(subject.map(|subject| (found, subject)))
}

/// Makes the user a member, as they were invited to; a membership they have
/// already stays as it is.
pub fn accept(
    tx: &mut Tx<'_>, user: &User, invitation: &Invitation, subject: &Subject,
) -> Result<()> {
    if !user.is_human() {
        return Err(Error::forbidden(""));
    }
    let expires_at = invitation.expires_at.as_deref();
    let row = NewRow {
        source: (subject.kind, subject.id),
        user_id: user.id,
        level: invitation.access_level,
        created_by_id: invitation.created_by_id,
        expires_at: expires_at.and_then(|day| day.parse().ok()),
    };
    if members::insert(tx, &row)? {
        activity::member(tx, row.source, user.id, Action::Joined)?;
    }
    answered(tx, user, invitation, subject, "invitation.accept")
}

/// Drops an invitation for whom it was.
pub fn decline(
    tx: &mut Tx<'_>, user: &User, invitation: &Invitation, subject: &Subject,
) -> Result<()> {
    answered(tx, user, invitation, subject, "invitation.decline")
}

fn answered(
    tx: &mut Tx<'_>, user: &User, invitation: &Invitation, subject: &Subject, action: &'static str,
) -> Result<()> {
    rows::delete(tx, invitation.id)?;
    let author = audit::Author { id: Some(user.id), ..Default::default() };
    let target = (subject.kind.as_str(), subject.id, &*subject.full_path);
    let details = json!({"access_level": invitation.access_level});
    audit::record(tx, &author, action, target, details)
}

/// Accepts all that this confirmed address was invited to.
pub fn accept_all(tx: &mut Tx<'_>, user: &User, email: &str) -> Result<()> {
    for invitation in rows::all_of_address(tx, email)? {
        let to = subject(tx, invitation.source_type, invitation.source_id)?;
        if let Some(to) = to {
            accept(tx, user, &invitation, &to)?;
        }
    }
    Ok(())
}
