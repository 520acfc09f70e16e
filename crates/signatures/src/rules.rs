//! Adds, revokes and removes GPG keys.

use crate::formats::certificate::{self, MAX_TEXT, Named, Part};
use crate::model::{GpgKey, MOST};
use crate::store as rows;
use ::store::Tx;
use identity::author::Author;
use identity::model::User;
use identity::users;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::ids::fold;
use serde_json::json;
use std::collections::HashSet;

kernel::params! {
    /// A new key.
    #[derive(Default)]
    pub struct KeyInput {
        /// The block of the public key.
        pub key: String,
    }
}

/// A key, and whom it names.
#[derive(Debug, Clone)]
pub struct Described {
    pub key: GpgKey,
    /// Its names, the primary key's first.
    pub keyids: Vec<String>,
    /// Its addresses, and whether its owner confirmed them.
    pub addresses: Vec<(String, bool)>,
}

/// A key that was looked at and may be added.
#[derive(Debug, Clone)]
pub struct NewKey {
    text: String,
    fingerprint: String,
    parts: Vec<Part>,
    names: Vec<Named>,
}

/// Looks at a key that somebody typed. That takes work, so it comes before any transaction.
pub async fn read(input: &KeyInput) -> Result<NewKey> {
    let text = input.key.trim().to_owned();
    let certificate = certificate::read(&text).ok_or_else(|| problem(&text))?;
    let look = move || NewKey {
        fingerprint: certificate.fingerprint(),
        parts: certificate.parts(),
        names: certificate.names(),
        text,
    };
    tokio::task::spawn_blocking(look).await.map_err(Error::internal)
}

/// Why a text is no key.
pub fn problem(text: &str) -> Error {
    let problem = match text.trim() {
        "" => "can't be blank".to_owned(),
        text if text.len() > MAX_TEXT => format!("is too long (maximum is {MAX_TEXT} bytes)"),
        _ => "is invalid".to_owned(),
    };
    Error::invalid("key", problem)
}

/// Adds a key of a user, who gets a mail about it.
pub fn create(tx: &mut Tx<'_>, by: &Author, user: &User, new: &NewKey) -> Result<GpgKey> {
    let wrong = |text: &str| Error::invalid("key", text);
    if rows::all_of_user(tx, user.id)?.len() >= MOST {
        return Err(wrong(&format!("is one too many (maximum is {MOST})")));
    }
    let added = rows::insert(tx, user.id, &new.text, &new.fingerprint)?;
    let key = added.ok_or_else(|| wrong("has already been taken"))?;
    for part in &new.parts {
        rows::add_part(tx, key.id, part)?;
    }
    for named in &new.names {
        rows::add_address(tx, key.id, named)?;
    }
    identity::notify_of_change(tx, user, identity::AccountChange::GpgKeyAdded)?;
    record(tx, by, "gpg_key.create", user, &key)?;
    Ok(key)
}

/// Removes a key of a user: what it signed is of an unknown key from now on.
pub fn destroy(tx: &mut Tx<'_>, by: &Author, user: &User, id: i64) -> Result<()> {
    let key = find(tx, user.id, id)?;
    rows::delete(tx, key.id)?;
    record(tx, by, "gpg_key.destroy", user, &key)
}

/// Withdraws a key of a user, and whatever it signed.
pub fn revoke(tx: &mut Tx<'_>, by: &Author, user: &User, id: i64) -> Result<()> {
    let key = find(tx, user.id, id)?;
    rows::revoke(tx, key.id)?;
    record(tx, by, "gpg_key.revoke", user, &key)
}

/// A key of a user that is not revoked.
pub fn find(tx: &mut Tx<'_>, user: i64, id: i64) -> Result<GpgKey> {
    rows::of_user(tx, user, id)?.found("GPG Key")
}

/// The keys of a user that are not revoked.
pub fn all(tx: &mut Tx<'_>, user: i64) -> Result<Vec<GpgKey>> {
    rows::all_of_user(tx, user)
}

/// The same, and whom they name.
pub fn described(tx: &mut Tx<'_>, user: &User) -> Result<Vec<Described>> {
    let keys = rows::all_of_user(tx, user.id)?;
    let ids: Vec<i64> = keys.iter().map(|key| key.id).collect();
    let (parts, addresses) = (rows::parts(tx, &ids)?, rows::addresses(tx, &ids)?);
    let own = users::confirmed_addresses(tx, user)?;
    let own: HashSet<String> = own.iter().map(|email| fold(email)).collect();
    let describe = |key: GpgKey| {
        let named = addresses.iter().filter(|one| one.gpg_key_id == key.id);
        let of_key = parts.iter().filter(|one| one.gpg_key_id == key.id);
        Described {
            keyids: of_key.map(|one| one.keyid.clone()).collect(),
            addresses: named
                .map(|one| (one.email.clone(), own.contains(&one.email_folded)))
                .collect(),
            key,
        }
    };
    Ok(keys.into_iter().map(describe).collect())
}

fn record(
    tx: &mut Tx<'_>, by: &Author, action: &'static str, user: &User, key: &GpgKey,
) -> Result<()> {
    let details = json!({"key_id": key.id, "fingerprint": key.fingerprint});
    audit::record(tx, by, action, ("User", user.id, &user.username), details)
}
