//! Triggers: tokens with which programs elsewhere begin pipelines of a project.
//!
//! A token is shown when it is made; what is stored of it is a digest. Who sends one that
//! fits nothing is told the same as who names a project that is not there.

mod begin;
mod entity;
mod model;
mod rest;
mod rules;
mod store;

pub(crate) use rest::routes;
