//! Invitations to projects and groups.

use super::{contains, today};
use crate::members::{MembersOf, NewMember};
use crate::model::SourceKind;
use kernel::error::Result;
use kernel::http::Paging;
use kernel::ids::fold;
use kernel::time::{Date, Timestamp};
use store::{Fragment, FromRow, Tx, sql};

/// An open invitation. Its token is known to nobody but the mail's reader.
#[derive(Debug, Clone, FromRow)]
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

type Source = (SourceKind, i64);

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

fn of_source(source: Source) -> Fragment {
    let mut condition = Fragment::new("i.source_type = ");
    condition.bind(source.0).push(" and i.source_id = ", source.1);
    condition
}

/// Open invitations of a project or group, `query` in their address, and how
/// many there are.
pub fn list(
    tx: &mut Tx<'_>, source: Source, query: Option<&str>, paging: &Paging,
) -> Result<(Vec<Invitation>, i64)> {
    let mut condition = of_source(source);
    if let Some(text) = query.filter(|text| !text.is_empty()) {
        condition
            .push(" and i.email_folded like ", contains(&fold(text)))
            .raw(" escape '\\'");
    }
    let mut counted = condition.clone();
    counted
        .push(" and (i.expires_at is null or i.expires_at > ", today(tx))
        .raw(")");
    let total = super::count(tx, "invitations i", &counted)?;
    condition
        .push(" order by i.id limit ", paging.fetch())
        .push(" offset ", paging.offset());
    Ok((open(tx, condition)?, total))
}

pub fn of_address(tx: &mut Tx<'_>, source: Source, email: &str) -> Result<Option<Invitation>> {
    let mut condition = of_source(source);
    condition.push(" and i.email_folded = ", fold(email));
    Ok(open(tx, condition)?.pop())
}

/// All to which an address is invited.
pub fn all_of_address(tx: &mut Tx<'_>, email: &str) -> Result<Vec<Invitation>> {
    let mut condition = Fragment::new("i.email_folded = ");
    condition.bind(fold(email)).raw(" order by i.id");
    open(tx, condition)
}

pub fn by_digest(tx: &mut Tx<'_>, digest: Vec<u8>) -> Result<Option<Invitation>> {
    let mut condition = Fragment::new("i.digest = ");
    condition.bind(digest);
    Ok(open(tx, condition)?.pop())
}

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Invitation>> {
    let mut condition = Fragment::new("i.id = ");
    condition.bind(id);
    Ok(open(tx, condition)?.pop())
}

/// Adds an invitation unless the address has one that is open; one that ended
/// is taken over.
pub fn insert(
    tx: &mut Tx<'_>, place: &MembersOf<'_>, email: &str, new: &NewMember, digest: Vec<u8>,
) -> Result<Option<i64>> {
    let (now, today) = (tx.now(), today(tx));
    Ok(tx.optional(
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
            new.access_level,
            new.expires_at,
            digest,
            place.viewer.user_id(),
            now,
            today,
        ),
    )?)
}

pub fn update(tx: &mut Tx<'_>, id: i64, level: i64, expires_at: Option<Date>) -> Result<()> {
    tx.execute(
        sql!("update invitations set access_level = $2, expires_at = $3 where id = $1"),
        (id, level, expires_at),
    )?;
    Ok(())
}

/// Gives an invitation the digest of a new link.
pub fn set_digest(tx: &mut Tx<'_>, id: i64, digest: Vec<u8>) -> Result<()> {
    tx.execute(sql!("update invitations set digest = $2 where id = $1"), (id, digest))?;
    Ok(())
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from invitations where id = $1"), (id,))?;
    Ok(())
}
