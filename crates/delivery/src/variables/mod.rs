//! CI/CD variables of the instance, of groups and of projects.
//!
//! Start with [`effective`], which says what a job is given; [`rules`] change what is
//! stored. Values are sealed at rest and open through [`model::Variable::open`] alone.

pub mod access;
pub mod effective;
mod entity;
pub mod graph;
pub mod model;
mod pages;
mod rest;
pub mod rules;
pub mod store;

pub use access::may_override;
pub use effective::{For, JobVariable, for_job, is_fixed, overridden};

pub(crate) fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
}
