//! `instance_signing_keys`.

use ::store::{Tx, sql};
use kernel::error::Result;

/// The sealed key that commits are signed with.
pub fn sealed(tx: &mut Tx<'_>) -> Result<Option<String>> {
    Ok(tx.optional(sql!("select sealed from instance_signing_keys order by id limit 1"), ())?)
}

/// Adds the key unless another server was faster.
pub fn insert(tx: &mut Tx<'_>, fingerprint: &str, sealed: &str) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "insert into instance_signing_keys (purpose, fingerprint_sha256, sealed, created_at)
             values ('commits', $1, $2, $3) on conflict do nothing"
        ),
        (fingerprint, sealed, now),
    )
}

/// The SHA256s of keys that this instance signs with, as those of users are stored.
pub fn fingerprints(tx: &mut Tx<'_>) -> Result<Vec<String>> {
    Ok(tx.all(sql!("select fingerprint_sha256 from instance_signing_keys order by id"), ())?)
}
