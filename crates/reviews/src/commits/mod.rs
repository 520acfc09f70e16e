//! What people say of commits: notes on all of one, or on lines of what it changed. The
//! notes themselves are those of planning. Who reads the code reads them, whether the
//! project has merge requests or not.
//!
//! A commit has a row here as soon as somebody says something of it, so that notes, to-dos
//! and mail have a number to name it by.

pub mod access;
pub mod activity;
pub mod model;
pub mod pages;
mod rest;
pub mod rules;
pub mod store;
pub mod talk;

pub fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
}
