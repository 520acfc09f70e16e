//! Stories about the package registry, on both engines.

mod access;
mod files;
mod generic;
mod lists;
mod protection;
mod registry;
