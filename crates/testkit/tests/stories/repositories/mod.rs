//! Git repositories: fetching and pushing with the stock git, and writing
//! without it.

mod access;
mod edit_files;
mod edit_refs;
mod edits;
mod events;
mod fetching;
mod hostile;
mod parallel;
mod protection;
mod pushing;
mod upkeep;
