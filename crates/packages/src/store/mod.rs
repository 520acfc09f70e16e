//! The room's SQL.

pub mod files;
pub mod index;
pub mod list;
pub mod packages;
pub mod pages;
pub mod protection;
