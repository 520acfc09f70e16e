//! Further addresses of a user, beside the primary one.

use super::change::{Author, record};
use crate::hooks;
use crate::jobs::SendLink;
use crate::mail_links::Purpose;
use crate::model::{User, UserId, email_problem};
use kernel::error::{Error, Found, Result};
use kernel::ids::fold;
use kernel::time::Timestamp;
use serde_json::json;
use store::{Tx, sql};

/// Most further addresses of one user.
const MOST: usize = 50;

/// A further address.
#[derive(Debug, Clone)]
pub struct Email {
    /// Id.
    pub id: i64,
    /// The address.
    pub email: String,
    /// When it proved to be theirs.
    pub confirmed_at: Option<Timestamp>,
}

store::from_row! { Email { id, email, confirmed_at } }

/// A user's further addresses, oldest first.
pub fn emails(tx: &mut Tx<'_>, user: UserId) -> Result<Vec<Email>> {
    Ok(tx.all(
        sql!("select id, email, confirmed_at from user_emails where user_id = $1 order by id"),
        (user,),
    )?)
}

/// One of them.
pub fn email(tx: &mut Tx<'_>, user: UserId, id: i64) -> Result<Option<Email>> {
    Ok(tx.optional(
        sql!("select id, email, confirmed_at from user_emails where user_id = $1 and id = $2"),
        (user, id),
    )?)
}

/// Whether an address is another user's: their primary one, or one that they
/// have confirmed.
pub(crate) fn is_of_another(tx: &mut Tx<'_>, user: UserId, address: &str) -> Result<bool> {
    let other = |owner: i64| owner != user;
    if super::find_by_email(tx, address)?.is_some_and(|owner| other(owner.id)) {
        return Ok(true);
    }
    Ok(confirmed_owner(tx, address)?.is_some_and(other))
}

/// Who has confirmed an address as one of their further ones.
fn confirmed_owner(tx: &mut Tx<'_>, address: &str) -> Result<Option<UserId>> {
    Ok(tx.optional(
        sql!(
            "select user_id from user_emails
             where email_folded = $1 and confirmed_at is not null"
        ),
        (fold(address),),
    )?)
}

/// Forgets that others have entered an address, now that it is this user's.
pub(crate) fn take_from_others(tx: &mut Tx<'_>, user: UserId, address: &str) -> Result<()> {
    tx.execute(
        sql!(
            "delete from user_emails
             where email_folded = $1 and user_id <> $2 and confirmed_at is null"
        ),
        (fold(address), user),
    )?;
    Ok(())
}

fn taken() -> Error {
    Error::invalid("email", "has already been taken")
}

/// Adds one. Unless it counts as confirmed, a link is sent to it, and it takes
/// the address from nobody.
pub fn add_email(
    tx: &mut Tx<'_>,
    by: &Author,
    user: &User,
    address: &str,
    confirmed: bool,
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
    let made: Option<Email> = tx.optional(
        sql!(
            "insert into user_emails (user_id, email, email_folded, confirmed_at, created_at)
             values ($1, $2, $3, $4, $5) on conflict do nothing
             returning id, email, confirmed_at"
        ),
        (
            user.id,
            address,
            fold(address),
            confirmed.then_some(now),
            now,
        ),
    )?;
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
    record(
        tx,
        by,
        "user.email.add",
        user,
        json!({"email_id": email.id}),
    )?;
    Ok(email)
}

/// Removes one.
pub fn remove_email(tx: &mut Tx<'_>, by: &Author, user: &User, id: i64) -> Result<()> {
    email(tx, user.id, id)?.found("Email")?;
    tx.execute(
        sql!("delete from user_emails where user_id = $1 and id = $2"),
        (user.id, id),
    )?;
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
        return Err(Error::Conflict(
            "This address belongs to another account by now.".into(),
        ));
    }
    take_from_others(tx, user.id, &address)?;
    match id {
        Some(id) => tx.execute(
            sql!("update user_emails set confirmed_at = $3 where user_id = $1 and id = $2"),
            (user.id, id, now),
        )?,
        None => tx.execute(
            sql!("update users set confirmed_at = coalesce(confirmed_at, $2) where id = $1"),
            (user.id, now),
        )?,
    };
    record(tx, by, "user.email.confirm", user, json!({"email_id": id}))?;
    hooks::email_confirmed(tx, user, &address)
}

/// Forgets that the primary address was confirmed: it is another one.
pub fn unconfirm(tx: &mut Tx<'_>, user: &User) -> Result<User> {
    Ok(tx.one(
        sql!("update users set confirmed_at = null where id = $1 returning *"),
        (user.id,),
    )?)
}
