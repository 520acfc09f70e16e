//! Dependencies: what projects are made of, as lists of components (SBOMs) say it.
//!
//! [`ingest`] reads what jobs brought or people sent, and [`store`] keeps a list for each
//! project, the current one. [`access`] says who sees it, [`switches`] where nobody does.

pub mod access;
pub mod advisories;
mod entity;
pub mod exports;
pub mod graph;
pub mod ingest;
pub mod model;
mod pages;
pub mod policies;
mod rest;
mod rules;
pub mod store;
pub mod switches;

pub(crate) use graph::graph;
pub(crate) use ingest::ended;

pub(crate) fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    advisories::routes(r);
    policies::routes(r);
    pages::routes(r);
    exports::routes(r);
}

pub(crate) fn register(registry: &mut kernel::jobs::RegistryBuilder) {
    ingest::register(registry);
    advisories::register(registry);
    policies::register(registry);
    exports::register(registry);
}
