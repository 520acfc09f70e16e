//! Who answers for a change, in its audit record.

use crate::model::{User, UserId};
use kernel::audit;
use kernel::error::Result;
use serde_json::Value;
use store::Tx;

/// Who makes a change, for the audit record.
#[derive(Debug, Clone, Default)]
pub struct Author {
    /// The user; `None` is the system or the command line.
    pub id: Option<UserId>,
    pub ip: Option<String>,
}

/// Records what happened to a user.
pub(crate) fn record(
    tx: &mut Tx<'_>,
    by: &Author,
    action: &'static str,
    user: &User,
    details: Value,
) -> Result<()> {
    Ok(audit::write(
        tx,
        audit::Record {
            author_id: by.id,
            action,
            target_type: "User",
            target_id: user.id,
            target_name: &user.username,
            details,
            ip_address: by.ip.clone(),
        },
    )?)
}
