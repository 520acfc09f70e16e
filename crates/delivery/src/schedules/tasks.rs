//! What the jobs of schedules are about; [`super::rules`] enqueue these, and
//! [`super::jobs`] do the work.

use serde::{Deserialize, Serialize};

/// A time of a schedule has come.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunSchedule {
    pub schedule: i64,
    /// Seconds since 1970; another time than the schedule's next one comes for nothing.
    pub at: i64,
}

/// Begins a pipeline of a schedule for a user.
#[derive(Debug, Serialize, Deserialize)]
pub struct PlaySchedule {
    pub schedule: i64,
    pub user: i64,
}
