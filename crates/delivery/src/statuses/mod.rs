//! Statuses: what programs elsewhere say of commits, as external jobs of pipelines.
//!
//! Who says something of a commit says it of its newest pipeline; where there is none, one
//! is made that has nothing else.

mod entity;
mod model;
mod rest;
mod rules;
mod store;

pub(crate) use model::State;
pub(crate) use rest::routes;
pub(crate) use rules::{About, say};
pub(crate) use store::{Statement, newest};
