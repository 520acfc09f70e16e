//! Protected environments (docs/interface/delivery.md 10): what they
//! are in [`model`], who deploys to one in [`guard`], who has to approve in
//! [`approvals`], how they are changed in [`rules`].

pub mod approvals;
mod entity;
pub(crate) mod graph;
pub mod guard;
pub mod model;
mod pages;
mod rest;
pub mod rules;
pub mod store;

pub(crate) use entity::Names;

pub(crate) fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
}
