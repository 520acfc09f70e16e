//! Errors that programs report through their SDKs (docs/interface/monitoring.md 5 to 7).
//!
//! The way of an event: [`collector`] answers the SDK and finds the key,
//! [`body`] reads what was sent through [`decode`] and [`envelope`],
//! [`event`] says what it tells and to which error it belongs, [`ingest`]
//! writes the events of a project together.

pub mod body;
pub mod collector;
pub mod decode;
pub mod detail;
pub mod draft;
pub mod envelope;
pub mod event;
pub mod external;
pub mod fault;
pub mod graph;
pub mod ingest;
pub mod issues;
pub mod jobs;
pub mod keys;
pub mod lenient;
pub mod limits;
pub mod model;
pub mod pages;
mod payload;
pub mod quota;
pub mod reading;
mod rest;
pub mod rules;
pub mod store;
pub mod tags;
mod threads;

use kernel::http::Routes;

pub fn routes(r: &mut Routes) {
    collector::routes(r);
    rest::routes(r);
    pages::routes(r);
}
