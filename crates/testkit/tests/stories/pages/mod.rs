//! The pages as a browser without a script sees them: forms, where they lead,
//! and what they refuse.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod admin;
mod applications;
mod cleanup;
mod projects;
mod requests;
mod safety;
mod statements;
