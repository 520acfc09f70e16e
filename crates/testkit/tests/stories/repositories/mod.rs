//! Git repositories: fetching and pushing with the stock git, and writing
//! without it.

mod access;
mod edit_files;
mod edit_refs;
mod edits;
mod events;
mod fetching;
mod forks;
mod hostile;
mod mirrors;
pub mod moves;
mod parallel;
mod protection;
mod pull_mirrors;
mod push_rules;
mod pushing;
mod size_limit;
mod snapshot;
mod storages;
mod upkeep;
