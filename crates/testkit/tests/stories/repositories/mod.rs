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
mod parallel;
mod protection;
mod push_rules;
mod pushing;
mod storages;
mod upkeep;
