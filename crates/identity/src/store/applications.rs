//! `applications` and `application_secrets`.

use crate::model::UserId;
use crate::oauth::{redirect, scopes};
use kernel::error::Result;
use kernel::http::Paging;
use kernel::secrets;
use kernel::time::Timestamp;
use store::{Fragment, FromRow, Tx, sql};

const SECRET: &str =
    store::concat!("select ", SecretInfo::COLUMNS, " from application_secrets where ");

/// The living secrets of an application, the newest first.
pub fn living_secrets(tx: &mut Tx<'_>, id: i64) -> Result<Vec<SecretInfo>> {
    let now = tx.now();
    Ok(tx.all(
        sql!(
            SECRET,
            "application_id = $1 and (expires_at is null or expires_at > $2) order by id desc"
        ),
        (id, now),
    )?)
}

/// The living secret of an application with this text.
pub fn secret_fits(tx: &mut Tx<'_>, application: i64, text: &str) -> Result<Option<SecretInfo>> {
    let now = tx.now();
    Ok(tx.optional(
        sql!(
            SECRET,
            "application_id = $1 and digest = $2 and (expires_at is null or expires_at > $3)"
        ),
        (application, secrets::digest(text), now),
    )?)
}

pub fn touch_secret(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!("update application_secrets set last_used_at = $2 where id = $1"),
        (id, now),
    )
}

pub fn find(tx: &mut Tx<'_>, id: i64) -> Result<Option<Application>> {
    Ok(tx.optional(sql!("select * from applications where id = $1"), (id,))?)
}

/// The application with this `client_id`.
pub fn find_by_uid(tx: &mut Tx<'_>, uid: &str) -> Result<Option<Application>> {
    Ok(tx.optional(sql!("select * from applications where uid = $1"), (uid,))?)
}

/// A page of applications; `None` lists those of everyone.
pub fn page(tx: &mut Tx<'_>, owner: Option<Owner>, paging: &Paging) -> Result<Vec<Application>> {
    let mut query = Fragment::new("select * from applications where true");
    narrow(&mut query, owner);
    query
        .push(" order by id limit ", paging.fetch())
        .push(" offset ", paging.offset());
    Ok(tx.query(query)?)
}

/// How many [`page`] lists in all, counted up to 10,001.
pub fn total(tx: &mut Tx<'_>, owner: Option<Owner>) -> Result<i64> {
    let mut query = Fragment::new("select count(*) from (select 1 from applications where true");
    narrow(&mut query, owner);
    query.raw(" limit 10001) as counted");
    let rows: Vec<i64> = tx.query(query)?;
    Ok(rows.first().copied().unwrap_or(0))
}

fn narrow(query: &mut Fragment, owner: Option<Owner>) {
    match owner {
        None => {}
        Some(Owner::Instance) => {
            query.raw(" and owner_type is null");
        }
        Some(owner) => {
            query
                .push(" and owner_type = ", owner.kind())
                .push(" and owner_id = ", owner.id());
        }
    }
}

pub fn delete_secrets(tx: &mut Tx<'_>, application: i64) -> Result<()> {
    tx.run(
        sql!("delete from application_secrets where application_id = $1"),
        (application,),
    )
}

pub fn insert_secret(
    tx: &mut Tx<'_>, application: i64, digest: Vec<u8>, now: Timestamp,
) -> Result<()> {
    tx.run(
        sql!("insert into application_secrets (application_id, digest, created_at) values ($1, $2, $3)"),
        (application, digest, now),
    )
}

pub fn keep_newest_secret(tx: &mut Tx<'_>, application: i64) -> Result<()> {
    tx.run(
        sql!(
            "delete from application_secrets where application_id = $1 and id < (
                select max(id) from application_secrets where application_id = $1)"
        ),
        (application,),
    )
}

/// Puts an end to the secrets that have none.
pub fn end_secrets_at(tx: &mut Tx<'_>, application: i64, end: Timestamp) -> Result<()> {
    tx.run(
        sql!(
            "update application_secrets set expires_at = $2
             where application_id = $1 and expires_at is null"
        ),
        (application, end),
    )
}

