//! Pages of what people did: of projects and groups, of a person, of all that the
//! viewer takes part in.

mod filter;
pub mod panels;
mod show;
mod views;

pub use show::{place, routes, seen};
