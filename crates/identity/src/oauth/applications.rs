//! Applications: programs that act for users, and their secrets.

use super::settings::OAuth;
use super::{redirect, scopes};
use crate::model::UserId;
use crate::users::Author;
use kernel::error::{Error, Found, Result};
use kernel::http::Paging;
use kernel::secrets::{self, Secret};
use kernel::time::Timestamp;
use store::{Fragment, Tx, sql};

/// What application secrets begin with.
const SECRET_PREFIX: &str = "svoas-";
/// Days the old secret goes on working after a renewal.
const OVERLAP_DAYS: i64 = 7;
/// Longest name, in characters.
const MAX_NAME: usize = 255;

/// A public client that every instance knows.
struct BuiltIn {
    uid: &'static str,
    name: &'static str,
    redirect_uris: &'static str,
    scopes: &'static str,
}

/// Clients whose users could not register them: credential helpers of git,
/// and the command-line client. Their ids are the same everywhere and belong
/// into the clients' configuration; see docs/guide/sign-in-with-tenon.md.
const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        uid: "da4f15cd51a3c4e87f76ed3da30aed515ba9705308ff3278aad089139263dcb6",
        name: "Git credential helpers",
        redirect_uris: "http://127.0.0.1\nhttp://127.0.0.1/\nhttp://[::1]/",
        scopes: "read_repository write_repository",
    },
    BuiltIn {
        uid: "5ef16cbb5c9a05f32dd337d9a9b0ccca7f1abc6a3ad2dc9b252c1a86d6fe8bca",
        name: "Command-line client",
        redirect_uris: "http://localhost:7171/auth/redirect\nhttp://127.0.0.1:7171/auth/redirect",
        scopes: "openid profile read_user write_repository api",
    },
];

/// Registers those of the built-in clients that are not there.
pub fn add_built_in(tx: &mut Tx<'_>) -> Result<()> {
    for client in BUILT_IN {
        if find_by_uid(tx, client.uid)?.is_some() {
            continue;
        }
        let new = Registration {
            name: client.name.into(),
            redirect_uris: client.redirect_uris.into(),
            scopes: scopes::split(client.scopes),
            confidential: false,
            trusted: false,
        };
        insert(tx, Owner::Instance, &new, client.uid, false)?;
    }
    Ok(())
}

/// Who may manage an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Administrators.
    Instance,
    /// One user.
    User(UserId),
    /// The owners of a group.
    Group(i64),
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

/// One application.
#[derive(Debug, Clone)]
pub struct Application {
    /// Id.
    pub id: i64,
    /// `client_id`.
    pub uid: String,
    /// For people.
    pub name: String,
    /// One address a line.
    pub redirect_uris: String,
    /// Space-separated.
    pub scopes: String,
    /// Keeps a secret; others are public clients.
    pub confidential: bool,
    /// Users are not asked for consent.
    pub trusted: bool,
    /// Registered itself.
    pub dynamic: bool,
    /// May use the password grant.
    pub password_grant: bool,
    /// `User`, `Group`; `None` is the instance.
    pub owner_type: Option<String>,
    /// Id of that user or group.
    pub owner_id: Option<i64>,
    /// Registered then.
    pub created_at: Timestamp,
    /// Last change.
    pub updated_at: Timestamp,
}

store::from_row! { Application {
    id, uid, name, redirect_uris, scopes, confidential, trusted, dynamic, password_grant,
    owner_type, owner_id, created_at, updated_at
} }

impl Application {
    /// Its scopes, one by one.
    pub fn scopes(&self) -> Vec<String> {
        scopes::split(&self.scopes)
    }

    /// Who may manage it.
    pub fn owner(&self) -> Owner {
        match (self.owner_type.as_deref(), self.owner_id) {
            (Some("User"), Some(id)) => Owner::User(id),
            (Some("Group"), Some(id)) => Owner::Group(id),
            _ => Owner::Instance,
        }
    }
}

/// What is said of an application when it is registered or changed.
#[derive(Debug, Clone)]
pub struct Registration {
    /// For people.
    pub name: String,
    /// One address a line.
    pub redirect_uris: String,
    /// At least one.
    pub scopes: Vec<String>,
    /// Keeps a secret.
    pub confidential: bool,
    /// Users are not asked; administrators decide that.
    pub trusted: bool,
}

