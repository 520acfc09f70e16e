//! Stories about the package registry, on both engines.

mod access;
mod cleanup;
mod cleanup_rules;
mod deploy;
mod files;
mod form_fields;
mod generic;
mod lists;
mod parallel;
mod plans;
mod protection;
pub mod registry;
mod settings;
mod visibility;
