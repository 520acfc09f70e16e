//! Environments: what the jobs of a project deploy to, and what was deployed.
//!
//! [`begin`] makes them for the jobs of a pipeline; [`follow`] has them go on as the jobs
//! do; [`gate`] says whether a job may start at all. [`rules`] is what people do with
//! them, [`approve`] how they decide on what waits.

pub mod approve;
mod background;
pub mod begin;
mod entity;
pub mod follow;
pub mod freezes;
pub mod gate;
pub mod graph;
pub mod model;
mod pages;
mod placed;
mod rest;
pub mod rules;
pub mod store;

pub(crate) use background::jobs as register;

pub(crate) fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
}
