//! What rules have jobs do.

use serde::{Deserialize, Serialize};

/// Has an import go on from where it stands.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StepImport {
    pub import: i64,
}

/// Has imports go on that nobody goes on with, and ends those that never will.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct TendImports {}
