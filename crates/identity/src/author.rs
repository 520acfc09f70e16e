//! Who answers for a change, in its audit record.

use crate::model::User;
use kernel::audit;
use kernel::error::Result;
use serde_json::Value;
use store::Tx;

pub use kernel::audit::Author;

/// Records what happened to a user.
pub(crate) fn record(
    tx: &mut Tx<'_>, by: &Author, action: &'static str, user: &User, details: Value,
) -> Result<()> {
    audit::record(tx, by, action, ("User", user.id, &user.username), details)
}
