//! `gpg_keys`, `gpg_key_parts`, `gpg_key_addresses`.

use crate::formats::certificate::{Named, Part};
use crate::model::{GpgKey, KeyAddress, KeyPart};
use ::store::{Tx, sql};
use kernel::error::Result;
use kernel::ids::fold;

const KEY: &str = ::store::concat!("select ", GpgKey::COLUMNS, " from gpg_keys where ");
/// Keys that may have one name: it is short, and others can be made to have it, too.
const MOST_OF_NAME: usize = 8;

/// Adds a key; none if somebody has it.
pub fn insert(tx: &mut Tx<'_>, user: i64, key: &str, fingerprint: &str) -> Result<Option<GpgKey>> {
    let now = tx.now();
    Ok(tx.optional(
        sql!(
            "insert into gpg_keys (user_id, key, fingerprint, created_at)
             values ($1, $2, $3, $4) on conflict do nothing returning ",
            GpgKey::COLUMNS
        ),
        (user, key, fingerprint, now),
    )?)
}

pub fn add_part(tx: &mut Tx<'_>, key: i64, part: &Part) -> Result<()> {
    tx.run(
        sql!("insert into gpg_key_parts (gpg_key_id, keyid, is_primary) values ($1, $2, $3)"),
        (key, part.keyid.as_str(), part.is_primary),
    )
}

pub fn add_address(tx: &mut Tx<'_>, key: i64, named: &Named) -> Result<()> {
    tx.run(
        sql!(
            "insert into gpg_key_addresses (gpg_key_id, name, email, email_folded)
             values ($1, $2, $3, $4)"
        ),
        (key, named.name.as_str(), named.email.as_str(), fold(&named.email)),
    )
}

/// A user's key.
pub fn of_user(tx: &mut Tx<'_>, user: i64, id: i64) -> Result<Option<GpgKey>> {
    Ok(tx.optional(sql!(KEY, "user_id = $1 and id = $2 and revoked_at is null"), (user, id))?)
}

/// All keys of a user but those that are revoked, the oldest first: there are not many.
pub fn all_of_user(tx: &mut Tx<'_>, user: i64) -> Result<Vec<GpgKey>> {
    Ok(tx.all(sql!(KEY, "user_id = $1 and revoked_at is null order by id"), (user,))?)
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.run(sql!("delete from gpg_keys where id = $1"), (id,))
}

pub fn revoke(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.run(sql!("update gpg_keys set revoked_at = $2 where id = $1"), (id, now))
}

/// Parts by their names, a few of each.
pub fn parts_named(tx: &mut Tx<'_>, keyids: &[String]) -> Result<Vec<KeyPart>> {
    let most = keyids.len().saturating_mul(MOST_OF_NAME) as i64;
    Ok(tx.all(
        sql!(
            "select ",
            KeyPart::COLUMNS,
            " from gpg_key_parts where keyid in_list($1) order by id limit $2"
        ),
        (keyids, most),
    )?)
}

/// Keys in their order, those that are in use first.
pub fn some(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<GpgKey>> {
    Ok(tx.all(sql!(KEY, "id in_list($1) order by revoked_at nulls first, id"), (ids,))?)
}

/// Whom some keys name.
pub fn addresses(tx: &mut Tx<'_>, keys: &[i64]) -> Result<Vec<KeyAddress>> {
    Ok(tx.all(
        sql!(
            "select ",
            KeyAddress::COLUMNS,
            " from gpg_key_addresses where gpg_key_id in_list($1) order by id"
        ),
        (keys,),
    )?)
}

/// The primary keys and subkeys of some keys.
pub fn parts(tx: &mut Tx<'_>, keys: &[i64]) -> Result<Vec<KeyPart>> {
    Ok(tx.all(
        sql!(
            "select ",
            KeyPart::COLUMNS,
            " from gpg_key_parts where gpg_key_id in_list($1) order by id"
        ),
        (keys,),
    )?)
}