/// What is wrong with a registration, by field.
pub fn problems(rules: &OAuth, new: &Registration) -> Vec<(String, Vec<String>)> {
    let mut problems = Vec::new();
    let mut add =
        |field: &str, text: &str| problems.push((field.to_owned(), vec![text.to_owned()]));
    if new.name.trim().is_empty() {
        add("name", "can't be blank");
    } else if new.name.chars().count() > MAX_NAME {
        add("name", "is too long (maximum is 255 characters)");
    } else if new.name.chars().any(char::is_control) {
        add("name", "cannot contain control characters");
    }
    if let Some(problem) = redirect::problem(&new.redirect_uris, rules.allow_http_redirects) {
        add("redirect_uri", problem);
    }
    if new.scopes.is_empty() {
        add("scopes", "can't be blank");
    } else if !new.scopes.iter().all(|scope| scopes::is_known(scope)) {
        add("scopes", "doesn't match configured on the server.");
    }
    problems
}

fn checked(tx: &mut Tx<'_>, new: &Registration) -> Result<()> {
    let rules: OAuth = kernel::settings::read(tx)?;
    match problems(&rules, new) {
        none if none.is_empty() => Ok(()),
        some => Err(Error::Invalid(some)),
    }
}

/// A random id of 64 hex characters, as clients and codes have.
pub(super) fn random_hex() -> String {
    hex::encode(secrets::random_bytes::<32>())
}

/// Registers an application; its secret is returned here and never again.
pub fn create(
    tx: &mut Tx<'_>,
    by: &Author,
    owner: Owner,
    new: &Registration,
) -> Result<(Application, Option<Secret>)> {
    checked(tx, new)?;
    let made = insert(tx, owner, new, &random_hex(), false)?;
    let secret = match made.confidential {
        true => Some(add_secret(tx, made.id)?),
        false => None,
    };
    record(tx, by, "application.create", &made)?;
    Ok((made, secret))
}

pub(super) fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    new: &Registration,
    uid: &str,
    dynamic: bool,
) -> Result<Application> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "insert into applications (uid, name, redirect_uris, scopes, confidential, trusted,
                dynamic, owner_type, owner_id, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) returning *"
        ),
        (
            uid,
            new.name.trim(),
            redirect::lines(&new.redirect_uris)
                .collect::<Vec<_>>()
                .join("\n"),
            new.scopes.join(" "),
            new.confidential,
            new.trusted,
            dynamic,
            owner.kind(),
            owner.id(),
            now,
        ),
    )?)
}

/// Changes an application. Turning it public ends its secrets; the scopes
/// that consents gave before stay until they are given anew.
pub fn update(tx: &mut Tx<'_>, by: &Author, id: i64, new: &Registration) -> Result<Application> {
    checked(tx, new)?;
    let before = find(tx, id)?.found("Application")?;
    let now = tx.now();
    let after: Application = tx.one(
        sql!(
            "update applications set name = $2, redirect_uris = $3, scopes = $4,
                confidential = $5, trusted = $6, updated_at = $7
             where id = $1 returning *"
        ),
        (
            id,
            new.name.trim(),
            redirect::lines(&new.redirect_uris)
                .collect::<Vec<_>>()
                .join("\n"),
            new.scopes.join(" "),
            new.confidential,
            new.trusted,
            now,
        ),
    )?;
    if before.confidential && !after.confidential {
        tx.execute(
            sql!("delete from application_secrets where application_id = $1"),
            (id,),
        )?;
    }
    record(tx, by, "application.update", &after)?;
    Ok(after)
}

fn add_secret(tx: &mut Tx<'_>, application: i64) -> Result<Secret> {
    let secret = secrets::random_token(SECRET_PREFIX);
    let now = tx.now();
    tx.execute(
        sql!("insert into application_secrets (application_id, digest, created_at) values ($1, $2, $3)"),
        (application, secrets::digest(secret.expose()), now),
    )?;
    Ok(secret)
}

