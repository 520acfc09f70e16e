//! What is left to jobs.

use serde::{Deserialize, Serialize};

/// Moves the repositories of one container.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MoveStorage {
    pub storage_move: i64,
}

/// How often the queue of moves is looked after, in seconds.
pub const TEND_EVERY: i64 = 300;

/// Has moves go on that wait though there is room, or whose job is gone.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct TendMoves {}
