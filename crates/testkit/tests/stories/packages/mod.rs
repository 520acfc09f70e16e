//! Stories about the package registry, on both engines.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod access;
mod cleanup;
mod cleanup_rules;
mod deploy;
mod files;
mod generic;
mod lists;
mod parallel;
mod protection;
mod registry;
mod settings;
mod visibility;
