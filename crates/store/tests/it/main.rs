//! The store on both engines.
#![allow(clippy::unwrap_used, clippy::print_stderr, missing_docs)]

mod engines;
mod transactions;
