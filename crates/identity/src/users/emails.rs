//! Further addresses of a user, beside the primary one.

use super::record;
use crate::attempts;
use crate::author::Author;
use crate::hooks;
use crate::mail_links::Purpose;
use crate::model::{User, UserId, email_problem};
use crate::store::emails::confirmed_owner;
pub(crate) use crate::store::emails::take_from_others;
pub use crate::store::emails::{Email, email, emails, unconfirm};
use crate::tasks::{self, SendLink};
use crate::viewer::SignedIn;
use kernel::error::{Error, Found, Result};
use serde_json::json;
use store::Tx;

/// Most further addresses of one user.
const MOST: usize = 50;
/// Addresses one user may enter in an hour: each gets a mail, and it may be a
/// stranger's.
const ADDED_AN_HOUR: i64 = 10;

/// Whether an address is another user's: their primary one, or one that they
/// have confirmed.
pub(crate) fn is_of_another(tx: &mut Tx<'_>, user: UserId, address: &str) -> Result<bool> {
    let other = |owner: i64| owner != user;
    if super::find_by_email(tx, address)?.is_some_and(|owner| other(owner.id)) {
        return Ok(true);
    }
    Ok(confirmed_owner(tx, address)?.is_some_and(other))
}

fn taken() -> Error {
    Error::invalid("email", "has already been taken")
}

/// Adds one. Unless it counts as confirmed, a link is sent to it, and it takes
/// the address from nobody.
pub fn add_email(
    tx: &mut Tx<'_>, by: &Author, user: &User, address: &str, confirmed: bool,
) -> Result<Email> {
    if let Some(problem) = email_problem(address) {
        return Err(Error::invalid("email", problem));
    }
    let primary = super::find_by_email(tx, address)?.is_some();
    if primary || is_of_another(tx, user.id, address)? {
        return Err(taken());
    }
    if emails(tx, user.id)?.len() >= MOST {
        return Err(Error::invalid("email", "is one too many (maximum is 50)"));
    }
    let now = tx.now();
    let made: Option<Email> =
        crate::store::emails::insert(tx, user.id, address, confirmed.then_some(now), now)?;
    let email = made.ok_or_else(taken)?;
    if !confirmed {
        let link = SendLink {
            email: Some(email.id),
            ..SendLink::new(user.id, Purpose::Confirm)
        };
        kernel::jobs::enqueue_at(tx, &link, now)?;
    } else {
        take_from_others(tx, user.id, address)?;
        hooks::email_confirmed(tx, user, address)?;
    }
    record(tx, by, "user.email.add", user, json!({"email_id": email.id}))?;
    Ok(email)
}

/// Adds an address of one's own, a few in an hour.
pub fn add_own_email(tx: &mut Tx<'_>, own: &SignedIn, address: &str) -> Result<Email> {
    attempts::count(tx, &format!("email_add:{}", own.user.id), ADDED_AN_HOUR, 3600)?;
    tell(tx, own)?;
    add_email(tx, &Author::from(own), &own.user, address, false)
}

/// Removes a further address of one's own.
pub fn remove_own_email(tx: &mut Tx<'_>, own: &SignedIn, id: i64) -> Result<()> {
    tell(tx, own)?;
    remove_email(tx, &Author::from(own), &own.user, id)
}

/// A browser session changed the addresses: its owner is told.
fn tell(tx: &mut Tx<'_>, own: &SignedIn) -> Result<()> {
    match own.is_session() {
        true => tasks::notify(tx, &own.user, tasks::Change::Addresses),
        false => Ok(()),
    }
}

pub fn remove_email(tx: &mut Tx<'_>, by: &Author, user: &User, id: i64) -> Result<()> {
    email(tx, user.id, id)?.found("Email")?;
    crate::store::emails::delete(tx, user.id, id)?;
    record(tx, by, "user.email.remove", user, json!({"email_id": id}))
}

/// Notes that an address is theirs: a further one, or the primary. Who proves
/// it gets it, whoever else has entered it; refused once it is another's.
pub fn confirm_email(tx: &mut Tx<'_>, by: &Author, user: &User, id: Option<i64>) -> Result<()> {
    let now = tx.now();
    let address = match id {
        Some(id) => email(tx, user.id, id)?.found("Email")?.email,
        None => user.email.clone(),
    };
    if id.is_some() && is_of_another(tx, user.id, &address)? {
        return Err(Error::Conflict("This address belongs to another account by now.".into()));
    }
    take_from_others(tx, user.id, &address)?;
    match id {
        Some(id) => crate::store::emails::confirm(tx, user.id, id, now)?,
        None => crate::store::emails::confirm_primary(tx, user.id, now)?,
    };
    record(tx, by, "user.email.confirm", user, json!({"email_id": id}))?;
    hooks::email_confirmed(tx, user, &address)
}
