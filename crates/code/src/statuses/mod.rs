//! What programs say of commits: whether what they built or tried of one is good.
//!
//! Tables: `commit_statuses`, `commit_comments` (migration 0081).

pub mod model;
pub mod rules;
pub mod store;