/// Gives a new secret. The newest old one works on for a week, so that the
/// application can be changed over without an outage; older ones end.
pub fn renew_secret(tx: &mut Tx<'_>, by: &Author, id: i64) -> Result<Secret> {
    let application = find(tx, id)?.found("Application")?;
    if !application.confidential {
        return Err(Error::Unprocessable(
            "A public application has no secret.".into(),
        ));
    }
    let end = tx.now() + jiff::SignedDuration::from_hours(24 * OVERLAP_DAYS);
    tx.execute(
        sql!(
            "delete from application_secrets where application_id = $1 and id < (
                select max(id) from application_secrets where application_id = $1)"
        ),
        (id,),
    )?;
    tx.execute(
        sql!(
            "update application_secrets set expires_at = $2
             where application_id = $1 and expires_at is null"
        ),
        (id, end),
    )?;
    let secret = add_secret(tx, id)?;
    record(tx, by, "application.renew_secret", &application)?;
    Ok(secret)
}

/// Ends the secrets before the newest one at once.
pub fn end_old_secrets(tx: &mut Tx<'_>, by: &Author, id: i64) -> Result<()> {
    let application = find(tx, id)?.found("Application")?;
    tx.execute(
        sql!(
            "delete from application_secrets where application_id = $1 and expires_at is not null"
        ),
        (id,),
    )?;
    record(tx, by, "application.end_old_secrets", &application)
}

/// A secret as lists show it.
#[derive(Debug, Clone)]
pub struct SecretInfo {
    /// Id.
    pub id: i64,
    /// Set while it is being replaced.
    pub expires_at: Option<Timestamp>,
    /// Last use, exact to ten minutes.
    pub last_used_at: Option<Timestamp>,
    /// Made then.
    pub created_at: Timestamp,
}

store::from_row! { SecretInfo { id, expires_at, last_used_at, created_at } }

/// The living secrets of an application, the newest first.
pub fn living_secrets(tx: &mut Tx<'_>, id: i64) -> Result<Vec<SecretInfo>> {
    let now = tx.now();
    Ok(tx.all(
        sql!(
            "select id, expires_at, last_used_at, created_at from application_secrets
             where application_id = $1 and (expires_at is null or expires_at > $2)
             order by id desc"
        ),
        (id, now),
    )?)
}

/// The living secret of an application with this text.
pub(super) fn secret_fits(
    tx: &mut Tx<'_>,
    application: i64,
    text: &str,
) -> Result<Option<SecretInfo>> {
    let now = tx.now();
    Ok(tx.optional(
        sql!(
            "select id, expires_at, last_used_at, created_at from application_secrets
             where application_id = $1 and digest = $2
                and (expires_at is null or expires_at > $3)"
        ),
        (application, secrets::digest(text), now),
    )?)
}

/// Notes that a secret was used.
pub(super) fn touch_secret(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!("update application_secrets set last_used_at = $2 where id = $1"),
        (id, now),
    )?;
    Ok(())
}

/// One application.
pub fn find(tx: &mut Tx<'_>, id: i64) -> Result<Option<Application>> {
    Ok(tx.optional(sql!("select * from applications where id = $1"), (id,))?)
}

/// The application with this `client_id`.
pub fn find_by_uid(tx: &mut Tx<'_>, uid: &str) -> Result<Option<Application>> {
    Ok(tx.optional(sql!("select * from applications where uid = $1"), (uid,))?)
}

/// Forgets all that somebody registered who is gone.
pub fn forget_owner(tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
    let (kind, id) = match owner {
        Owner::Instance => return Ok(()),
        Owner::User(id) => ("User", id),
        Owner::Group(id) => ("Group", id),
    };
    tx.execute(
        sql!("delete from applications where owner_type = $1 and owner_id = $2"),
        (kind, id),
    )?;
    Ok(())
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

/// Deletes an application with all its codes and tokens.
pub fn destroy(tx: &mut Tx<'_>, by: &Author, id: i64) -> Result<()> {
    let application = find(tx, id)?.found("Application")?;
    tx.execute(sql!("delete from applications where id = $1"), (id,))?;
    record(tx, by, "application.delete", &application)
}

pub(super) fn record(
    tx: &mut Tx<'_>,
    by: &Author,
    action: &'static str,
    application: &Application,
) -> Result<()> {
    Ok(kernel::audit::write(
        tx,
        kernel::audit::Record {
            author_id: by.id,
            action,
            target_type: "Application",
            target_id: application.id,
            target_name: &application.name,
            details: serde_json::json!({"scopes": application.scopes,
                "confidential": application.confidential, "trusted": application.trusted}),
            ip_address: by.ip.clone(),
        },
    )?)
}
