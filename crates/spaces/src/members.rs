//! Rules of membership: who may be added, with which role, and who must stay.

use crate::access::{self, GRANTABLE, MAINTAINER, OWNER, Purpose};
use crate::activity::{self, Action};
use crate::model::{Namespace, Project, SourceKind};
use crate::store as lists;
use crate::store::members::{self as rows, NewRow};
use crate::store::{Breadth, MemberRow, Source};
use crate::tasks::{MemberNews, News, TellMember, TellOfRequest};
use identity::model::User;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Result};
use kernel::http::params::Patch;
use kernel::ids::Reference;
use kernel::jobs::enqueue_at;
use kernel::time::{Date, date_of};
use serde_json::{Value as Json, json};
use store::Tx;

/// Most users who are told of one access request.
const MAX_TOLD: i64 = 10;
/// Most users or addresses that one request may name.
pub const MAX_AT_ONCE: usize = 100;

/// A project or group whose members are asked for, and who asks.
pub struct MembersOf<'v> {
    /// What the members belong to.
    pub source: Source,
    pub viewer: &'v Viewer,
    /// The viewer's level there, as far as the purpose asked for it.
    pub level: i64,
    pub project: Option<Project>,
    pub takes_requests: bool,
}

pub fn place<'v>(
    tx: &mut Tx<'_>, viewer: &'v Viewer, (kind, reference): (SourceKind, &Reference),
    purpose: Purpose,
) -> Result<MembersOf<'v>> {
    Ok(match kind {
        SourceKind::Group => {
            let (group, level) = access::group_and_level(tx, viewer, reference, purpose)?;
            MembersOf::of_group(viewer, &group, level)
        }
        SourceKind::Project => {
            let (project, level) = access::project_and_level(tx, viewer, reference, purpose)?;
            MembersOf::of_project(viewer, &project, level)
        }
    })
}

