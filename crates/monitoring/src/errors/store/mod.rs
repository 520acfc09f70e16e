//! SQL of the area.

pub mod arrive;
pub mod counts;
pub mod errors;
pub mod issues;
pub mod read;
pub mod settings;
