//! Exports: what a project, a group or a pipeline depends on, as a file.
//!
//! Start with [`model`]; [`rules`] ask for one, and [`jobs`] write it: [`write`] reads row
//! after row and streams one of [`formats`] to the blob store. [`access`] says whose it is,
//! [`compare`] what two of them differ in, and [`publish`] puts one into the package registry.

mod access;
mod compare;
mod entity;
mod formats;
mod jobs;
mod mail;
pub mod model;
mod pages;
mod publish;
mod rest;
pub mod rules;
mod sending;
pub mod store;
mod tasks;
pub mod write;

pub(crate) use jobs::register;

pub(crate) fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
}
