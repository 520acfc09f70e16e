//! What every request and every list keeps to.

mod requests;
pub mod statements;
