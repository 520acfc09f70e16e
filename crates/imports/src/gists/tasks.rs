//! What rules have jobs do.

use serde::{Deserialize, Serialize};

/// Has an import of gists go on from where it stands.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ImportGists {
    pub import: i64,
}

/// Tells somebody which gists did not come.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TellOfGists {
    pub import: i64,
}
