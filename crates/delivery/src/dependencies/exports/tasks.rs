//! What the jobs of exports are about; [`super::rules`] enqueue these, and [`super::jobs`] do
//! the work.

use serde::{Deserialize, Serialize};

/// Writes the file of an export.
#[derive(Debug, Serialize, Deserialize)]
pub struct WriteExport {
    pub export: i64,
}

/// Tells who asked for an export what came of it.
#[derive(Debug, Serialize, Deserialize)]
pub struct TellOfExport {
    pub export: i64,
}

/// Takes away files whose time is over, and gives up what has not ended.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct SweepExports {}
