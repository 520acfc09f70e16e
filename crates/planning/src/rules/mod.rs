//! What is decided and changed, over a transaction.

pub mod awards;
pub mod commands;
pub mod comments;
pub mod issues;
pub mod labels;
pub mod milestones;
pub mod news;
pub mod notes;
pub mod references;
pub mod todos;
pub mod topic;
