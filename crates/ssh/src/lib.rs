//! SSH keys of users, deploy keys of projects, and git over SSH.
//!
//! Start with [`rules`]: who adds and removes keys, and what they open; [`server`] lets
//! people in by them and does what git asks for, with what `repositories` has for that.
//!
//! Tables: `ssh_keys`, `deploy_key_projects`, `ssh_host_keys` (migration 0075).

pub mod entity;
pub mod formats;
pub mod model;
mod pages;
mod rest;
pub mod rules;
pub mod server;
pub mod store;

pub fn routes(r: &mut kernel::http::Routes) {
    rest::routes(r);
    pages::routes(r);
}