impl<'v> MembersOf<'v> {
    pub fn of_group(viewer: &'v Viewer, group: &Namespace, level: i64) -> MembersOf<'v> {
        MembersOf {
            source: Source::of_group(group),
            viewer,
            level,
            project: None,
            takes_requests: group.request_access_enabled,
        }
    }

    pub fn of_project(viewer: &'v Viewer, project: &Project, level: i64) -> MembersOf<'v> {
        MembersOf {
            source: Source::of_project(project),
            viewer,
            level,
            takes_requests: project.request_access_enabled,
            project: Some(project.clone()),
        }
    }

    /// The place as rows name it.
    pub fn key(&self) -> (SourceKind, i64) {
        (self.source.kind, self.source.id)
    }

    /// Records what the viewer did here.
    pub fn record(&self, tx: &mut Tx<'_>, action: &'static str, details: Json) -> Result<()> {
        audit::record(tx, self.viewer, action, self.target(), details)
    }

    fn target(&self) -> (&'static str, i64, &str) {
        (self.source.kind.as_str(), self.source.id, &self.source.name)
    }
}

kernel::params! {
    /// What new members get.
    pub struct NewMember {
        /// Their role.
        pub access_level: i64,
        /// The day it ends on.
        pub expires_at: Option<Date>,
    }
}

kernel::params! {
    /// Changes of a member.
    pub struct MemberChange {
        /// Who.
        pub user_id: i64,
        /// The new role.
        pub access_level: i64,
        /// The day it ends on.
        pub expires_at: Patch<Date>,
    }
}

/// Refuses levels that do not exist and levels above the viewer's own.
pub fn check_level(place: &MembersOf<'_>, level: i64) -> Result<()> {
    if !GRANTABLE.contains(&level) {
        return Err(Error::invalid("access_level", "is not included in the list"));
    }
    if level > place.level {
        return Err(Error::forbidden(""));
    }
    Ok(())
}

/// Refuses a level below the one that the user has from a group above.
fn check_inherited(tx: &mut Tx<'_>, place: &MembersOf<'_>, user_id: i64, level: i64) -> Result<()> {
    match lists::inherited(tx, &place.source, user_id)? {
        Some((above, group)) if above > level => {
            let role = access::role_name(above);
            Err(Error::invalid(
                "access_level",
                format!(
                    "should be greater than or equal to {role} inherited membership from group \
                     {group}"
                ),
            ))
        }
        _ => Ok(()),
    }
}

/// Refuses an end that has come already.
pub fn check_end(tx: &Tx<'_>, expires_at: Option<Date>) -> Result<()> {
    match expires_at {
        Some(date) if date <= date_of(tx.now()) => {
            Err(Error::invalid("expires_at", "cannot be a date in the past"))
        }
        _ => Ok(()),
    }
}

/// Adds a user, or turns their request into membership.
pub fn add(tx: &mut Tx<'_>, place: &MembersOf<'_>, user: &User, new: &NewMember) -> Result<()> {
    check_level(place, new.access_level)?;
    check_end(tx, new.expires_at)?;
    if !user.is_human() {
        return Err(Error::invalid("user", "is a bot of another project or group"));
    }
    let row = NewRow {
        source: place.key(),
        user_id: user.id,
        level: new.access_level,
        created_by_id: place.viewer.user_id(),
        expires_at: new.expires_at,
    };
    if !rows::insert(tx, &row)? {
        return Err(Error::Conflict("Member already exists".into()));
    }
    check_inherited(tx, place, user.id, new.access_level)?;
    activity::member(tx, place.key(), user.id, Action::Joined)?;
    tell_member(tx, place, MemberNews::Added, user.id)?;
    let details = json!({"user_id": user.id, "access_level": new.access_level});
    place.record(tx, "member.create", details)
}

/// Adds one of several users, none where there is no such user; why not, where
/// they are refused.
pub fn add_each(
    tx: &mut Tx<'_>, place: &MembersOf<'_>, user: Option<&User>, new: &NewMember,
) -> Result<Option<String>> {
    reason(match user {
        Some(user) => tx.savepoint(|tx| add(tx, place, user, new)),
        None => Err(Error::NotFoundText("404 User Not Found".into())),
    })
}

/// The refusal of one of several, as text; failures of ours stay failures.
pub fn reason(result: Result<()>) -> Result<Option<String>> {
    match result {
        Ok(()) => Ok(None),
        Err(Error::Conflict(text) | Error::NotFoundText(text)) => Ok(Some(text)),
        Err(Error::Invalid(fields)) => {
            let texts = fields.iter().flat_map(|(field, messages)| {
                messages.iter().map(move |message| format!("{field} {message}"))
            });
            Ok(Some(texts.collect::<Vec<_>>().join(", ")))
        }
        Err(other) => Err(other),
    }
}

fn direct(tx: &mut Tx<'_>, place: &MembersOf<'_>, user_id: i64) -> Result<MemberRow> {
    lists::member(tx, &place.source, Breadth::Direct, user_id)?.ok_or(Error::NotFound(""))
}

/// Changes a role and its end.
pub fn change(tx: &mut Tx<'_>, place: &MembersOf<'_>, change: &MemberChange) -> Result<MemberRow> {
    let (user_id, level) = (change.user_id, change.access_level);
    let row = direct(tx, place, user_id)?;
    check_level(place, level)?;
    if row.access_level > place.level {
        return Err(Error::forbidden(""));
    }
    check_inherited(tx, place, user_id, level)?;
    let before = row.expires_at.as_deref().and_then(|date| date.parse().ok());
    let expires_at = change.expires_at.clone().over(before);
    if expires_at != before {
        check_end(tx, expires_at)?;
    }
    if row.access_level == OWNER && (level < OWNER || expires_at.is_some()) {
        keep_an_owner(tx, place, user_id)?;
    }
    rows::update(tx, &place.source, user_id, level, expires_at)?;
    if (row.access_level, before) != (level, expires_at) {
        tell_member(tx, place, MemberNews::Changed, user_id)?;
    }
    let details = json!({"user_id": user_id, "from": row.access_level, "access_level": level});
    place.record(tx, "member.update", details)?;
    direct(tx, place, user_id)
}

/// A group never loses its last owner; a personal project keeps its own.
fn keep_an_owner(tx: &mut Tx<'_>, place: &MembersOf<'_>, user_id: i64) -> Result<()> {
    let bound = match &place.project {
        Some(project) => project.namespace_owner_id == Some(user_id),
        None => !lists::has_other_owner(tx, &place.source, user_id)?,
    };
    if bound {
        Err(Error::forbidden("the last owner cannot leave"))
    } else {
        Ok(())
    }
}

/// Removes a member, with memberships in what stands below a group.
pub fn remove(tx: &mut Tx<'_>, place: &MembersOf<'_>, user_id: i64, below_too: bool) -> Result<()> {
    let row = direct(tx, place, user_id)?;
    if place.viewer.user_id() != Some(user_id) && row.access_level > place.level {
        return Err(Error::forbidden(""));
    }
    if row.access_level == OWNER {
        keep_an_owner(tx, place, user_id)?;
    }
    rows::delete(tx, &place.source, user_id)?;
    activity::member(tx, place.key(), user_id, Action::Left)?;
    if below_too && place.source.kind == SourceKind::Group {
        for source in rows::delete_below(tx, place.source.id, user_id)? {
            activity::member(tx, source, user_id, Action::Left)?;
        }
    }
    let details = json!({"user_id": user_id, "access_level": row.access_level});
    place.record(tx, "member.destroy", details)
}

/// Records that the viewer wants to become a member.
pub fn request(tx: &mut Tx<'_>, place: &MembersOf<'_>) -> Result<()> {
    if !place.takes_requests {
        return Err(Error::forbidden(""));
    }
    let signed_in = place.viewer.signed_in()?;
    let already = || Error::invalid("user", "is already a member or has asked before");
    let known = lists::member(tx, &place.source, Breadth::All, signed_in.user.id)?;
    if known.is_some() || !signed_in.user.is_human() {
        return Err(already());
    }
    if !rows::insert_request(tx, &place.source, signed_in.user.id)? {
        return Err(already());
    }
    let least = match place.source.kind {
        SourceKind::Project => MAINTAINER,
        SourceKind::Group => OWNER,
    };
    for to in lists::managers(tx, &place.source, least, MAX_TOLD)? {
        tell(tx, place, News::Requested, signed_in.user.id, to)?;
    }
    let details = json!({"user_id": signed_in.user.id});
    place.record(tx, "access_request.create", details)
}

/// Tells somebody of their membership, unless they did it themselves.
fn tell_member(tx: &mut Tx<'_>, place: &MembersOf<'_>, news: MemberNews, user: i64) -> Result<()> {
    let actor = place.viewer.user_id();
    if actor == Some(user) {
        return Ok(());
    }
    let job = TellMember {
        news,
        source_type: place.source.kind.as_str().to_owned(),
        source_id: place.source.id,
        user,
        actor,
    };
    let now = tx.now();
    enqueue_at(tx, &job, now)
}

fn tell(tx: &mut Tx<'_>, place: &MembersOf<'_>, news: News, user: i64, to: i64) -> Result<()> {
    let job = TellOfRequest {
        news,
        source_type: place.source.kind.as_str().to_owned(),
        source_id: place.source.id,
        user,
        to,
    };
    let now = tx.now();
    enqueue_at(tx, &job, now)
}

pub fn approve(
    tx: &mut Tx<'_>, place: &MembersOf<'_>, user_id: i64, level: i64,
) -> Result<MemberRow> {
    check_level(place, level)?;
    lists::member(tx, &place.source, Breadth::Requests, user_id)?.ok_or(Error::NotFound(""))?;
    check_inherited(tx, place, user_id, level)?;
    rows::grant(tx, &place.source, user_id, level, place.viewer.user_id())?;
    activity::member(tx, place.key(), user_id, Action::Joined)?;
    let details = json!({"user_id": user_id, "access_level": level});
    place.record(tx, "access_request.approve", details)?;
    tell(tx, place, News::Granted, user_id, user_id)?;
    direct(tx, place, user_id)
}

pub fn deny(tx: &mut Tx<'_>, place: &MembersOf<'_>, user_id: i64) -> Result<()> {
    if !rows::delete_request(tx, &place.source, user_id)? {
        return Err(Error::NotFound(""));
    }
    if place.viewer.user_id() != Some(user_id) {
        tell(tx, place, News::Denied, user_id, user_id)?;
    }
    let details = json!({"user_id": user_id});
    place.record(tx, "access_request.destroy", details)
}
