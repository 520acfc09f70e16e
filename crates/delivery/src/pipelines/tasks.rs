//! What the jobs of pipelines are about; rules enqueue these, and [`super::background`]
//! does the work.

use serde::{Deserialize, Serialize};

/// Begins a pipeline for a branch or tag that somebody pushed.
#[derive(Debug, Serialize, Deserialize)]
pub struct PipelineOfPush {
    pub project: i64,
    pub user: i64,
    pub name: String,
    pub old: String,
    pub new: String,
    pub options: Vec<String>,
}

/// Starts the jobs of a pipeline whose time has come.
#[derive(Debug, Serialize, Deserialize)]
pub struct StartDelayed {
    pub pipeline_id: i64,
    /// Seconds since 1970.
    pub at: i64,
}

/// Does what a job says that begins another pipeline.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunBridge {
    pub job: i64,
}

/// Tells the job that began a pipeline how far that is.
#[derive(Debug, Serialize, Deserialize)]
pub struct FollowDownstream {
    pub pipeline: i64,
}

/// Gives up jobs that nothing happens to.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct GiveUpStuck {}
