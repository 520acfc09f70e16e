//! `ssh_keys`.

use crate::formats::public_key::{AnyFingerprint, ReadKey};
use crate::model::{SshKey, UsageType};
use ::store::{Tx, sql};
use kernel::error::Result;
use kernel::time::Timestamp;

const KEY: &str = ::store::concat!("select ", SshKey::COLUMNS, " from ssh_keys where ");

/// Whose a new key is, and what is said of it.
pub struct NewKey<'k> {
    /// Nobody's if it is a deploy key.
    pub user_id: Option<i64>,
    pub created_by_id: Option<i64>,
    pub is_public: bool,
    pub title: &'k str,
    pub key: &'k ReadKey,
    pub usage_type: UsageType,
    pub expires_at: Option<Timestamp>,
}

/// Adds a key; none if somebody has it.
pub fn insert(tx: &mut Tx<'_>, new: &NewKey<'_>) -> Result<Option<SshKey>> {
    let (now, prints) = (tx.now(), &new.key.fingerprints);
    Ok(tx.optional(
        sql!(
            "insert into ssh_keys (user_id, created_by_id, is_public, title, key, comment,
                fingerprint, fingerprint_sha256, usage_type, expires_at, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
             on conflict do nothing returning ",
            SshKey::COLUMNS
        ),
        (
            new.user_id,
            new.created_by_id,
            new.is_public,
            new.title,
            new.key.text.as_str(),
            new.key.comment.as_str(),
            prints.md5.as_str(),
            prints.sha256.as_str(),
            new.usage_type,
            new.expires_at,
            now,
        ),
    )?)
}

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<SshKey>> {
    Ok(tx.optional(sql!(KEY, "id = $1"), (id,))?)
}

/// A key by its SHA256, as stored.
pub fn by_sha256(tx: &mut Tx<'_>, digest: &str) -> Result<Option<SshKey>> {
    Ok(tx.optional(sql!(KEY, "fingerprint_sha256 = $1"), (digest,))?)
}

/// Keys by their SHA256s.
pub fn by_sha256s(tx: &mut Tx<'_>, digests: &[String]) -> Result<Vec<SshKey>> {
    Ok(tx.all(sql!(KEY, "fingerprint_sha256 in_list($1) order by id"), (digests,))?)
}

pub fn by_fingerprint(tx: &mut Tx<'_>, fingerprint: &AnyFingerprint) -> Result<Option<SshKey>> {
    match fingerprint {
        AnyFingerprint::Sha256(digest) => by_sha256(tx, digest),
        AnyFingerprint::Md5(pairs) => {
            Ok(tx.optional(sql!(KEY, "fingerprint = $1 order by id limit 1"), (pairs,))?)
        }
    }
}

/// A user's key.
pub fn of_user(tx: &mut Tx<'_>, user: i64, id: i64) -> Result<Option<SshKey>> {
    Ok(tx.optional(sql!(KEY, "user_id = $1 and id = $2"), (user, id))?)
}

/// All keys of a user, the oldest first: there are not many.
pub fn all_of_user(tx: &mut Tx<'_>, user: i64) -> Result<Vec<SshKey>> {
    Ok(tx.all(sql!(KEY, "user_id = $1 order by id"), (user,))?)
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.run(sql!("delete from ssh_keys where id = $1"), (id,))
}

/// Gives a deploy key another title.
pub fn rename(tx: &mut Tx<'_>, id: i64, title: &str) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!("update ssh_keys set title = $2, updated_at = $3 where id = $1"),
        (id, title, now),
    )
}

/// Notes that a key was used.
pub fn touch(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.run(sql!("update ssh_keys set last_used_at = $2 where id = $1"), (id, now))
}
