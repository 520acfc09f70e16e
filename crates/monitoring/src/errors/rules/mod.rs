//! Rules of the area, over a transaction.

pub mod errors;
pub mod issues;
pub mod keys;
pub mod settings;
