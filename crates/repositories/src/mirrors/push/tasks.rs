//! What rules have jobs do.

use serde::{Deserialize, Serialize};

/// Has a mirror follow the code of its project.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PushMirror {
    pub mirror: i64,
}
