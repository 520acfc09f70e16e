//! Git repositories: fetching and pushing with the stock git.

mod access;
mod events;
mod fetching;
mod hostile;
mod parallel;
mod protection;
mod pushing;
mod upkeep;
