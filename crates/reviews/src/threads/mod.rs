//! Threads of merge requests: where they stand in code, who resolves them, and notes that
//! are not published yet. The notes themselves are those of planning.

pub mod drafting;
pub mod finishing;
pub mod following;
pub mod model;
pub mod publishing;
mod rest;
pub mod rules;
pub mod store;

pub use rest::routes;
pub use rules::{Ground, PLUG, find, stand, unsaid};
