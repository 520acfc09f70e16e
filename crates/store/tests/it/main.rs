//! The store on both engines.
#![allow(clippy::unwrap_used, missing_docs)]

mod concurrency;
mod crash;
mod engines;
mod plugs;
mod schema;
mod stopping;
mod transactions;
mod traps;
mod values;
