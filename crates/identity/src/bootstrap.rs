//! What the command line does: the first administrator, users and tokens.
//!
//! Passwords are hashed before the transaction, by [`crate::password`].

use crate::model::{AccessToken, TokenKind, User};
use crate::oauth::applications::{self, Application, Owner, Registration};
use crate::tokens::NewToken;
use crate::users::{self, Author, NewUser};
use kernel::error::{Error, Found, Result};
use kernel::secrets::Secret;
use kernel::time::Date;
use store::{Tx, sql};

/// Name of the first administrator.
pub const ROOT: &str = "root";

/// Whether nobody exists yet, so [`bootstrap`] is due.
pub fn is_empty(tx: &mut Tx<'_>) -> Result<bool> {
    let someone: Option<i64> = tx.optional(sql!("select id from users limit 1"), ())?;
    Ok(someone.is_none())
}

/// Makes the first administrator, `root` with id 1, in an empty database;
/// `None` when somebody exists already.
pub fn bootstrap(tx: &mut Tx<'_>, password_hash: &str) -> Result<Option<User>> {
    if !is_empty(tx)? {
        return Ok(None);
    }
    let new = NewUser {
        username: ROOT.into(),
        name: "Administrator".into(),
        email: "admin@example.com".into(),
        password_hash: password_hash.into(),
        admin: true,
        confirmed: true,
        ..NewUser::default()
    };
    let root = users::create(tx, &Author::default(), &new)?;
    applications::add_built_in(tx)?;
    Ok(Some(root))
}

/// Registers an application of the instance from the command line.
pub fn create_application(
    tx: &mut Tx<'_>,
    new: &Registration,
) -> Result<(Application, Option<Secret>)> {
    applications::create(tx, &Author::default(), Owner::Instance, new)
}

/// Makes a user from the command line; the e-mail counts as confirmed.
pub fn create_user(
    tx: &mut Tx<'_>,
    username: &str,
    name: &str,
    email: &str,
    password_hash: &str,
    admin: bool,
) -> Result<User> {
    let new = NewUser {
        username: username.into(),
        name: name.into(),
        email: email.into(),
        password_hash: password_hash.into(),
        admin,
        confirmed: true,
        ..NewUser::default()
    };
    users::create(tx, &Author::default(), &new)
}

/// Makes a personal token from the command line.
pub fn create_token(
    tx: &mut Tx<'_>,
    username: &str,
    name: &str,
    scopes: &[String],
    expires_at: Option<Date>,
) -> Result<(AccessToken, Secret)> {
    let user = users::find_by_username(tx, username)?.found("User")?;
    if let Some(reason) = user.refusal() {
        return Err(Error::forbidden(reason));
    }
    let new = NewToken {
        kind: TokenKind::Personal,
        user_id: user.id,
        admin: user.is_admin,
        source: None,
        access_level: None,
        name: name.into(),
        description: None,
        scopes: scopes.to_vec(),
        expires_at,
    };
    let (token, secret) = crate::tokens::create(tx, &new)?;
    crate::tokens::record(tx, &Author::default(), "access_token.create", &token)?;
    Ok((token, secret))
}
