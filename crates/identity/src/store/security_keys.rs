//! `webauthn_keys`.

use crate::model::UserId;
use kernel::error::Result;
use kernel::time::Timestamp;
use store::{FromRow, Json, Tx, sql};
use webauthn::Key;

/// What the holder of a key is told of it.
#[derive(Debug, Clone, FromRow)]
#[columns("webauthn_keys")]
pub struct KeyInfo {
    pub id: i64,
    pub name: String,
    pub last_used_at: Option<Timestamp>,
    pub created_at: Timestamp,
}

#[derive(Debug, Clone, FromRow)]
#[columns("webauthn_keys")]
pub struct StoredKey {
    #[nested]
    pub info: KeyInfo,
    pub(crate) credential: Json<Key>,
    pub(crate) user_handle: Vec<u8>,
}

const KEY: &str = store::concat!("select ", StoredKey::COLUMNS, " from webauthn_keys where ");

/// The user's keys, oldest first.
pub fn list(tx: &mut Tx<'_>, user: UserId) -> Result<Vec<StoredKey>> {
    Ok(tx.all(sql!(KEY, "user_id = $1 order by id"), (user,))?)
}

pub fn remove_all(tx: &mut Tx<'_>, user: UserId) -> Result<()> {
    tx.run(sql!("delete from webauthn_keys where user_id = $1"), (user,))
}

pub fn count(tx: &mut Tx<'_>, user: UserId) -> Result<i64> {
    Ok(tx.one(sql!("select count(*) from webauthn_keys where user_id = $1"), (user,))?)
}

/// Stores a key; false when any user has one of this id.
pub fn insert(
    tx: &mut Tx<'_>, user: UserId, name: &str, key: &Key, handle: &[u8; 16],
) -> Result<bool> {
    let now = tx.now();
    let stored: Option<i64> = tx.optional(
        sql!(
            "insert into webauthn_keys (user_id, name, credential_id, credential, user_handle,
                created_at) values ($1, $2, $3, $4, $5, $6)
             on conflict (credential_id) do nothing returning id"
        ),
        (user, name, key.id(), Json(key), handle.to_vec(), now),
    )?;
    Ok(stored.is_some())
}

/// Deletes a key; its name.
pub fn delete(tx: &mut Tx<'_>, user: UserId, id: i64) -> Result<Option<String>> {
    Ok(tx.optional(
        sql!("delete from webauthn_keys where user_id = $1 and id = $2 returning name"),
        (user, id),
    )?)
}

/// The key of a user with this id.
pub fn by_credential(
    tx: &mut Tx<'_>, user: UserId, credential: &[u8],
) -> Result<Option<StoredKey>> {
    Ok(tx.optional(sql!(KEY, "user_id = $1 and credential_id = $2"), (user, credential))?)
}

/// Stores what a key has counted to.
pub fn note_use(tx: &mut Tx<'_>, id: i64, key: &Key) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!("update webauthn_keys set credential = $2, last_used_at = $3 where id = $1"),
        (id, Json(key), now),
    )
}
