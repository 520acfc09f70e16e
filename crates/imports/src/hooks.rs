//! What this room plugs into the rooms below.

use identity::give;
use identity::handing;
use kernel::error::Result;
use store::Tx;

pub use crate::settings::has_git as imports_by_address;

/// Gives what a deleted user imported to somebody else. Where nobody takes it, it goes with
/// them.
pub fn hand_over(tx: &mut Tx<'_>, from: i64, to: Option<i64>, limit: i64) -> Result<i64> {
    match to {
        Some(_) => handing::hand_over(tx, &[give!("imports", "user_id")], (from, to), limit),
        None => Ok(0),
    }
}
