//! Files of projects that are written here.
//!
//! Start with [`model`]; [`rules`] have one written, [`jobs`] write it and send it where
//! somebody wants it, and [`sending`] lets people download it.

pub mod jobs;
pub mod model;
pub mod rules;
pub mod sending;
mod store;
pub mod target;
mod tasks;

pub use store::progress;
