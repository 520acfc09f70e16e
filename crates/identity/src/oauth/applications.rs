//! Applications: programs that act for users, and their secrets.

use super::settings::OAuth;
use super::{redirect, scopes};
use crate::author::Author;
use crate::model::name_problem;
use crate::problems::Problems;
pub use crate::store::applications::{
    Application, Owner, Registration, SecretInfo, find, find_by_uid, forget_owner, living_secrets,
    page, total,
};
pub(super) use crate::store::applications::{insert, secret_fits, touch_secret};
use kernel::error::{Error, Found, Result};
use kernel::secrets::{self, Secret};
use store::Tx;

/// What application secrets begin with.
const SECRET_PREFIX: &str = "svoas-";
/// Days the old secret goes on working after a renewal.
const OVERLAP_DAYS: i64 = 7;

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

fn check(tx: &mut Tx<'_>, new: &Registration) -> Result<()> {
    let rules: OAuth = kernel::settings::read(tx)?;
    let mut problems = Problems::default();
    problems.add("name", name_problem(&new.name));
    let address = redirect::problem(&new.redirect_uris, rules.allow_http_redirects);
    problems.add("redirect_uri", address);
    let scopes = match new.scopes.is_empty() {
        true => Some("can't be blank"),
        false => scopes::problem(&new.scopes),
    };
    problems.add("scopes", scopes);
    problems.done()
}

/// A random id of 64 hex characters, as clients and codes have.
pub(super) fn random_hex() -> String {
    hex::encode(secrets::random_bytes::<32>())
}

/// Registers an application; its secret is returned here and never again.
pub fn create(
    tx: &mut Tx<'_>, by: &Author, owner: Owner, new: &Registration,
) -> Result<(Application, Option<Secret>)> {
    check(tx, new)?;
    let made = insert(tx, owner, new, &random_hex(), false)?;
    let secret = match made.confidential {
        true => Some(add_secret(tx, made.id)?),
        false => None,
    };
    record(tx, by, "application.create", &made)?;
    Ok((made, secret))
}

/// Changes an application. Turning it public ends its secrets; the scopes
/// that consents gave before stay until they are given anew.
pub fn update(tx: &mut Tx<'_>, by: &Author, id: i64, new: &Registration) -> Result<Application> {
    check(tx, new)?;
    let before = find(tx, id)?.found("Application")?;
    let after = crate::store::applications::update(tx, id, new)?;
    if before.confidential && !after.confidential {
        crate::store::applications::delete_secrets(tx, id)?;
    }
    record(tx, by, "application.update", &after)?;
    Ok(after)
}

fn add_secret(tx: &mut Tx<'_>, application: i64) -> Result<Secret> {
    let secret = secrets::random_token(SECRET_PREFIX);
    let now = tx.now();
    crate::store::applications::insert_secret(
        tx,
        application,
        secrets::digest(secret.expose()),
        now,
    )?;
    Ok(secret)
}

/// Gives a new secret. The newest old one works on for a week, so that the
/// application can be changed over without an outage; older ones end.
pub fn renew_secret(tx: &mut Tx<'_>, by: &Author, id: i64) -> Result<Secret> {
    let application = find(tx, id)?.found("Application")?;
    if !application.confidential {
        return Err(Error::Unprocessable("A public application has no secret.".into()));
    }
    let end = tx.now() + jiff::SignedDuration::from_hours(24 * OVERLAP_DAYS);
    crate::store::applications::keep_newest_secret(tx, id)?;
    crate::store::applications::end_secrets_at(tx, id, end)?;
    let secret = add_secret(tx, id)?;
    record(tx, by, "application.renew_secret", &application)?;
    Ok(secret)
}

/// Ends the secrets before the newest one at once.
pub fn end_old_secrets(tx: &mut Tx<'_>, by: &Author, id: i64) -> Result<()> {
    let application = find(tx, id)?.found("Application")?;
    crate::store::applications::delete_ending_secrets(tx, id)?;
    record(tx, by, "application.end_old_secrets", &application)
}

/// Deletes an application with all its codes and tokens.
pub fn destroy(tx: &mut Tx<'_>, by: &Author, id: i64) -> Result<()> {
    let application = find(tx, id)?.found("Application")?;
    crate::store::applications::delete(tx, id)?;
    record(tx, by, "application.delete", &application)
}

pub(super) fn record(
    tx: &mut Tx<'_>, by: &Author, action: &'static str, application: &Application,
) -> Result<()> {
    kernel::audit::record(
        tx,
        by,
        action,
        ("Application", application.id, &application.name),
        serde_json::json!({"scopes": application.scopes,
                "confidential": application.confidential, "trusted": application.trusted}),
    )
}
