//! `ssh_host_keys`.

use ::store::{Tx, sql};
use kernel::error::Result;

/// The sealed keys, by algorithm.
pub fn all(tx: &mut Tx<'_>) -> Result<Vec<(String, String)>> {
    Ok(tx.all(sql!("select algorithm, sealed from ssh_host_keys order by id"), ())?)
}

/// Adds a key unless another server was faster.
pub fn insert(tx: &mut Tx<'_>, algorithm: &str, sealed: &str) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "insert into ssh_host_keys (algorithm, sealed, created_at) values ($1, $2, $3)
             on conflict do nothing"
        ),
        (algorithm, sealed, now),
    )
}
