//! `user_emails`: further addresses of users.

use crate::model::{User, UserId};
use kernel::error::Result;
use kernel::ids::fold;
use kernel::time::{Timestamp, wire};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use store::{FromRow, Tx, sql};

/// A further address.
#[derive(Debug, Clone, FromRow, Serialize, JsonSchema)]
#[schemars(rename = "EmailEntity")]
#[columns("user_emails")]
pub struct Email {
    /// Id.
    pub id: i64,
    /// The address.
    pub email: String,
    /// When it proved to be theirs.
    #[serde(serialize_with = "wire::optional::serialize")]
    #[schemars(with = "Option<String>")]
    pub confirmed_at: Option<Timestamp>,
}

const EMAIL: &str = store::concat!("select ", Email::COLUMNS, " from user_emails where ");

/// A user's further addresses, oldest first.
pub fn emails(tx: &mut Tx<'_>, user: UserId) -> Result<Vec<Email>> {
    Ok(tx.all(sql!(EMAIL, "user_id = $1 order by id"), (user,))?)
}

pub fn email(tx: &mut Tx<'_>, user: UserId, id: i64) -> Result<Option<Email>> {
    Ok(tx.optional(sql!(EMAIL, "user_id = $1 and id = $2"), (user, id))?)
}

/// Forgets that others have entered an address, now that it is this user's.
pub fn take_from_others(tx: &mut Tx<'_>, user: UserId, address: &str) -> Result<()> {
    tx.run(
        sql!(
            "delete from user_emails
             where email_folded = $1 and user_id <> $2 and confirmed_at is null"
        ),
        (fold(address), user),
    )
}

/// Forgets that the primary address was confirmed: it is another one.
pub fn unconfirm(tx: &mut Tx<'_>, user: &User) -> Result<User> {
    Ok(tx.one(
        sql!("update users set confirmed_at = null where id = $1 returning *"),
        (user.id,),
    )?)
}

/// Who has confirmed an address as one of their further ones.
pub fn confirmed_owner(tx: &mut Tx<'_>, address: &str) -> Result<Option<UserId>> {
    Ok(tx.optional(
        sql!(
            "select user_id from user_emails
             where email_folded = $1 and confirmed_at is not null"
        ),
        (fold(address),),
    )?)
}

/// Adds an address, unless the user or who confirmed it has it.
pub fn insert(
    tx: &mut Tx<'_>, user: UserId, address: &str, confirmed_at: Option<Timestamp>, now: Timestamp,
) -> Result<Option<Email>> {
    Ok(tx.optional(
        sql!(
            "insert into user_emails (user_id, email, email_folded, confirmed_at, created_at)
             values ($1, $2, $3, $4, $5) on conflict do nothing returning ",
            Email::COLUMNS
        ),
        (user, address, fold(address), confirmed_at, now),
    )?)
}

pub fn delete(tx: &mut Tx<'_>, user: UserId, id: i64) -> Result<()> {
    tx.run(sql!("delete from user_emails where user_id = $1 and id = $2"), (user, id))
}

/// Notes that a further address is theirs.
pub fn confirm(tx: &mut Tx<'_>, user: UserId, id: i64, now: Timestamp) -> Result<()> {
    tx.run(
        sql!("update user_emails set confirmed_at = $3 where user_id = $1 and id = $2"),
        (user, id, now),
    )
}

/// Notes that the primary address is theirs.
pub fn confirm_primary(tx: &mut Tx<'_>, user: UserId, now: Timestamp) -> Result<()> {
    tx.run(
        sql!("update users set confirmed_at = coalesce(confirmed_at, $2) where id = $1"),
        (user, now),
    )
}

/// Who confirmed which of some folded addresses, primary or further ones.
pub fn confirmed_owners(tx: &mut Tx<'_>, folded: &[String]) -> Result<HashMap<String, UserId>> {
    Ok(tx.pairs(
        sql!(
            "select email_folded, id from users
             where email_folded in_list($1) and confirmed_at is not null
             union all
             select email_folded, user_id from user_emails
             where email_folded in_list($1) and confirmed_at is not null"
        ),
        (folded,),
    )?)
}

/// An address as somebody confirmed it.
pub fn confirmed(tx: &mut Tx<'_>, email: &str) -> Result<Option<String>> {
    Ok(tx.optional(
        sql!(
            "select email from user_emails
             where email_folded = $1 and confirmed_at is not null"
        ),
        (fold(email),),
    )?)
}