pub fn delete_ending_secrets(tx: &mut Tx<'_>, application: i64) -> Result<()> {
    tx.run(
        sql!(
            "delete from application_secrets where application_id = $1 and expires_at is not null"
        ),
        (application,),
    )
}

/// Deletes all that somebody registered who is gone.
pub fn forget_owner(tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
    tx.run(
        sql!("delete from applications where owner_type = $1 and owner_id = $2"),
        (owner.kind(), owner.id()),
    )
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.run(sql!("delete from applications where id = $1"), (id,))
}

#[derive(Debug, Clone, FromRow)]
pub struct Application {
    pub id: i64,
    /// `client_id`.
    pub uid: String,
    pub name: String,
    pub redirect_uris: String,
    /// Space-separated.
    pub scopes: String,
    /// Keeps a secret; others are public clients.
    pub confidential: bool,
    /// Users are not asked for consent.
    pub trusted: bool,
    pub dynamic: bool,
    pub password_grant: bool,
    /// `User`, `Group`; `None` is the instance.
    pub owner_type: Option<String>,
    pub owner_id: Option<i64>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Application {
    pub fn scopes(&self) -> Vec<String> {
        scopes::split(&self.scopes)
    }

    /// The hosts that users may be sent to.
    pub fn hosts(&self) -> impl Iterator<Item = String> {
        redirect::lines(&self.redirect_uris).map(redirect::shown_host)
    }

    pub fn owner(&self) -> Owner {
        match (self.owner_type.as_deref(), self.owner_id) {
            (Some("User"), Some(id)) => Owner::User(id),
            (Some("Group"), Some(id)) => Owner::Group(id),
            _ => Owner::Instance,
        }
    }
}

#[derive(Debug, Clone, FromRow)]
#[columns("application_secrets")]
pub struct SecretInfo {
    pub id: i64,
    /// Set while it is being replaced.
    pub expires_at: Option<Timestamp>,
    /// Last use, exact to ten minutes.
    pub last_used_at: Option<Timestamp>,
    pub created_at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    Instance,
    User(UserId),
    Group(i64),
}

/// What is said of an application when it is registered or changed.
#[derive(Debug, Clone, Default)]
pub struct Registration {
    pub name: String,
    pub redirect_uris: String,
    pub scopes: Vec<String>,
    pub confidential: bool,
    /// Users are not asked; administrators decide that.
    pub trusted: bool,
}

impl Registration {
    /// Name, addresses and scopes as they are stored.
    fn texts(&self) -> (&str, String, String) {
        let addresses: Vec<&str> = redirect::lines(&self.redirect_uris).collect();
        (self.name.trim(), addresses.join("\n"), self.scopes.join(" "))
    }
}

pub fn insert(
    tx: &mut Tx<'_>, owner: Owner, new: &Registration, uid: &str, dynamic: bool,
) -> Result<Application> {
    let (now, (name, addresses, scopes)) = (tx.now(), new.texts());
    Ok(tx.one(
        sql!(
            "insert into applications (uid, name, redirect_uris, scopes, confidential, trusted,
                dynamic, owner_type, owner_id, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) returning *"
        ),
        (
            uid,
            name,
            addresses,
            scopes,
            new.confidential,
            new.trusted,
            dynamic,
            owner.kind(),
            owner.id(),
            now,
        ),
    )?)
}

impl Owner {
    fn kind(self) -> Option<&'static str> {
        match self {
            Owner::Instance => None,
            Owner::User(_) => Some("User"),
            Owner::Group(_) => Some("Group"),
        }
    }

    fn id(self) -> Option<i64> {
        match self {
            Owner::Instance => None,
            Owner::User(id) | Owner::Group(id) => Some(id),
        }
    }
}

pub fn update(tx: &mut Tx<'_>, id: i64, new: &Registration) -> Result<Application> {
    let (now, (name, addresses, scopes)) = (tx.now(), new.texts());
    Ok(tx.one(
        sql!(
            "update applications set name = $2, redirect_uris = $3, scopes = $4,
                confidential = $5, trusted = $6, updated_at = $7
             where id = $1 returning *"
        ),
        (id, name, addresses, scopes, new.confidential, new.trusted, now),
    )?)
}
