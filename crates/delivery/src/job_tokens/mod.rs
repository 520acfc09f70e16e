//! Tokens of jobs: which projects let the jobs of others in, and what a job says of
//! itself.
//!
//! A job has the rights of its user in its own project, and in those that list its project
//! or a group above it: [`may_enter`] is what the access rule asks.

pub(crate) mod page;
mod rest;
pub(crate) mod rules;
mod store;

pub use rules::may_enter;

pub(crate) use rest::routes;
