//! Git repositories: fetching and pushing with the stock git.

mod access;
mod fetching;
mod hostile;
mod parallel;
mod pushing;
mod upkeep;
