//! What the jobs of exports are about; [`super::rules`] enqueue these, and [`super::jobs`] do
//! the work.

use serde::{Deserialize, Serialize};

/// Writes the file of an export.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WriteProjectFile {
    pub export: i64,
}

/// Sends it where somebody wants it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SendProjectFile {
    pub export: i64,
}

/// Takes away files whose time is over, and gives up what has not ended.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct SweepProjectFiles {}
