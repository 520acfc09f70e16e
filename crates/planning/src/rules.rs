//! What is decided and changed, over a transaction.

pub mod issues;
pub mod labels;
pub mod milestones;
pub mod notes;
