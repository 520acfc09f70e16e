//! The room's SQL.

pub mod builds;
pub mod check;
pub mod cleanup;
pub mod cleanup_rules;
pub mod files;
pub mod index;
pub mod list;
pub mod packages;
pub mod pages;
pub mod protection;
pub mod searched;
pub mod settings;
