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

/// Adds one; unless it counts as confirmed, a link is sent to it.
pub fn add_email(
    tx: &mut Tx<'_>,
    by: &Author,
    user: &User,
    address: &str,
    confirmed: bool,
) -> Result<Email> {
    let refused = |text: &str| Err(Error::invalid("email", text));
    if let Some(problem) = email_problem(address) {
        return refused(problem);
    }
    if super::find_by_email(tx, address)?.is_some() {
        return refused("has already been taken");
    }
    if emails(tx, user.id)?.len() >= MOST {
        return refused("is one too many (maximum is 50)");
    }
    let now = tx.now();
    let made: Option<Email> = tx.optional(
        sql!(
            "insert into user_emails (user_id, email, email_folded, confirmed_at, created_at)
             values ($1, $2, $3, $4, $5) on conflict (email_folded) do nothing
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
    let Some(email) = made else {
        return refused("has already been taken");
    };
    if !confirmed {
        let link = SendLink {
            email: Some(email.id),
            ..SendLink::new(user.id, Purpose::Confirm)
        };
        kernel::jobs::enqueue_at(tx, &link, now)?;
    } else {
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

/// Notes that an address is theirs: a further one, or the primary.
pub fn confirm_email(tx: &mut Tx<'_>, by: &Author, user: &User, id: Option<i64>) -> Result<()> {
    let now = tx.now();
    let confirmed: Option<String> = match id {
        Some(id) => tx.optional(
            sql!(
                "update user_emails set confirmed_at = $3 where user_id = $1 and id = $2
                 returning email"
            ),
            (user.id, id, now),
        )?,
        None => tx.optional(
            sql!(
                "update users set confirmed_at = coalesce(confirmed_at, $2) where id = $1
                 returning email"
            ),
            (user.id, now),
        )?,
    };
    record(tx, by, "user.email.confirm", user, json!({"email_id": id}))?;
    match confirmed {
        Some(email) => hooks::email_confirmed(tx, user, &email),
        None => Ok(()),
    }
}

/// Forgets that the primary address was confirmed: it is another one.
pub fn unconfirm(tx: &mut Tx<'_>, user: &User) -> Result<User> {
    Ok(tx.one(
        sql!("update users set confirmed_at = null where id = $1 returning *"),
        (user.id,),
    )?)
}
