//! What rules have jobs do.

use serde::{Deserialize, Serialize};

/// Gives what the placeholder of somebody elsewhere has to who they are here.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Reassign {
    pub source_user: i64,
}

/// Tells somebody by mail that they are asked whether they are somebody elsewhere.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TellOfReassignment {
    pub source_user: i64,
    pub to: i64,
}
