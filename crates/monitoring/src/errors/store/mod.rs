//! SQL of the area.

pub mod arrive;
pub mod counts;
pub mod drops;
pub mod errors;
pub mod events;
pub mod issues;
pub mod keys;
pub mod old;
pub mod quotas;
pub mod read;
pub mod settings;
