//! Keys of users.

use super::{KeyInput, Owner, add};
use crate::model::{MOST, SshKey, UsageType};
use crate::store::keys as rows;
use ::store::Tx;
use identity::author::Author;
use identity::model::User;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use serde_json::json;

/// Adds a key of a user, who gets a mail about it.
pub fn create(
    tx: &mut Tx<'_>, by: &Author, user: &User, input: &KeyInput, usage: UsageType,
) -> Result<SshKey> {
    if rows::all_of_user(tx, user.id)?.len() as i64 >= MOST {
        return Err(Error::invalid("key", format!("is one too many (maximum is {MOST})")));
    }
    let key = add(tx, Owner::User(user.id), input, usage)?;
    identity::notify_of_change(tx, user, identity::AccountChange::SshKeyAdded)?;
    record(tx, by, "ssh_key.create", user, &key)?;
    Ok(key)
}

/// Removes a key of a user.
pub fn destroy(tx: &mut Tx<'_>, by: &Author, user: &User, id: i64) -> Result<()> {
    let key = find(tx, user.id, id)?;
    rows::delete(tx, key.id)?;
    record(tx, by, "ssh_key.destroy", user, &key)
}

/// A key of a user.
pub fn find(tx: &mut Tx<'_>, user: i64, id: i64) -> Result<SshKey> {
    rows::of_user(tx, user, id)?.found("Key")
}

fn record(
    tx: &mut Tx<'_>, by: &Author, action: &'static str, user: &User, key: &SshKey,
) -> Result<()> {
    let details =
        json!({"key_id": key.id, "title": key.title, "fingerprint": key.fingerprint_sha256});
    audit::record(tx, by, action, ("User", user.id, &user.username), details)
}
