//! Alerts that monitoring tools send (docs/interface/monitoring.md 1 to 4).
//!
//! The way of an alert: [`receive`] finds the project and integration behind
//! an address and asks for the key, [`payload`] reads what was sent,
//! [`receive::keep`] writes the deliveries of a project together. [`jobs`]
//! make and close incidents, send mail and look for what comes due; [`rules`]
//! is what people do.

pub mod graph;
pub mod issues;
pub mod jobs;
pub mod limits;
pub mod model;
pub mod pages;
pub mod payload;
pub mod pictures;
pub mod presets;
pub mod receive;
mod related;
pub mod rest;
pub mod rules;
pub mod store;
pub mod talk;

use kernel::http::Routes;

pub fn routes(r: &mut Routes) {
    receive::routes(r);
    rest::routes(r);
    pages::routes(r);
}
