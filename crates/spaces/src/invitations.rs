//! Invitations by e-mail: accepted by the link in the mail, or by having a
//! confirmed account with the address.

use crate::access;
use crate::members::{MembersOf, NewMember, check_end, check_level};
use crate::model::SourceKind;
use crate::store::members::{self as rows, NewRow};
use crate::store::{contains, today};
use crate::tasks::SendInvitation;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Result};
use kernel::http::params::Patch;
use kernel::ids::{Reference, fold};
use kernel::jobs::enqueue_at;
use kernel::secrets;
use kernel::time::{Date, Timestamp};
use serde_json::json;
use store::{Fragment, Tx, sql};

/// An open invitation. Its token is known to nobody but the mail's reader.
#[derive(Debug, Clone)]
pub struct Invitation {
    pub id: i64,
    pub source_type: SourceKind,
    pub source_id: i64,
    pub email: String,
    pub access_level: i64,
    pub expires_at: Option<String>,
    pub created_by_id: Option<i64>,
    pub created_at: Timestamp,
    pub created_by_name: Option<String>,
}

store::from_row! { Invitation {
    id, source_type, source_id, email, access_level, expires_at, created_by_id, created_at,
    created_by_name
} }

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

fn open(tx: &mut Tx<'_>, narrowed: Fragment) -> Result<Vec<Invitation>> {
    let mut list = Fragment::new(
        "select i.id, i.source_type, i.source_id, i.email, i.access_level, i.expires_at,
            i.created_by_id, i.created_at, u.name as created_by_name
         from invitations i left join users u on u.id = i.created_by_id
         where (i.expires_at is null or i.expires_at > ",
    );
    list.bind(today(tx)).raw(") and ").append(narrowed);
    Ok(tx.query(list)?)
}

fn of_place(place: &MembersOf) -> Fragment {
    let mut condition = Fragment::new("i.source_type = ");
    condition
        .bind(place.source.kind)
        .push(" and i.source_id = ", place.source.id);
    condition
}

/// Open invitations of a place and how many there are.
pub fn list(
    tx: &mut Tx<'_>,
    place: &MembersOf,
    query: Option<&str>,
    limit: i64,
    offset: i64,
) -> Result<(Vec<Invitation>, i64)> {
    let mut condition = of_place(place);
    if let Some(text) = query.filter(|text| !text.is_empty()) {
        condition
            .push(" and i.email_folded like ", contains(&fold(text)))
            .raw(" escape '\\'");
    }
    let mut counted = condition.clone();
    counted
        .push(" and (i.expires_at is null or i.expires_at > ", today(tx))
        .raw(")");
    let total = crate::store::count(tx, "invitations i", &counted)?;
    condition
        .push(" order by i.id limit ", limit)
        .push(" offset ", offset);
    Ok((open(tx, condition)?, total))
}

fn of_address(tx: &mut Tx<'_>, place: &MembersOf, email: &str) -> Result<Invitation> {
    let mut condition = of_place(place);
    condition.push(" and i.email_folded = ", fold(email));
    open(tx, condition)?.pop().ok_or(Error::NotFound(""))
}

/// Invites an address; a job sends the mail with the link.
pub fn create(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    place: &MembersOf,
    email: &str,
    new: &NewMember,
) -> Result<()> {
    check_level(place, new.level)?;
    check_end(tx, new.expires_at)?;
    if let Some(problem) = identity::model::email_problem(email) {
        return Err(Error::invalid("email", problem));
    }
    let (now, today) = (tx.now(), today(tx));
    // One that ended is taken over. Until the mail goes out no link opens it.
    let made: Option<i64> = tx.optional(
        sql!(
            "insert into invitations (source_type, source_id, email, email_folded, access_level,
                expires_at, digest, created_by_id, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
             on conflict (source_type, source_id, email_folded) do update set
                access_level = excluded.access_level, expires_at = excluded.expires_at,
                digest = excluded.digest, created_by_id = excluded.created_by_id,
                created_at = excluded.created_at
             where invitations.expires_at <= $10
             returning id"
        ),
        (
            place.source.kind,
            place.source.id,
            email,
            fold(email),
            new.level,
            new.expires_at,
            secrets::random_bytes::<32>().to_vec(),
            viewer.user_id(),
            now,
            today,
        ),
    )?;
    let Some(invitation) = made else {
        return Err(Error::Conflict("Member already invited".into()));
    };
    enqueue_at(tx, &SendInvitation { invitation }, now)?;
    let details = json!({"access_level": new.level});
    audit::record(tx, viewer, "invitation.create", place.target(), details)
}

pub fn change(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    place: &MembersOf,
    email: &str,
    level: Option<i64>,
    until: Patch<Date>,
) -> Result<Invitation> {
    let known = of_address(tx, place, email)?;
    let level = level.unwrap_or(known.access_level);
    check_level(place, level.max(known.access_level))?;
    check_level(place, level)?;
    let before = known.expires_at.as_deref().and_then(|day| day.parse().ok());
    let expires_at = until.over(before);
    if expires_at != before {
        check_end(tx, expires_at)?;
    }
    tx.execute(
        sql!("update invitations set access_level = $2, expires_at = $3 where id = $1"),
        (known.id, level, expires_at),
    )?;
    let details = json!({"access_level": level});
    audit::record(tx, viewer, "invitation.update", place.target(), details)?;
    of_address(tx, place, email)
}

pub fn withdraw(tx: &mut Tx<'_>, viewer: &Viewer, place: &MembersOf, email: &str) -> Result<()> {
    let known = of_address(tx, place, email)?;
    check_level(place, known.access_level)?;
    forget(tx, known.id)?;
    audit::record(
        tx,
        viewer,
        "invitation.destroy",
        place.target(),
        json!({"access_level": known.access_level}),
    )
}

/// Gives an invitation the digest of a new link.
pub(crate) fn set_digest(tx: &mut Tx<'_>, id: i64, digest: Vec<u8>) -> Result<()> {
    tx.execute(
        sql!("update invitations set digest = $2 where id = $1"),
        (id, digest),
    )?;
    Ok(())
}

fn forget(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from invitations where id = $1"), (id,))?;
    Ok(())
}

/// The invitation a link opens, with what it is to.
pub fn by_token(tx: &mut Tx<'_>, token: &str) -> Result<(Invitation, Subject)> {
    let mut condition = Fragment::new("i.digest = ");
    condition.bind(secrets::digest(token));
    let missing = || Error::NotFound("Invitation");
    let found = open(tx, condition)?.pop().ok_or_else(missing)?;
    let subject = subject(tx, found.source_type, found.source_id)?.ok_or_else(missing)?;
    Ok((found, subject))
}

/// The open invitation with this id, and what it is to.
pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<(Invitation, Subject)>> {
    let mut condition = Fragment::new("i.id = ");
    condition.bind(id);
    let Some(found) = open(tx, condition)?.pop() else {
        return Ok(None);
    };
    let subject = subject(tx, found.source_type, found.source_id)?;
    Ok(subject.map(|subject| (found, subject)))
}

/// Makes the user a member, as they were invited to; a membership they have
/// already stays as it is.
pub fn accept(
    tx: &mut Tx<'_>,
    user: &User,
    invitation: &Invitation,
    subject: &Subject,
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
    rows::insert(tx, &row)?;
    answered(tx, user, invitation, subject, "invitation.accept")
}

/// Drops an invitation for whom it was.
pub fn decline(
    tx: &mut Tx<'_>,
    user: &User,
    invitation: &Invitation,
    subject: &Subject,
) -> Result<()> {
    answered(tx, user, invitation, subject, "invitation.decline")
}

fn answered(
    tx: &mut Tx<'_>,
    user: &User,
    invitation: &Invitation,
    subject: &Subject,
    action: &'static str,
) -> Result<()> {
    forget(tx, invitation.id)?;
    let author = audit::Author {
        id: Some(user.id),
        ..Default::default()
    };
    let target = (subject.kind.as_str(), subject.id, &*subject.full_path);
    let details = json!({"access_level": invitation.access_level});
    audit::record(tx, &author, action, target, details)
}

/// Accepts all that this confirmed address was invited to.
pub fn accept_all(tx: &mut Tx<'_>, user: &User, email: &str) -> Result<()> {
    let mut condition = Fragment::new("i.email_folded = ");
    condition.bind(fold(email)).raw(" order by i.id");
    for invitation in open(tx, condition)? {
        let to = subject(tx, invitation.source_type, invitation.source_id)?;
        if let Some(to) = to {
            accept(tx, user, &invitation, &to)?;
        }
    }
    Ok(())
}
