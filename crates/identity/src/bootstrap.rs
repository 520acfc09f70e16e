//! What the command line does: the first administrator, users and tokens.
//!
//! Passwords are hashed before the transaction, by [`crate::password`].

use crate::access;
use crate::author::Author;
use crate::model::{AccessToken, TokenKind, User};
use crate::oauth::applications::{self, Application, Owner, Registration};
use crate::password_rules::{self, Person};
use crate::scopes;
use crate::tokens::NewToken;
use crate::users::{self, NewUser};
use kernel::error::{Error, Found, Result};
use kernel::secrets::Secret;
use kernel::settings::Settings;
use kernel::time::Date;
use store::Tx;

/// Login of the first administrator.
const ROOT: &str = "root";
const NAME: &str = "Administrator";

/// Most names tried for the first administrator.
const MOST_NAMES: u32 = 100;

/// What every instance has and this one does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lacks {
    pub administrator: bool,
    /// The built-in applications were never made.
    pub applications: bool,
}

kernel::setting! {
    /// Notes that the built-in applications were made: one that administrators
    /// delete stays away.
    struct Made = "identity.bootstrap" {
        applications: bool = false,
    }
}

pub fn lacks(tx: &mut Tx<'_>) -> Result<Lacks> {
    let administrator: Option<i64> = crate::store::users::any_administrator(tx)?;
    let made: Made = kernel::settings::read(tx)?;
    Ok(Lacks {
        administrator: administrator.is_none(),
        applications: !made.applications,
    })
}

/// Makes all that a new instance lacks, with the administrator `root`, who has
/// id 1 in an empty database; `None` when there is an administrator already.
pub fn bootstrap(tx: &mut Tx<'_>, password_hash: &str) -> Result<Option<User>> {
    let root = add_administrator(tx, password_hash)?;
    add_applications(tx)?;
    Ok(root)
}

/// Makes the first administrator where nobody is one: `root`, or where that
/// name is taken one like it.
pub fn add_administrator(tx: &mut Tx<'_>, password_hash: &str) -> Result<Option<User>> {
    if !lacks(tx)?.administrator {
        return Ok(None);
    }
    for number in 0..MOST_NAMES {
        let suffix = match number {
            0 => String::new(),
            number => number.to_string(),
        };
        let new = NewUser {
            username: format!("{ROOT}{suffix}"),
            name: NAME.into(),
            email: format!("admin{suffix}@example.com"),
            password_hash: password_hash.into(),
            admin: true,
            confirmed: true,
            ..NewUser::default()
        };
        match tx.savepoint(|tx| users::create(tx, &Author::default(), &new)) {
            Err(Error::Invalid(_)) => {}
            made => return made.map(Some),
        }
    }
    Err(Error::internal("no name is free for an administrator"))
}

/// Makes those of the built-in applications that are not there.
pub fn add_applications(tx: &mut Tx<'_>) -> Result<()> {
    applications::add_built_in(tx)?;
    Settings::default().set(tx, &Made { applications: true })
}

/// Why the first administrator cannot have this password.
pub fn password_problem(password: &str) -> Option<&'static str> {
    let root = Person { username: ROOT, name: NAME, email: "" };
    password_rules::problem(password, root)
}

pub fn create_application(
    tx: &mut Tx<'_>, new: &Registration,
) -> Result<(Application, Option<Secret>)> {
    check_scopes(&new.scopes, crate::oauth::scopes::is_known, "an application")?;
    applications::create(tx, &Author::default(), Owner::Instance, new)
}

/// Makes a user from the command line; the e-mail counts as confirmed.
pub fn create_user(
    tx: &mut Tx<'_>, username: &str, name: &str, email: &str, password_hash: &str, admin: bool,
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

pub fn create_token(
    tx: &mut Tx<'_>, username: &str, name: &str, wanted: &[String], expires_at: Option<Date>,
) -> Result<(AccessToken, Secret)> {
    let user = users::find_by_username(tx, username)?.found("User")?;
    if let Some(reason) = access::refusal_now(tx, &user)? {
        return Err(Error::forbidden(reason));
    }
    let fits = |scope: &str| scopes::fits(TokenKind::Personal, scope, user.is_admin);
    check_scopes(wanted, fits, &format!("a token of {username}"))?;
    let new = NewToken {
        name: name.into(),
        scopes: wanted.to_vec(),
        expires_at,
        ..NewToken::of(TokenKind::Personal, &user)
    };
    let (token, secret) = crate::tokens::create(tx, &new)?;
    crate::tokens::record(tx, &Author::default(), "access_token.create", &token)?;
    Ok((token, secret))
}

/// Names the scopes there are: whoever types a command has no form to choose from.
fn check_scopes(wanted: &[String], fits: impl Fn(&str) -> bool, of: &str) -> Result<()> {
    let Some(unknown) = wanted.iter().find(|scope| !fits(scope)) else {
        return Ok(());
    };
    let offered = scopes::all().filter(|scope| fits(scope) && scopes::is_offered(scope, &[]));
    let offered = offered.collect::<Vec<_>>().join(", ");
    Err(Error::BadRequest(format!(
        "{unknown:?} is no scope of {of}; there are {offered}"
    )))
}
