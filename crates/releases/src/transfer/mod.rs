//! Releases that come from elsewhere ([`write`]) or go there ([`read`]), each whole: nobody is
//! told of them, and when they were made and came out stays.

pub mod model;
pub mod read;
pub mod write;

pub use model::{Link, Release};
