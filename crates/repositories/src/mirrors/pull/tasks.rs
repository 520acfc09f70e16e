//! What rules have jobs do.

use serde::{Deserialize, Serialize};

/// Has the code of a project follow its mirror's repository.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FollowUpstream {
    pub mirror: i64,
}

/// Has those follow that are due.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct FollowDue {}

/// Tells somebody who maintains a project that its mirror was switched off.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TellOfMirror {
    pub mirror: i64,
    pub to: i64,
}
