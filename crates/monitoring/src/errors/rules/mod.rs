//! Rules of the area, over a transaction.

pub mod errors;
pub mod keys;
pub mod settings;
