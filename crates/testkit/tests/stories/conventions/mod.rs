//! What every request and every list keeps to.

mod requests;
mod statements;
