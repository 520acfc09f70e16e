//! Schedules: pipelines that begin by the clock.
//!
//! Start with [`model`]; [`rules`] change them, and [`jobs`] begin their pipelines: each
//! time of a schedule is a job of the queue, which the one before it has enqueued.

mod access;
mod entity;
mod inputs;
mod jobs;
pub mod model;
mod pages;
mod rest;
pub mod rules;
pub mod store;
mod tasks;

pub(crate) use jobs::register;

pub(crate) fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
}
