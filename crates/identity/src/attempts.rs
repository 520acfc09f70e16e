//! Counting attempts across nodes, in the table `attempts`.

use kernel::error::{Error, Result};
use store::Tx;

/// Counts one attempt under `key` and refuses more than `limit` within
/// `window` seconds, saying when to come back.
pub fn count(tx: &mut Tx<'_>, key: &str, limit: i64, window: i64) -> Result<()> {
    let now = tx.now();
    let began = now - jiff::SignedDuration::from_secs(window);
    let (count, started): (i64, jiff::Timestamp) =
        crate::store::attempts::count(tx, key, now, began)?;
    if count <= limit {
        return Ok(());
    }
    let passed = now.duration_since(started).as_secs();
    Err(Error::Limited((window - passed).max(1) as u64))
}

/// Refuses when more than `limit` were counted within `window` seconds, or
/// exactly as many; counts nothing itself.
pub fn check(tx: &mut Tx<'_>, key: &str, limit: i64, window: i64) -> Result<()> {
    let now = tx.now();
    let began = now - jiff::SignedDuration::from_secs(window);
    let started: Option<jiff::Timestamp> =
        crate::store::attempts::window_of(tx, key, limit, began)?;
    match started {
        None => Ok(()),
        Some(started) => {
            let passed = now.duration_since(started).as_secs();
            Err(Error::Limited((window - passed).max(1) as u64))
        }
    }
}

/// Forgets windows that closed more than `window` seconds ago.
pub fn sweep(tx: &mut Tx<'_>, window: i64) -> Result<u64> {
    let began = tx.now() - jiff::SignedDuration::from_secs(window);
    crate::store::attempts::delete_before(tx, began)
}
